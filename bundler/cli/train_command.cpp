#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bundler/cli/session.h"
#include "bundler/cli/usage.h"
#include "bundler/cook/value_check.h"
#include "bundler/dictionaries/committed_dictionaries.h"
#include "registry/base/counted.h"
#include "registry/base/escaped_text.h"
#include "registry/base/json_text.h"
#include "registry/base/parallel.h"
#include "registry/rules/sinks.h"
#include "registry/rules/validate.h"
#include "runtime/bundle/bundle_reader.h"

namespace muster::cli {
namespace {

struct TrainArguments {
  std::string project;
  std::string format = "text";
  bool is_check = false;
  bool is_forced = false;
};

Json optional_number(const std::optional<std::uint64_t>& number) {
  return number ? Json(*number) : Json();
}

std::string as_json(const std::vector<RetrainingPlan>& plans, const AssetPath& folder,
                    bool is_check) {
  Json report;
  report["check"] = is_check;
  report["dictionaries"] = Json::array();
  for (const RetrainingPlan& plan : plans) {
    Json json;
    json["kind"] = to_string(plan.kind);
    json["path"] = committed_dictionary_path(folder, plan.kind).text();
    json["change"] = to_string(plan.what);
    json["stored"] = plan.is_stored;
    json["entries"] = plan.entries;
    json["bytes_without"] = plan.bytes_without;
    json["bytes_now"] = optional_number(plan.bytes_now);
    json["bytes_then"] = optional_number(plan.bytes_then);
    report["dictionaries"].push_back(std::move(json));
  }
  return json_text(report);
}

std::string bytes_text(const std::optional<std::uint64_t>& bytes) {
  return bytes ? std::to_string(*bytes) : "-";
}

std::string_view verdict_on(const RetrainingPlan& plan, bool is_check) {
  switch (plan.what) {
    case Retraining::keep:
      if (plan.is_stored) return "none: such entries are stored";
      if (plan.bytes_now) return plan.has_few_samples ? "stays: too few samples" : "stays";
      return "none: too little gain";
    case Retraining::write:
      return is_check ? "to be trained" : "trained";
    case Retraining::remove:
      return is_check ? "to be removed" : "removed";
  }
  return {};
}

std::string as_text_report(const std::vector<RetrainingPlan>& plans, bool is_check) {
  std::string text = fmt::format("{:<16} {:>10} {:>14} {:>14} {:>14}  {}\n", "kind", "entries",
                                 "bytes without", "now", "then", "dictionary");
  for (const RetrainingPlan& plan : plans) {
    text += fmt::format("{:<16} {:>10} {:>14} {:>14} {:>14}  {}\n", to_string(plan.kind),
                        plan.entries, plan.bytes_without, bytes_text(plan.bytes_now),
                        bytes_text(plan.bytes_then), verdict_on(plan, is_check));
  }
  return text;
}

Result<void> apply(const std::vector<RetrainingPlan>& plans, const AssetPath& folder,
                   FileSystem& files) {
  for (const RetrainingPlan& plan : plans) {
    const AssetPath path = committed_dictionary_path(folder, plan.kind);
    Result<void> done;
    if (plan.what == Retraining::write) done = write_atomically(files, path, plan.fresh);
    if (plan.what == Retraining::remove) done = files.remove(path);
    if (!done) return done;
  }
  return {};
}

// Training needs a project that can be built. Otherwise some content would be missing in the
// samples.
bool can_be_built(const Project& project, const std::vector<ComponentDescription>& components,
                  unsigned jobs, Session& session) {
  const auto check = [&](const Project&, const std::set<AssetNumber>& built, Findings& findings) {
    check_values(project, components, built, jobs, findings);
  };
  std::vector<Finding> blocking = validate(project, {.jobs = jobs, .further = check});
  std::erase_if(blocking, [](const Finding& finding) { return !finding.blocks_build; });
  if (blocking.empty()) return true;
  session.err << format_findings(blocking, FindingFormat::text, {});
  session.err << "muster: no dictionary was trained or changed\n";
  return false;
}

int train(const TrainArguments& arguments, Session& session) {
  PatientReporter reporter(session.reporter, session.clock);
  const unsigned jobs = processor_count();
  const auto open = open_project(arguments.project, session, jobs, progress_of(reporter));
  if (!open) return report_error(session, open.error());
  const Project& project = *open.value().project;
  const CompressionRules& rules = project.config().compression;
  if (!rules.dictionaries) {
    return report_error(session, {ErrorCode::invalid_argument,
                                  "muster.yaml names no folder that dictionaries are kept in, so "
                                  "builds train their own; to keep some, add 'compression: "
                                  "{dictionaries: Dictionaries~}' to it"});
  }
  RetrainingWish wish{.present = {}, .is_forced = arguments.is_forced};
  auto present = read_committed(project.files(), rules, wish.unusable);
  if (!present) return report_error(session, present.error());
  if (!wish.unusable.empty() && !arguments.is_forced) {
    return report_error(session, wish.unusable.front().error());
  }
  wish.present = std::move(*present.value());
  const auto components = load_components(project.files(), project.config());
  if (!components) return report_error(session, components.error());
  reporter.begin("checking", 0);
  if (!can_be_built(project, components.value(), jobs, session)) return kFindings;
  reporter.begin("training", 0);
  const auto planned = plan_retraining(project, components.value(), wish, jobs, session.stop);
  reporter.finish();
  if (!planned) return report_error(session, planned.error());
  const std::vector<RetrainingPlan>& plans = planned.value();
  if (session.stop.stop_requested()) {
    return report_error(session, {ErrorCode::cancelled, "stopped; nothing was changed"});
  }
  if (!arguments.is_check) {
    if (auto may = begin_writing(session); !may) return report_error(session, may.error());
    if (auto done = apply(plans, *rules.dictionaries, *open.value().files); !done) {
      return report_error(session, done.error());
    }
    session.writing = false;
  }
  const int code = write_report(session,
                                arguments.format == "json"
                                    ? as_json(plans, *rules.dictionaries, arguments.is_check)
                                    : as_text_report(plans, arguments.is_check),
                                {});
  const bool is_due = std::ranges::any_of(
      plans, [](const RetrainingPlan& plan) { return plan.what != Retraining::keep; });
  return code == kSuccess && arguments.is_check && is_due ? kFindings : code;
}

}  // namespace

void add_train(CLI::App& app, Session& session) {
  auto arguments = std::make_shared<TrainArguments>();
  CLI::App* command = app.add_subcommand(
      "train", "Train the project's dictionaries for small entries, if this saves enough");
  add_project(*command, arguments->project);
  command->add_flag("--check", arguments->is_check,
                    "Write nothing; exit code 1 means that training would save enough");
  command->add_flag("--force", arguments->is_forced,
                    "Use the smallest result, even if it saves little");
  command->add_option("--format", arguments->format, "text or json")
      ->check(one_of({"text", "json"}))
      ->capture_default_str();
  command->footer(
      "A new dictionary changes every entry of its kind, so each player downloads these entries\n"
      "again. So the current dictionary stays unless a new one makes the entries 5 % smaller. The\n"
      "key 'dictionaries' under 'compression' in muster.yaml names the folder of the "
      "dictionaries.\n\n"
      "Example:\n  muster train my-game --check");
  command->callback([arguments, &session] { session.exit_code = train(*arguments, session); });
}

}  // namespace muster::cli
