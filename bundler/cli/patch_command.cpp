// The commands that create and apply patches between builds.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bundler/cli/edges.h"
#include "bundler/cli/session.h"
#include "bundler/patch/patch_apply.h"
#include "bundler/patch/patch_create.h"
#include "registry/base/counted.h"

namespace muster::cli {
namespace {

struct PatchArguments {
  std::string before;
  std::string after;  ///< The folder of the new build, for `create`.
  std::string patch;
  std::string out;  ///< The folder to write, for `apply`.
  bool is_portable = false;
};

int create(const PatchArguments& arguments, Session& session) {
  const auto before = open_output(arguments.before);
  if (!before) return report_error(session, before.error());
  const auto after = open_output(arguments.after);
  if (!after) return report_error(session, after.error());
  session.reporter.begin("comparing", 0);
  const auto made = create_patch(*before.value(), *after.value(),
                                 {.is_portable = arguments.is_portable, .stop = session.stop});
  session.reporter.finish();
  if (!made) return report_error(session, made.error());
  const MadePatch& patch = made.value();
  if (auto may = begin_writing(session); !may) return report_error(session, may.error());
  if (auto written = write_named_file(arguments.patch, patch.bytes); !written) {
    return report_error(session, written.error());
  }
  session.out << fmt::format(
      "{} changed, {} bytes; the patch has {} ({:.3f} x)\n", counted(patch.changed_files, "file"),
      patch.changed_bytes, patch.bytes.size(),
      static_cast<double>(patch.bytes.size()) /
          static_cast<double>(std::max<std::uint64_t>(patch.changed_bytes, 1)));
  return kSuccess;
}

int apply(const PatchArguments& arguments, Session& session) {
  if (auto whole = recover_output(arguments.before); !whole) {
    return report_error(session, whole.error());
  }
  const auto file = map_file(arguments.patch);
  if (!file) return report_error(session, file.error());
  const auto patch = read_patch(file.value().bytes());
  if (!patch) {
    const Error& error = patch.error();
    return report_error(session, {error.code, "'" + arguments.patch + "': " + error.message});
  }
  const auto before = open_folder(arguments.before);
  if (!before) return report_error(session, before.error());
  const auto old_folder = resolved(arguments.before);
  const auto new_folder = resolved(arguments.out);
  if (old_folder && new_folder && old_folder.value() == new_folder.value()) {
    const auto is_done = is_applied(*before.value(), patch.value());
    if (!is_done) return report_error(session, is_done.error());
    if (is_done.value()) {
      session.out << "the folder has the new build already\n";
      return kSuccess;
    }
  }
  if (auto may = begin_writing(session); !may) return report_error(session, may.error());
  const auto out = LockedOutput::open(arguments.out);
  if (!out) return report_error(session, out.error());
  session.reporter.begin("patching", 0);
  const auto applied =
      apply_patch(*before.value(), patch.value(), out.value()->folder(), {.stop = session.stop});
  session.reporter.finish();
  if (file.value().is_damaged()) {
    return report_error(
        session, {ErrorCode::io, "'" + arguments.patch + "' was truncated while it was read"});
  }
  if (!applied) return report_error(session, applied.error());
  session.out << fmt::format("{}, {} of them new\n", counted(applied.value().files, "file"),
                             applied.value().made);
  return kSuccess;
}

}  // namespace

void add_patch(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<PatchArguments>();
  CLI::App* command = app.add_subcommand("patch", "Create and apply patches between two builds");
  command->require_subcommand(1);
  command->footer(
      "Example:\n  muster patch create build/shipped build/game --out update.mpatch\n"
      "  muster patch apply build/shipped update.mpatch --out build/updated");

  CLI::App* create_command =
      command->add_subcommand("create", "Write a patch that turns one build into another");
  create_command
      ->add_option("OLD", arguments->before, "The build that players have: its output folder")
      ->required();
  create_command
      ->add_option("NEW", arguments->after, "The build that players will get: its output folder")
      ->required();
  create_command->add_option("-o,--out", arguments->patch, "The file to write")->required();
  create_command->add_flag("--portable", arguments->is_portable,
                           "Write a larger patch, which any release of zstd can apply");
  create_command->footer(
      "The patch contains differences of the uncompressed bytes of changed assets. Applying the\n"
      "patch compresses these assets again, which requires a zstd that gives the same bytes. The\n"
      "result is verified.\n"
      "With --portable, the patch contains changed assets in compressed form.\n\n"
      "Example:\n  muster patch create build/shipped build/game --out update.mpatch");
  create_command->callback(
      [arguments, &session] { session.exit_code = create(*arguments, session); });

  CLI::App* apply_command = command->add_subcommand("apply", "Make the new build from the old one");
  apply_command->add_option("OLD", arguments->before, "The build that the patch was made for")
      ->required();
  apply_command->add_option("FILE", arguments->patch, "The patch")->required();
  apply_command->add_option("-o,--out", arguments->out, "The folder of the new build; may be OLD")
      ->required();
  apply_command->footer(
      "The output changes completely or not at all: it is unchanged if the patch does not fit, a\n"
      "file is damaged, the disk is full or the process is killed. Then the command can be run\n"
      "again.\n\n"
      "Example:\n  muster patch apply build/shipped update.mpatch --out build/shipped");
  apply_command->callback(
      [arguments, &session] { session.exit_code = apply(*arguments, session); });
}

}  // namespace muster::cli
