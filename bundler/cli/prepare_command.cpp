#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bundler/cli/session.h"
#include "bundler/cli/usage.h"
#include "registry/base/escaped_text.h"
#include "registry/base/json_text.h"
#include "registry/base/parallel.h"
#include "registry/model/prepare.h"
#include "registry/model/unread.h"

namespace muster::cli {
namespace {

struct PrepareOptions {
  std::string project;
  std::string format = "text";
  bool dry_run = false;
};

std::string_view to_string(PrepareChange::Kind kind) {
  switch (kind) {
    case PrepareChange::Kind::add:
      return "add";
    case PrepareChange::Kind::remove:
      return "remove";
    case PrepareChange::Kind::update:
      return "update";
  }
  return "add";
}

std::string as_json(const Project& project, const PreparePlan& plan, bool dry_run) {
  Json report;
  report["dry_run"] = dry_run;
  report["registries"] = Json::array();
  for (const RegistryPlan& registry : plan.registries) {
    Json json;
    json["class"] = registry.registry->declaration->name;
    json["path"] = project.index().at(registry.registry->asset).path.text();
    json["kept"] = registry.kept;
    json["changes"] = Json::array();
    for (const PrepareChange& change : registry.changes) {
      Json entry;
      entry["change"] = to_string(change.kind);
      entry["type_id"] = change.type_id.value();
      entry["guid"] = change.guid.to_string();
      entry["path"] = change.path.empty() ? Json() : Json(change.path.text());
      json["changes"].push_back(std::move(entry));
    }
    report["registries"].push_back(std::move(json));
  }
  report["files"] = Json::array();
  for (const FileWrite& write : plan.writes) report["files"].push_back(write.path.text());
  report["removed"] = Json::array();
  for (const AssetPath& path : plan.removes) report["removed"].push_back(path.text());
  return json_text(report);
}

std::string as_text_report(const Project& project, const PreparePlan& plan, bool dry_run) {
  std::string text;
  for (const RegistryPlan& registry : plan.registries) {
    text += fmt::format("{}  {}: {} kept, {} changed\n", registry.registry->declaration->name,
                        escaped_text(project.index().at(registry.registry->asset).path.text()),
                        registry.kept, registry.changes.size());
    for (const PrepareChange& change : registry.changes) {
      text += fmt::format("  {:<6} {:>5}  {}  {}\n", to_string(change.kind), change.type_id.value(),
                          change.guid.to_string(),
                          change.path.empty() ? "(gone)" : escaped_text(change.path.text()));
    }
  }
  for (const Registry& registry : project.model().registries) {
    if (registry.declaration->has_ids) continue;
    text += fmt::format("{}  {}: unchanged, because its own tool fills it\n",
                        registry.declaration->name,
                        escaped_text(project.index().at(registry.asset).path.text()));
  }
  if (text.empty()) text += "no registries\n";
  for (const FileWrite& write : plan.writes) {
    text +=
        fmt::format("{} {}{}\n", dry_run ? "would write" : "wrote", escaped_text(write.path.text()),
                    write.what.empty() ? "" : " (" + write.what + ")");
  }
  for (const AssetPath& path : plan.removes) {
    text += fmt::format("{} {}\n", dry_run ? "would remove" : "removed", escaped_text(path.text()));
  }
  if (plan.writes.empty() && plan.removes.empty()) text += "everything is up to date\n";
  return text;
}

int prepare(const PrepareOptions& options, Session& session) {
  PatientReporter reporter(session.reporter, session.clock);
  const Progress progress = progress_of(reporter);
  const auto open = open_project(options.project, session, processor_count(), progress);
  if (!open) return report_error(session, open.error());
  const Project& project = *open.value().project;
  const auto plan = plan_prepare(project, progress);
  const std::vector<std::string> unread = unread_notes(project);
  reporter.finish();
  for (const std::string& note : unread) refuse(session, note);
  const std::string hidden = hidden_roots_note(project);
  if (!hidden.empty()) print_note(session, hidden);
  const std::string no_sidecars = no_sidecars_note(project);
  if (!no_sidecars.empty()) refuse(session, no_sidecars);
  const std::string no_registries = no_registries_note(project);
  if (!no_registries.empty()) print_note(session, no_registries);
  if (!plan) return report_error(session, plan.error());
  for (const std::string& note : plan.value().notes) print_note(session, note);
  if (!options.dry_run) {
    if (auto may = begin_writing(session); !may) return report_error(session, may.error());
    const auto applied = apply_prepare(*open.value().files, plan.value());
    if (!applied) return report_error(session, applied.error());
  }
  for (const std::string& remains : plan.value().remaining) {
    refuse(session, remains);
  }
  const int written = write_report(session,
                                   options.format == "json"
                                       ? as_json(project, plan.value(), options.dry_run)
                                       : as_text_report(project, plan.value(), options.dry_run),
                                   {});
  const bool is_done = unread.empty() && no_sidecars.empty() && plan.value().remaining.empty();
  return written == kSuccess && !is_done ? kFindings : written;
}

}  // namespace

void add_prepare(CLI::App& app, Session& session) {
  auto options = std::make_shared<PrepareOptions>();
  CLI::App* command =
      app.add_subcommand("prepare", "Fill the registries from the project, keeping every type id");
  add_project(*command, options->project);
  command->add_flag("--dry-run", options->dry_run, "Only print what would change");
  command->add_option("--format", options->format, "text or json")
      ->check(one_of({"text", "json"}))
      ->capture_default_str();
  command->footer("Example:\n  muster prepare my-game --dry-run");
  command->callback([options, &session] { session.exit_code = prepare(*options, session); });
}

}  // namespace muster::cli
