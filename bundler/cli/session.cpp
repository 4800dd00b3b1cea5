#include "bundler/cli/session.h"

#include <limits>

#include "bundler/cli/edges.h"
#include "registry/base/escaped_text.h"
#include "registry/base/near_name.h"
#include "registry/project/budgets.h"
#include "registry/rules/rule_weights.h"

namespace muster::cli {

Result<OpenProject> open_project(const std::string& path, const Session& session, unsigned jobs,
                                 const Progress& progress) {
  auto folder = open_project_folder(path);
  if (!folder) return fail(folder.error());
  OpenProject open;
  open.files = std::move(folder.value().files);
  auto project = Project::open(*open.files, jobs, session.stop, progress);
  if (!project) return fail(project.error().code, "'" + path + "': " + project.error().message);
  open.project = std::move(project).value();
  if (auto rules = read_rule_weights(open.project->config()); !rules) return fail(rules.error());
  return open;
}

Result<OpenProject> open_recorded_project(const std::string& path, const Session& session,
                                          unsigned jobs, const std::vector<VariantWish>& variants,
                                          std::optional<BuildState> earlier,
                                          const std::string& tool, const Progress& progress) {
  auto folder = open_project_folder(path);
  if (!folder) return fail(folder.error());
  OpenProject open;
  open.files = std::move(folder.value().files);
  open.recorded = std::make_unique<RecordedFiles>(*open.files, *folder.value().stamps);
  open.fact_cache = std::make_unique<BuildFactCache>(*open.recorded, std::move(earlier), tool);
  auto project =
      Project::open(*open.recorded, jobs, session.stop, progress, variants, open.fact_cache.get());
  if (!project) return fail(project.error().code, "'" + path + "': " + project.error().message);
  open.project = std::move(project).value();
  if (auto rules = read_rule_weights(open.project->config()); !rules) return fail(rules.error());
  return open;
}

Result<void> begin_writing(Session& session) {
  // The signal thread requests the stop and then exchanges `writing`. This thread exchanges
  // `writing` and then tests for a stop. Because of these orders, at least one of the two threads
  // sees the change of the other thread.
  session.writing.exchange(true);
  if (!session.stop.stop_requested()) return {};
  return fail(ErrorCode::cancelled, "stopped; nothing was changed");
}

void print_note(Session& session, std::string_view message) {
  if (session.is_quiet) return;
  session.err << "muster: " << escaped_text(message) << "\n";
}

void refuse(Session& session, std::string_view message) {
  session.reporter.finish();
  session.err << "muster: " << escaped_text(message) << "\n";
}

int report_error(Session& session, const Error& error) {
  refuse(session, error.message);
  return kUsage;
}

Result<TargetSet> targets_from(const std::string& name) {
  if (name == "client") return TargetSet(Target::client);
  if (name == "server") return TargetSet(Target::server);
  if (name == "all") return TargetSet::both();
  return fail(ErrorCode::invalid_argument, "'" + name +
                                               "' is not a target; use client, server or all" +
                                               did_you_mean(name, {"client", "server", "all"}));
}

Result<std::uint64_t> size_from(std::string_view text) {
  if (auto bytes = read_byte_count(text)) return bytes;
  constexpr std::string_view kLetters = "KMGT";
  const std::size_t letter = text.empty() ? std::string_view::npos : kLetters.find(text.back());
  if (letter != std::string_view::npos) {
    const std::string_view number = text.substr(0, text.size() - 1);
    const unsigned shift = 10 * (static_cast<unsigned>(letter) + 1);
    // Before such a letter, only digits are allowed.
    const bool has_digits_only = number.find_first_not_of("0123456789") == std::string_view::npos;
    const auto units = read_byte_count(number);
    if (has_digits_only && units &&
        units.value() <= std::numeric_limits<std::uint64_t>::max() >> shift) {
      return units.value() << shift;
    }
  }
  return fail(ErrorCode::invalid_argument,
              "'" + std::string(text) + "' is not a size; write it like 4096, 500 MiB or 10 GiB");
}

int write_report(Session& session, const std::string& text, const std::string& path) {
  // These are the usual names of the standard output. If the standard output is a file, other
  // programs can also write to this file, so it must not be replaced.
  if (path.empty() || path == "-" || path == "/dev/stdout") {
    session.out << text;
    return kSuccess;  // `run` checks at its end whether everything was written.
  }
  if (path == "/dev/stderr") {
    session.err << text;
    return kSuccess;
  }
  const auto written = write_named_file(path, as_bytes(text));
  return written ? kSuccess : report_error(session, written.error());
}

}  // namespace muster::cli
