#include "bundler/report/listing.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "registry/base/escaped_text.h"
#include "registry/base/json_text.h"

namespace muster {
namespace {

struct Row {
  TypeId type_id;
  const EntryReference* reference = nullptr;
  Guid owner;
};

// The rows of a registry: one row per asset that an entry names, in the order of ids.
std::vector<Row> rows_of(const Registry& registry, TargetSet targets) {
  std::vector<Row> rows;
  for (const RegistryEntry& entry : registry.entries) {
    for (const EntryReference& reference : entry.references) {
      // Entries that no root builds are also listed, unless one target was requested.
      if ((reference.targets & targets).empty() && targets != TargetSet::both()) continue;
      rows.push_back(
          {entry.type_id, &reference, entry.owner == reference.guid ? Guid() : entry.owner});
    }
  }
  std::ranges::stable_sort(rows, [](const Row& a, const Row& b) {
    return std::tie(a.type_id, a.reference->guid) < std::tie(b.type_id, b.reference->guid);
  });
  return rows;
}

Json targets_json(TargetSet targets) {
  Json list = Json::array();
  if (targets.has(Target::client)) list.push_back("client");
  if (targets.has(Target::server)) list.push_back("server");
  return list;
}

// The targets whose asset lists contain the asset of a row.
TargetSet listed_targets(const Row& row, TargetSet targets) {
  return row.reference->emitted ? row.reference->targets & targets : TargetSet();
}

std::string targets_text(const Row& row, TargetSet requested) {
  if (!row.reference->emitted) return "with registry";
  const TargetSet targets = row.reference->targets & requested;
  if (targets == TargetSet::both()) return "client+server";
  if (targets.has(Target::client)) return "client";
  return targets.has(Target::server) ? "server" : "-";
}

Json path_json(const Project& project, AssetNumber asset) {
  return asset == kNoAsset ? Json() : Json(project.index().at(asset).path.text());
}

Json problems_json(const Project& project) {
  Json list = Json::array();
  for (const ModelProblem& problem : project.model().problems) {
    Json json;
    json["path"] = problem.location.path.text();
    json["line"] = problem.location.position.line;
    json["guid"] = problem.guid.is_null() ? Json() : Json(problem.guid.to_string());
    json["detail"] = problem.detail;
    list.push_back(std::move(json));
  }
  return list;
}

bool is_word(char character) {
  return (character >= '0' && character <= '9') || (character >= 'a' && character <= 'z') ||
         (character >= 'A' && character <= 'Z');
}

// The name of a constant, for example `kCrateBigLow` for `crate_big@low.prefab`.
std::string constant_name(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  name = name.substr(0, name.rfind('.'));
  std::string text = "k";
  bool is_first = true;
  for (const char character : name) {
    if (is_word(character)) {
      const bool is_lower = character >= 'a' && character <= 'z';
      text += is_first && is_lower ? static_cast<char>(character - 'a' + 'A') : character;
    }
    is_first = !is_word(character);
  }
  return text == "k" ? "kEntry" : text;
}

// The name of a namespace, for example `replicated_entity` for `ReplicatedEntityRegistry`.
std::string namespace_name(std::string_view class_name) {
  constexpr std::string_view kEnd = "Registry";
  if (class_name.ends_with(kEnd) && class_name.size() > kEnd.size()) {
    class_name.remove_suffix(kEnd.size());
  }
  std::string text;
  for (const char character : class_name) {
    const bool is_upper = character >= 'A' && character <= 'Z';
    if (is_upper && !text.empty() && text.back() != '_') text += '_';
    if (!is_word(character)) continue;
    text += is_upper ? static_cast<char>(character - 'A' + 'a') : character;
  }
  return "ids_" + text;
}

// A constant for a type id, with the name of an asset.
struct Constant {
  std::string name;
  std::uint32_t id = 0;
  std::string path;
  friend auto operator<=>(const Constant&, const Constant&) = default;
};

// The constants by class. A constant has the name of the entry's definition, or else of the asset
// to which the entry refers.
std::map<std::string, std::vector<Constant>> constants_of(const Project& project,
                                                          TargetSet targets) {
  std::map<std::string, std::vector<Constant>> constants;
  for (const Registry& registry : project.model().registries) {
    if (!registry.declaration->has_ids) continue;
    std::vector<Constant>& list = constants[registry.declaration->name];
    for (const RegistryEntry& entry : registry.entries) {
      AssetNumber asset = entry.definition;
      bool is_used = false;
      for (const EntryReference& reference : entry.references) {
        if ((reference.targets & targets).empty() && targets != TargetSet::both()) continue;
        is_used = true;
        if (asset == kNoAsset) asset = reference.asset;
      }
      if (!is_used || asset == kNoAsset) continue;
      const std::string& path = project.index().at(asset).path.text();
      list.push_back({constant_name(path), entry.type_id.value(), path});
    }
    std::ranges::sort(list);
    const auto is_same = [](const Constant& a, const Constant& b) {
      return a.name == b.name && a.id == b.id;
    };
    list.erase(std::unique(list.begin(), list.end(), is_same), list.end());
  }
  return constants;
}

}  // namespace

std::string listing_cpp(const Project& project, TargetSet targets) {
  std::string text =
      "// Type ids of the registries, written by 'muster list --format cpp'.\n"
      "#pragma once\n\n#include <muster/type_id.h>\n";
  for (const auto& [name, constants] : constants_of(project, targets)) {
    const std::string space = namespace_name(name);
    text += fmt::format("\n// {}\nnamespace {} {{\n", name, space);
    for (const Constant& constant : constants) {
      const bool is_shared = std::ranges::count(constants, constant.name, &Constant::name) > 1;
      text += fmt::format("inline constexpr muster::TypeId {}{}({});  // {}\n", constant.name,
                          is_shared ? fmt::format("_{}", constant.id) : "", constant.id,
                          escaped_text(constant.path));
    }
    text += fmt::format("}}  // namespace {}\n", space);
  }
  return text;
}

std::string listing_json(const Project& project, TargetSet targets) {
  Json registries = Json::array();
  for (const Registry& registry : project.model().registries) {
    const Asset& asset = project.index().at(registry.asset);
    Json entries = Json::array();
    for (const Row& row : rows_of(registry, targets)) {
      Json entry;
      entry["type_id"] = row.type_id.value();
      entry["guid"] = row.reference->guid.to_string();
      entry["path"] = path_json(project, row.reference->asset);
      if (!row.owner.is_null()) entry["owner"] = row.owner.to_string();
      entry["targets"] = targets_json(listed_targets(row, targets));
      entries.push_back(std::move(entry));
    }
    Json json;
    json["class"] = registry.declaration->name;
    json["path"] = asset.path.text();
    json["guid"] = asset.guid.to_string();
    json["entries"] = std::move(entries);
    registries.push_back(std::move(json));
  }
  Json assets;
  for (const auto& [name, target] :
       {std::pair("client", Target::client), std::pair("server", Target::server)}) {
    assets[name] = Json::array();
    if (!targets.has(target)) continue;
    for (const Guid& guid : project.model().assets_for(target)) {
      assets[name].push_back(guid.to_string());
    }
  }
  Json report;
  report["registries"] = std::move(registries);
  report["assets"] = std::move(assets);
  if (!project.model().problems.empty()) report["problems"] = problems_json(project);
  return json_text(report);
}

std::string listing_text(const Project& project, TargetSet targets) {
  std::string text;
  for (const Registry& registry : project.model().registries) {
    text += fmt::format("{}  {}\n", registry.declaration->name,
                        escaped_text(project.index().at(registry.asset).path.text()));
    for (const Row& row : rows_of(registry, targets)) {
      const AssetNumber asset = row.reference->asset;
      text += fmt::format("  {:>5}  {}  {:<13}  {}\n", row.type_id.value(),
                          row.reference->guid.to_string(), targets_text(row, targets),
                          asset == kNoAsset ? "(not in the project)"
                                            : escaped_text(project.index().at(asset).path.text()));
    }
  }
  if (project.model().registries.empty()) text += "no registries\n";
  for (const auto& [name, target] :
       {std::pair("client", Target::client), std::pair("server", Target::server)}) {
    if (!targets.has(target)) continue;
    text += fmt::format("{}: {} assets\n", name, project.model().assets_for(target).size());
  }
  return text;
}

}  // namespace muster
