#include <memory>

#include <CLI/CLI.hpp>

#include "bundler/cli/session.h"
#include "bundler/cli/usage.h"
#include "bundler/report/listing.h"
#include "registry/base/parallel.h"
#include "registry/model/unread.h"

namespace muster::cli {
namespace {

struct ListOptions {
  std::string project;
  std::string target = "all";
  std::string format = "text";
};

// Prints the reasons why the list is incomplete. Returns true if the list is complete.
bool report_problems(const Project& project, Session& session) {
  const std::vector<std::string> unread = unread_notes(project);
  for (const std::string& note : unread) refuse(session, note);
  const std::string hidden = hidden_roots_note(project);
  if (!hidden.empty()) print_note(session, hidden);
  const std::string no_sidecars = no_sidecars_note(project);
  if (!no_sidecars.empty()) refuse(session, no_sidecars);
  bool is_whole = unread.empty() && no_sidecars.empty();
  for (const ModelProblem& problem : project.model().problems) {
    const bool is_unknown = problem.kind == ModelProblem::Kind::unknown_class;
    if (!is_unknown && problem.kind != ModelProblem::Kind::unresolved) continue;
    const std::string prefix =
        problem.location.path.text() + ":" + std::to_string(problem.location.position.line) + ": ";
    if (is_unknown) {
      print_note(session, prefix + problem.detail + "; it is not listed");
    } else {
      refuse(session, prefix + "part of a registry could not be read; see 'muster validate'");
    }
    is_whole = is_whole && is_unknown;
  }
  return is_whole;
}

int list(const ListOptions& options, Session& session) {
  const auto targets = targets_from(options.target);
  if (!targets) return report_error(session, targets.error());
  PatientReporter reporter(session.reporter, session.clock);
  const auto open =
      open_project(options.project, session, processor_count(), progress_of(reporter));
  if (!open) return report_error(session, open.error());
  const Project& project = *open.value().project;
  const std::string text = options.format == "json"  ? listing_json(project, targets.value())
                           : options.format == "cpp" ? listing_cpp(project, targets.value())
                                                     : listing_text(project, targets.value());
  reporter.finish();
  const bool is_whole = report_problems(project, session);
  const int written = write_report(session, text, {});
  return written == kSuccess && !is_whole ? kFindings : written;
}

}  // namespace

void add_list(CLI::App& app, Session& session) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command =
      app.add_subcommand("list", "List the registries and the assets that they name");
  add_project(*command, options->project);
  command->add_option("--target", options->target, "client, server or all")
      ->check(one_of({"client", "server", "all"}))
      ->capture_default_str();
  command->add_option("--format", options->format, "text, json, or cpp: a header with the type ids")
      ->check(one_of({"text", "json", "cpp"}))
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  muster list my-game --target server --format json\n"
      "  muster list my-game --format cpp > my-game/registry_ids.h");
  command->callback([options, &session] { session.exit_code = list(*options, session); });
}

}  // namespace muster::cli
