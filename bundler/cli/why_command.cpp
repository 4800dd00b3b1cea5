#include <algorithm>
#include <memory>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bundler/cli/named_asset.h"
#include "bundler/cli/session.h"
#include "bundler/cli/usage.h"
#include "bundler/report/strip_audit.h"
#include "registry/base/escaped_text.h"
#include "registry/base/json_text.h"
#include "registry/base/parallel.h"

namespace muster::cli {
namespace {

struct WhyOptions {
  std::string project;
  std::string asset;
  std::string format = "text";
};

// One chain of references to the asset. The chain starts at an entry of a registry, or (without an
// entry) at a registry or root itself, which refers strongly to definitions.
struct Reason {
  std::string target;
  std::string class_name;
  AssetNumber source = kNoAsset;
  const RegistryEntry* entry = nullptr;
  std::vector<AssetNumber> chain;
};

class ReasonSearch {
 public:
  ReasonSearch(const Project& project, AssetNumber asset, std::string name, Target target)
      : project_(project), asset_(asset), name_(std::move(name)), target_(target) {}

  void add_to(std::vector<Reason>& reasons) const {
    for (const Registry& registry : project_.model().registries) {
      for (const RegistryEntry& entry : registry.entries) {
        for (const EntryReference& reference : entry.references) {
          if (!reference.targets.has(target_) || reference.asset == kNoAsset) continue;
          add({name_, registry.declaration->name, registry.asset, &entry, {}}, reference.asset, {},
              reasons);
        }
      }
    }
    // This is the rule of the planner. An asset that is reached through a registered asset belongs
    // only to that registered asset. A stripped asset belongs to no registered asset.
    std::set<AssetNumber> stops;
    for (const Guid& guid : project_.model().assets_for(target_)) {
      stops.insert(project_.index().find(guid));
    }
    if (stops.contains(asset_)) return;
    for (const Registry& registry : project_.model().registries) stops.insert(registry.asset);
    const auto stops_before = [&](AssetNumber step) { return stops.contains(step); };
    for (const Registry& registry : project_.model().registries) {
      if (!registry.targets.has(target_) || !registry.declaration->is_packed) continue;
      add({name_, registry.declaration->name, registry.asset, nullptr, {}}, registry.asset,
          stops_before, reasons);
    }
    for (const RegistryRoot& root : project_.model().roots) {
      if (root.target != target_) continue;
      add({name_, std::string(kRootClass), root.asset, nullptr, {}}, root.asset, stops_before,
          reasons);
    }
  }

 private:
  void add(Reason reason, AssetNumber start, const ReferenceGraph::Stop& stops_before,
           std::vector<Reason>& reasons) const {
    reason.chain = project_.stripping(target_).graph().chain(std::span(&start, 1), asset_,
                                                             project_.index(), stops_before);
    if (!reason.chain.empty()) reasons.push_back(std::move(reason));
  }

  const Project& project_;
  AssetNumber asset_;
  std::string name_;
  Target target_;
};

std::vector<Reason> reasons_for(const Project& project, AssetNumber asset) {
  std::vector<Reason> reasons;
  ReasonSearch(project, asset, "client", Target::client).add_to(reasons);
  ReasonSearch(project, asset, "server", Target::server).add_to(reasons);
  return reasons;
}

// The targets that strip the asset although a registry reaches it, each with the rule that applies.
std::vector<std::pair<std::string, std::string>> strippings_of(const Project& project,
                                                               AssetNumber asset) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const Target target : {Target::client, Target::server}) {
    const StrippedAsset* const stripped = project.stripping(target).find(asset);
    if (stripped == nullptr) continue;
    found.emplace_back(target == Target::client ? "client" : "server",
                       stripped->rule.empty() ? std::string(kBehindStripped) : stripped->rule);
  }
  return found;
}

std::vector<AssetNumber> direct_users(const Project& project, AssetNumber asset) {
  std::vector<AssetNumber> users;
  for (const ReferenceEdge& edge : project.graph().edges()) {
    if (edge.to == asset && edge.from != asset) users.push_back(edge.from);
  }
  users.erase(std::unique(users.begin(), users.end()), users.end());
  return users;
}

std::string as_text_report(const Project& project, AssetNumber asset,
                           const std::vector<Reason>& reasons,
                           const std::vector<AssetNumber>& users) {
  const auto path = [&](AssetNumber number) {
    return escaped_text(project.index().at(number).path.text());
  };
  std::string text =
      fmt::format("{}  {}\n", project.index().at(asset).guid.to_string(), path(asset));
  const auto strippings = strippings_of(project, asset);
  if (reasons.empty() && strippings.empty()) {
    text += "no registry reaches it: it is in no bundle\n";
  }
  for (const Reason& reason : reasons) {
    text += fmt::format("{}: {}", reason.target, reason.class_name);
    text += reason.entry == nullptr ? " itself"
                                    : fmt::format(" entry {}", reason.entry->type_id.value());
    for (const AssetNumber step : reason.chain) text += "\n    -> " + path(step);
    text += "\n";
  }
  for (const auto& [target, rule] : strippings) {
    text += fmt::format("{}: stripped ({}); for more use 'muster audit'\n", target, rule);
  }
  text += fmt::format("mentioned by {} asset{}\n", users.size(), users.size() == 1 ? "" : "s");
  for (const AssetNumber user : users) text += "    " + path(user) + "\n";
  return text;
}

std::string as_json_report(const Project& project, AssetNumber asset,
                           const std::vector<Reason>& reasons,
                           const std::vector<AssetNumber>& users) {
  const auto path = [&](AssetNumber number) { return project.index().at(number).path.text(); };
  Json report;
  report["guid"] = project.index().at(asset).guid.to_string();
  report["path"] = path(asset);
  report["reasons"] = Json::array();
  for (const Reason& reason : reasons) {
    Json chain = Json::array();
    for (const AssetNumber step : reason.chain) chain.push_back(path(step));
    report["reasons"].push_back(
        {{"target", reason.target},
         {"class", reason.class_name},
         {"registry", path(reason.source)},
         {"type_id", reason.entry == nullptr ? Json() : Json(reason.entry->type_id.value())},
         {"chain", std::move(chain)}});
  }
  report["stripped"] = Json::array();
  for (const auto& [target, rule] : strippings_of(project, asset)) {
    report["stripped"].push_back({{"target", target}, {"rule", rule}});
  }
  report["mentioned_by"] = Json::array();
  for (const AssetNumber user : users) report["mentioned_by"].push_back(path(user));
  return json_text(report);
}

int why(const WhyOptions& options, Session& session) {
  PatientReporter reporter(session.reporter, session.clock);
  const Progress progress = progress_of(reporter);
  const auto open = open_project(options.project, session, processor_count(), progress);
  if (!open) return report_error(session, open.error());
  const Project& project = *open.value().project;
  const auto named = find_named_asset(project, options.project, options.asset);
  if (!named) return report_error(session, named.error());
  const AssetNumber asset = named.value();
  progress.begin("following references", 0);
  const auto reasons = reasons_for(project, asset);
  const auto users = direct_users(project, asset);
  reporter.finish();
  return write_report(session,
                      options.format == "json" ? as_json_report(project, asset, reasons, users)
                                               : as_text_report(project, asset, reasons, users),
                      {});
}

}  // namespace

void add_why(CLI::App& app, Session& session) {
  auto options = std::make_shared<WhyOptions>();
  CLI::App* command =
      app.add_subcommand("why", "Show the registry entries that cause an asset to be packed");
  add_project_and_asset(*command, options->project, options->asset);
  command->add_option("--format", options->format, "text or json")
      ->check(one_of({"text", "json"}))
      ->capture_default_str();
  command->footer("Example:\n  muster why my-game Assets/Textures/crate.png");
  command->callback([options, &session] { session.exit_code = why(*options, session); });
}

}  // namespace muster::cli
