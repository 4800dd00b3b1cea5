#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bundler/cli/session.h"
#include "registry/vocabulary/parallel.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

struct WhyOptions {
  std::string project;
  std::string asset;
  std::string format = "text";
};

// One way from a registry entry to the asset.
struct Reason {
  std::string target;
  const Registry* registry = nullptr;
  const RegistryEntry* entry = nullptr;
  std::vector<AssetNumber> chain;
};

std::vector<Reason> reasons_for(const Project& project, AssetNumber asset) {
  std::vector<Reason> reasons;
  for (const auto& [name, target] :
       {std::pair("client", Target::client), std::pair("server", Target::server)}) {
    for (const Registry& registry : project.model().registries) {
      for (const RegistryEntry& entry : registry.entries) {
        for (const EntryReference& reference : entry.references) {
          if (!reference.targets.has(target) || reference.asset == kNoAsset) continue;
          const AssetNumber root = reference.asset;
          auto chain = project.graph().chain(std::span(&root, 1), asset, project.index());
          if (!chain.empty()) reasons.push_back({name, &registry, &entry, std::move(chain)});
        }
      }
    }
  }
  return reasons;
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
  const auto path = [&](AssetNumber number) { return project.index().at(number).path.text(); };
  std::string text =
      fmt::format("{}  {}\n", project.index().at(asset).guid.to_string(), path(asset));
  if (reasons.empty()) text += "no registry entry reaches it: it is in no bundle\n";
  for (const Reason& reason : reasons) {
    text += fmt::format("{}: {} entry {}", reason.target, reason.registry->declaration->name,
                        reason.entry->type_id.value());
    for (const AssetNumber step : reason.chain) text += "\n    -> " + path(step);
    text += "\n";
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
    report["reasons"].push_back({{"target", reason.target},
                                 {"class", reason.registry->declaration->name},
                                 {"registry", path(reason.registry->asset)},
                                 {"type_id", reason.entry->type_id.value()},
                                 {"chain", std::move(chain)}});
  }
  report["mentioned_by"] = Json::array();
  for (const AssetNumber user : users) report["mentioned_by"].push_back(path(user));
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

AssetNumber find_asset(const Project& project, const std::string& name) {
  if (const auto guid = Guid::parse_any_case(name)) return project.index().find(guid.value());
  const auto path = AssetPath::parse(name);
  return path ? project.index().find(path.value()) : kNoAsset;
}

int why(const WhyOptions& options, Session& session) {
  const auto open = open_project(options.project, session, processor_count());
  if (!open) return report_error(session, open.error());
  const Project& project = *open.value().project;
  const AssetNumber asset = find_asset(project, options.asset);
  if (asset == kNoAsset) {
    return report_error(session, {ErrorCode::not_found,
                                  "'" + options.asset +
                                      "' is neither the guid nor the path (from the project's "
                                      "root) of an asset with a sidecar"});
  }
  const auto reasons = reasons_for(project, asset);
  const auto users = direct_users(project, asset);
  return write_report(session,
                      options.format == "json" ? as_json_report(project, asset, reasons, users)
                                               : as_text_report(project, asset, reasons, users),
                      {});
}

}  // namespace

void add_why(CLI::App& app, Session& session) {
  auto options = std::make_shared<WhyOptions>();
  CLI::App* command = app.add_subcommand("why", "Show which registry entries pull an asset in");
  command->add_option("PROJECT", options->project, "The project's folder")->required();
  command->add_option("ASSET", options->asset, "A guid, or a path from the project's root")
      ->required();
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->footer("Example:\n  muster why my-game Assets/Textures/crate.png");
  command->callback([options, &session] { session.exit_code = why(*options, session); });
}

}  // namespace muster::cli
