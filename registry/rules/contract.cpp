#include "registry/rules/contract.h"

#include "registry/model/project.h"

namespace muster {

Contract contract_of(const Project& project, TargetSet targets) {
  Contract contract;
  contract.covered = targets;
  using Key = std::tuple<std::string, TypeId, Guid>;
  std::map<Key, ContractRow> rows;
  for (const ClassDeclaration& declaration : project.model().classes) {
    if (!declaration.has_ids && !declaration.ready_made.empty()) {
      contract.unnumbered.insert(declaration.name);
    }
  }
  for (const Registry& registry : project.model().registries) {
    const std::string& name = registry.declaration->name;
    if ((registry.targets & targets).empty() || !registry.declaration->has_ids) continue;
    contract.registries.try_emplace(name, Location{project.index().at(registry.asset).path, {}});
    for (const RegistryEntry& entry : registry.entries) {
      if (entry.is_free) continue;
      for (const EntryReference& reference : entry.references) {
        const TargetSet sides = reference.targets & targets;
        if (reference.guid.is_null() || sides.empty()) continue;
        ContractRow& row = rows[{name, entry.type_id, reference.guid}];
        if (row.guid.is_null()) {
          row = {name, entry.type_id, reference.guid, {}, {}, entry.location};
          if (reference.asset != kNoAsset)
            row.path = project.index().at(reference.asset).path.text();
        }
        row.targets = row.targets | sides;
      }
    }
  }
  for (auto& [key, row] : rows) contract.rows.push_back(std::move(row));
  if (auto components = load_components(project.files(), project.config())) {
    contract.components = std::move(components).value();
  }
  if (const auto& path = project.config().components) {
    constexpr std::uint64_t kMaxBytes = 64ULL * 1024 * 1024;
    ByteVector buffer;
    const auto bytes = read_whole(project.files(), *path, kMaxBytes, buffer);
    if (bytes) contract.components_text = as_text(bytes.value());
    contract.components_path = *path;
  }
  return contract;
}

bool is_breaking_rule(std::string_view rule) { return rule.starts_with("breaking-"); }

}  // namespace muster
