#include "bundler/build/catalog_fill.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "registry/components/effect_pool.h"
#include "registry/model/presentation_key.h"
#include "registry/model/stripping.h"
#include "registry/model/type_ids.h"

namespace muster {
namespace {

class CatalogFiller {
 public:
  CatalogFiller(const Project& project, const TargetBuild& build,
                const std::vector<ComponentDescription>& components)
      : project_(project), build_(build) {
    data_.target = build.target;
    data_.agreement = agreement_of(project, components);
    data_.components = components;
    data_.dictionaries = build.dictionaries;
  }

  Result<CatalogData> run() {
    add_bundles();
    add_variants();
    for (const Registry& registry : project_.model().registries) {
      if (registry.targets.has(build_.target)) add_registry(registry);
    }
    if (failure_) return fail(*failure_);
    return std::move(data_);
  }

 private:
  void add_bundles() {
    std::map<AssetNumber, BundleName> home;
    std::vector<AssetNumber> variants;
    for (const BuiltBundle& built : build_.bundles) {
      const PlannedBundle& planned = build_.plan.bundles[built.planned];
      BundleData bundle;
      bundle.name = built.name;
      bundle.hash = built.hash;
      bundle.file_bytes = built.file_bytes;
      for (const std::size_t needed : planned.dependencies) {
        bundle.dependencies.push_back(build_.bundles[needed].name);
      }
      data_.bundles.push_back(std::move(bundle));
      if (!planned.keys.empty()) {  // The bundle of a variant has the guid of its base.
        variants.insert(variants.end(), planned.assets.begin(), planned.assets.end());
        continue;
      }
      // In a self-contained build, an asset can be in many bundles. If the asset has its own
      // bundle, that bundle is used.
      for (const AssetNumber asset : planned.assets) home.try_emplace(asset, built.name);
      if (planned.prefab != kNoAsset) home[planned.prefab] = built.name;
    }
    for (const auto& [asset, bundle] : home) {
      const Asset& entry = project_.index().at(asset);
      data_.assets.push_back({entry.guid, entry.path.text(), bundle});
      known_.insert(entry.guid);
    }
    std::set<AssetNumber> named;
    const auto add_named = [&](AssetNumber asset) {
      for (const AssetNumber other : named_by(asset)) {
        if (!home.contains(other)) named.insert(other);
      }
    };
    for (const auto& [asset, bundle] : home) add_named(asset);
    std::ranges::for_each(variants, add_named);
    for (const AssetNumber asset : named) {
      const Asset& entry = project_.index().at(asset);
      data_.assets.push_back({entry.guid, entry.path.text(), std::nullopt});
    }
  }

  // The assets that the target leaves out although a packed part of `asset` refers to them. Edges
  // of the graph from an asset to its variants are not references.
  std::vector<AssetNumber> named_by(AssetNumber asset) const {
    const Stripping& stripping = project_.stripping(build_.target);
    std::vector<AssetNumber> named;
    for (const ReferenceEdge& edge : stripping.unkept_from(asset)) {
      if (!edge.is_variant) named.push_back(edge.to);
    }
    return named;
  }

  // Adds the axes that the game chooses, with all their values, and the axes that the build has
  // chosen, with one value.
  void add_variants() {
    const std::vector<VariantAxis>& axes = project_.config().axes;
    std::map<VariantKey, std::uint32_t> numbers;
    for (std::uint16_t axis = 0; axis < axes.size(); ++axis) {
      const auto chosen = std::ranges::find(project_.choice(), axis, &VariantKey::axis);
      const bool is_built_in = chosen != project_.choice().end();
      if (!is_built_in && axes[axis].is_chosen_at_build) continue;
      for (std::uint16_t value = 0; value < axes[axis].values.size(); ++value) {
        if (is_built_in && value != chosen->value) continue;
        numbers.emplace(VariantKey{axis, value},
                        static_cast<std::uint32_t>(data_.variant_values.size()));
        data_.variant_values.push_back({.axis = axes[axis].name,
                                        .value = axes[axis].values[value],
                                        .is_default = axes[axis].default_value == value,
                                        .is_built_in = is_built_in});
      }
    }
    for (const BuiltBundle& built : build_.bundles) {
      const PlannedBundle& planned = build_.plan.bundles[built.planned];
      if (planned.keys.empty()) continue;
      AlternativeData row;
      row.bundle = build_.bundles[planned.base].name;
      row.alternative = built.name;
      for (const VariantKey& key : planned.keys) row.keys.push_back(numbers.at(key));
      data_.alternatives.push_back(std::move(row));
    }
  }

  void add_registry(const Registry& registry) {
    const Asset& asset = project_.index().at(registry.asset);
    RegistryData row;
    row.class_name = registry.declaration->name;
    row.guid = asset.guid;
    row.path = asset.path.text();
    std::set<std::pair<TypeId, Guid>> seen;
    for (const RegistryEntry& entry : registry.entries) {
      for (const EntryReference& reference : entry.references) {
        // Skips references for the other target, and references to missing assets.
        if (!reference.targets.has(build_.target) || !known_.contains(reference.guid)) continue;
        if (!seen.emplace(entry.type_id, reference.guid).second) continue;
        row.entries.push_back({.type_id = entry.type_id,
                               .guid = reference.guid,
                               .owner = entry.owner == reference.guid ? Guid() : entry.owner,
                               .role = reference.field,
                               .targets = reference.targets,
                               .is_factory = reference.role == ReferenceRule::Role::factory});
        add_tables(*registry.declaration, entry, reference);
      }
    }
    data_.registries.push_back(std::move(row));
  }

  void add_tables(const ClassDeclaration& declaration, const RegistryEntry& entry,
                  const EntryReference& reference) {
    if (declaration.name == kPresentationClass) {
      PresentationData row;
      row.key.owner = entry.owner;
      row.presentation = reference.guid;
      row.key.platforms =
          static_cast<std::uint16_t>(number_at(declaration, entry, "platformFlags"));
      row.key.type = PresentationType{number_at(declaration, entry, "type")};
      row.key.variation = static_cast<std::uint16_t>(number_at(declaration, entry, "variation"));
      data_.presentations.push_back(row);
    }
    const bool spatial = declaration.name == "SpatialEffectRegistry";
    if (!spatial && declaration.name != "HitscanEffectRegistry") return;
    const std::int64_t pool = entry.pool_size.value_or(kDefaultEffectPool);
    if (pool < 1 || pool > kMaxEffectPool) {
      return refuse(ErrorCode::malformed, entry, "its pool size is " + std::to_string(pool));
    }
    add_effect({spatial ? EffectKind::spatial : EffectKind::hitscan, entry.type_id,
                static_cast<std::uint32_t>(pool), reference.guid},
               entry);
  }

  void add_effect(const EffectData& row, const RegistryEntry& entry) {
    const auto [known, fresh] = effects_.try_emplace({row.kind, row.type_id}, row);
    if (fresh) {
      data_.effects.push_back(row);
    } else if (known->second.prefab != row.prefab || known->second.pool_size != row.pool_size) {
      refuse(ErrorCode::already_exists, entry,
             "type id " + std::to_string(row.type_id.value()) +
                 " has another prefab or pool size in another registry");
    }
  }

  std::uint32_t number_at(const ClassDeclaration& declaration, const RegistryEntry& entry,
                          std::string_view key) {
    for (std::size_t i = 0; i < declaration.key_paths.size(); ++i) {
      if (declaration.key_paths[i] != key) continue;
      const auto value = key_number(key, entry.key[i]);
      if (value) return *value;
      refuse(ErrorCode::malformed, entry, std::string(key) + " is '" + entry.key[i] + "'");
    }
    return 0;
  }

  // Stores an error, unless an earlier error is already stored.
  void refuse(ErrorCode code, const RegistryEntry& entry, const std::string& what) {
    if (failure_) return;
    failure_ = Error{code, entry.location.path.text() + ":" +
                               std::to_string(entry.location.position.line) + ": " + what +
                               "; see 'muster validate'"};
  }

  const Project& project_;
  const TargetBuild& build_;
  CatalogData data_;
  std::set<Guid> known_;
  std::map<std::pair<EffectKind, TypeId>, EffectData> effects_;
  std::optional<Error> failure_;
};

}  // namespace

Result<CatalogData> fill_catalog(const Project& project, const TargetBuild& build,
                                 const std::vector<ComponentDescription>& components) {
  return CatalogFiller(project, build, components).run();
}

ContentHash agreement_of(const Project& project,
                         const std::vector<ComponentDescription>& components) {
  // The rows are sorted, so that the order of files and of components has no effect.
  std::set<std::string> rows;
  for (const Registry& registry : project.model().registries) {
    for (const RegistryEntry& entry : registry.entries) {
      if (entry.is_free) continue;
      // If client and server have different registries of a class, the same id names different
      // prefabs.
      const bool both = registry.targets == TargetSet::both();
      rows.insert(registry.declaration->name + " " + std::to_string(entry.type_id.value()) + " " +
                  (both ? identity_of(entry).to_string() : ""));
    }
  }
  for (const ComponentDescription& component : components) {
    rows.insert("component " + component.name + " " + component.hash().to_string());
  }
  ContentHasher hasher;
  for (const std::string& row : rows) hasher.update_text(row);
  return hasher.finish();
}

}  // namespace muster
