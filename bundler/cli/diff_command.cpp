#include <memory>

#include <CLI/CLI.hpp>

#include "bundler/cli/edges.h"
#include "bundler/cli/session.h"
#include "bundler/cli/usage.h"
#include "bundler/report/build_diff.h"

namespace muster::cli {
namespace {

struct DiffArguments {
  std::string before;
  std::string after;
  std::string format = "text";
};

int diff(const DiffArguments& arguments, Session& session) {
  const auto before = open_output(arguments.before);
  if (!before) return report_error(session, before.error());
  const auto after = open_output(arguments.after);
  if (!after) return report_error(session, after.error());
  const auto targets = diff_builds(*before.value(), *after.value());
  if (!targets) return report_error(session, targets.error());
  return write_report(
      session, arguments.format == "json" ? diff_json(targets.value()) : diff_text(targets.value()),
      {});
}

}  // namespace

void add_diff(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<DiffArguments>();
  CLI::App* command =
      app.add_subcommand("diff", "Show what changed from one build to another, and why");
  command->add_option("OLD", arguments->before, "A build's output folder")->required();
  command->add_option("NEW", arguments->after, "The output folder of another build")->required();
  command->add_option("--format", arguments->format, "text or json")
      ->check(one_of({"text", "json"}))
      ->capture_default_str();
  command->footer("Example:\n  muster diff build/shipped build/game");
  command->callback([arguments, &session] { session.exit_code = diff(*arguments, session); });
}

}  // namespace muster::cli
