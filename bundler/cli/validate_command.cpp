#include <memory>

#include <CLI/CLI.hpp>

#include "bundler/cli/edges.h"
#include "bundler/cli/session.h"
#include "bundler/cook/value_check.h"
#include "registry/registries/unread.h"
#include "registry/rules/sinks.h"
#include "registry/rules/validate.h"
#include "registry/vocabulary/parallel.h"

namespace muster::cli {
namespace {

struct ValidateArguments {
  std::string project;
  std::string target = "all";
  std::string format = "text";
  std::string output;
  std::string baseline;
  std::string write_baseline;
  std::string explain;
  bool strict = false;
};

constexpr std::uint64_t kMaxBaselineBytes = 64ULL * 1024 * 1024;

int explain(const std::string& id, Session& session) {
  if (id == "all") {
    for (const Rule& rule : all_rules()) session.out << explain_rule(rule) << "\n";
    return kSuccess;
  }
  const Rule* rule = find_rule(id);
  if (rule == nullptr) {
    return report_error(session, {ErrorCode::not_found, "there is no rule '" + id +
                                                            "'; 'muster validate --explain all' "
                                                            "lists them"});
  }
  session.out << explain_rule(*rule);
  return kSuccess;
}

Result<Baseline> load_baseline(const std::string& path) {
  const auto place = open_folder_of(path);
  if (!place) return fail(place.error());
  ByteVector buffer;
  const auto bytes =
      read_whole(*place.value().folder, place.value().name, kMaxBaselineBytes, buffer);
  if (!bytes) return fail(bytes.error());
  return Baseline::parse(as_text(bytes.value()));
}

// Descriptions that cannot be read have a finding of their own.
std::vector<Finding> check_all(const Project& project, ValidateOptions options) {
  const auto components = load_components(project.files(), project.config());
  options.further = [&](const Project&, const std::set<AssetNumber>& built, Findings& findings) {
    if (!components) return;
    check_values(project, components.value(), built, options.jobs, findings);
  };
  return validate(project, options);
}

int validate_project(const ValidateArguments& arguments, Session& session) {
  if (!arguments.explain.empty()) return explain(arguments.explain, session);
  if (arguments.project.empty()) {
    return report_error(session, {ErrorCode::invalid_argument,
                                  "give a project's folder ('muster validate --help')"});
  }
  const auto targets = targets_from(arguments.target);
  if (!targets) return report_error(session, targets.error());
  const auto format = finding_format_from(arguments.format);
  if (!format) return report_error(session, format.error());
  PatientReporter reporter(session.reporter, session.clock);
  const Progress progress = progress_of(reporter);
  const auto open = open_project(arguments.project, session, processor_count(), progress);
  if (!open) return report_error(session, open.error());
  std::vector<Finding> findings = check_all(*open.value().project, {.targets = targets.value(),
                                                                    .strict = arguments.strict,
                                                                    .jobs = processor_count(),
                                                                    .progress = progress});
  reporter.finish();
  const std::string none = no_registries_note(*open.value().project);
  if (!none.empty()) tell(session, none);
  if (!arguments.write_baseline.empty()) {
    return write_report(session, Baseline::of(findings).format(), arguments.write_baseline);
  }
  if (!arguments.baseline.empty()) {
    const auto baseline = load_baseline(arguments.baseline);
    if (!baseline) return report_error(session, baseline.error());
    findings = baseline.value().remove_known(std::move(findings));
  }
  const SinkOptions sink{.color = session.color && arguments.output.empty(),
                         .project_name = arguments.project,
                         .version = MUSTER_VERSION,
                         .files = open.value().files.get()};
  const int written =
      write_report(session, format_findings(findings, format.value(), sink), arguments.output);
  if (written != kSuccess) return written;
  return count(findings).errors > 0 ? kFindings : kSuccess;
}

}  // namespace

void add_validate(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<ValidateArguments>();
  CLI::App* command = app.add_subcommand("validate", "Check a project against every rule");
  command->add_option("PROJECT", arguments->project, "The project's folder");
  command->add_option("--target", arguments->target, "client, server or all")
      ->capture_default_str();
  command->add_option("--format", arguments->format, "text, json, sarif, junit or github")
      ->check(CLI::IsMember({"text", "json", "sarif", "junit", "github"}))
      ->capture_default_str();
  command->add_option("--output", arguments->output, "Write the report to a file");
  command->add_option("--baseline", arguments->baseline, "Leave out the findings of this file");
  command->add_option("--write-baseline", arguments->write_baseline,
                      "Accept all present findings into this file");
  command->add_flag("--strict", arguments->strict, "Warnings become errors");
  command->add_option("--explain", arguments->explain, "Explain a rule ('all' for every rule)");
  command->footer(
      "Example:\n  muster validate my-game --format sarif --output findings.sarif\n"
      "  muster validate --explain duplicate-guid");
  command->callback(
      [arguments, &session] { session.exit_code = validate_project(*arguments, session); });
}

}  // namespace muster::cli
