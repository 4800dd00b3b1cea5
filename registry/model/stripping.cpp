// First finds all assets of a build without rules, and reads the prefabs among them. Then removes
// three kinds of references from the graph: references to assets that a rule names, references that
// only stripped components have, and references that only unused overrides have. All assets that
// are still reachable are built. For example, if a material and a script refer to the same asset,
// the asset stays when the material is stripped.
#include "registry/model/stripping.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "registry/base/parallel.h"
#include "registry/model/asset_fact_cache.h"
#include "registry/model/stripped_parts.h"
#include "registry/project/asset_kinds.h"

namespace muster {
namespace {

constexpr std::string_view kTextAsset = "data";  // The kind of `.asset` and plain files.

// The class of the main object: `class_of_asset`, or the engine's type if that is empty.
std::string class_in(const Project& project, AssetNumber asset) {
  std::string name = class_of_asset(project, asset);
  if (!name.empty()) return name;
  const SourceFile& source = project.sources().get(asset);
  return source.good() ? std::string(source.type_name_of(source.document_of(0))) : std::string();
}

// The owner of the class of the main object. The class of a plain file belongs to the project.
ClassOwner owner_in(const Project& project, AssetNumber asset) {
  const SourceFile& source = project.sources().get(asset);
  const bool is_unitys = source.good() && source.dialect == yaml::Dialect::unity;
  return is_unitys ? owner_of_class(source, source.document_of(0)) : ClassOwner::project;
}

// Whether the rules keep an asset or any of its variants. If so, the asset and all its variants are
// kept. A variant also counts if a choice of variants has removed it from the project.
bool is_kept(const Project& project, const StripRules& rules, AssetNumber asset) {
  return project.variants().any_path(
      project.index(), asset, [&](const AssetPath& path) { return rules.keeps_path(path.text()); });
}

AssetNumber base_of(const Project& project, AssetNumber asset) {
  const VariantFile* const variant = project.variants().find(asset);
  return variant == nullptr ? asset : variant->base;
}

bool may_have_components(const Project& project, AssetNumber asset) {
  const Asset& one = project.index().at(asset);
  if (one.is_folder) return false;
  return has_extension(one.path, "prefab") || has_extension(one.path, "unity") ||
         project.sources().plain_class(asset) == "Prefab";
}

std::string rule_for(const Project& project, const StripRules& rules, AssetNumber asset) {
  const Asset& one = project.index().at(asset);
  if (one.is_folder || is_script(one.path)) return {};
  const std::string extension = "." + lower_ascii(one.path.extension());
  if (rules.strips_kind(extension)) return "kind " + extension;
  const std::string_view kind = kind_of_asset(project, asset);
  if (rules.strips_kind(kind)) return "kind " + std::string(kind);
  if (!rules.has_classes() || kind_of(one.path.text()) != kTextAsset) return {};
  const std::string class_name = class_in(project, asset);
  const bool is_stripped = rules.strips_class(class_name, owner_in(project, asset));
  return is_stripped ? "class " + class_name : std::string();
}

// Adds the guids of the other assets that were read to `read_guids`.
void find_parts(const Project& project, const StripRules& rules, AssetNumber asset,
                StrippedFile& file, std::vector<Guid>& read_guids) {
  if (!rules.has_classes() || !may_have_components(project, asset)) return;
  const SourceFile& source = project.sources().get(asset);
  const std::vector<StrippedPart> parts = stripped_parts(source, project.scripts(), rules);
  for (const StrippedPart& part : parts) {
    StrippedComponents& components = file.components[part.class_name];
    ++components.count;
    components.source_bytes += part.source_bytes;
  }
  file.counts = mentions_of(source, parts, project.scripts(), rules, [&](const Guid& guid) {
    read_guids.push_back(guid);
    const AssetNumber inner = project.index().find(guid);
    const bool is_readable =
        inner != kNoAsset && has_extension(project.index().at(inner).path, "prefab");
    return is_readable ? &project.sources().get(inner) : nullptr;
  });
}

// Counts the mentions of overrides without effect. Skips overrides of objects in other prefabs,
// because the graph does not contain them.
void count_unused_overrides(const Project& project, AssetNumber asset, StrippedFile& file,
                            std::vector<Guid>& read_guids) {
  const AssetPath& path = project.index().at(asset).path;
  if (project.index().at(asset).is_folder || !has_extension(path, "prefab")) return;
  const SourcePrefab& prefab = project.prefabs().flatten(asset);
  std::ranges::copy(prefab.sources, std::back_inserter(read_guids));
  for (const UnusedOverride& unused : prefab.unused_overrides) {
    if (unused.reason == UnusedOverride::Reason::other_source) continue;
    if (!unused.object.is_null()) ++file.counts[{unused.object, yaml::MentionKind::strong}];
  }
}

// Returns the facts of the project's fact cache if they exist; otherwise reads the file.
StrippedFile stripped_file(const Project& project, Target target, AssetNumber asset) {
  AssetFactCache* const fact_cache = project.fact_cache();
  const AssetFacts* const known = fact_cache == nullptr ? nullptr : fact_cache->find(asset);
  if (known != nullptr && known->stripped[target_index(target)]) {
    return *known->stripped[target_index(target)];
  }
  const StripRules& rules = project.config().strip[target_index(target)];
  StrippedFile file;
  const bool is_prefab_file = has_extension(project.index().at(asset).path, "prefab");
  if (rules.empty() && !is_prefab_file) return file;
  std::vector<Guid> read_guids;
  find_parts(project, rules, asset, file, read_guids);
  count_unused_overrides(project, asset, file, read_guids);
  if (!rules.empty()) file.rule = rule_for(project, rules, base_of(project, asset));
  // A rule for the base also applies to its variants.
  const Asset& one = project.index().at(asset);
  const bool is_own = base_of(project, asset) == asset;
  if (fact_cache != nullptr && is_own && !one.is_folder && holds_references(one.path)) {
    fact_cache->note_stripped(project, asset, target, file, read_guids);
  }
  return file;
}

bool is_dead(const ReferenceEdge& edge, const MentionCounts& counts) {
  if (edge.in_meta || !edge.is_strong()) return false;
  const auto found = counts.find({edge.guid, edge.kind});
  return found != counts.end() && found->second >= edge.times;
}

void sort_assets(std::vector<AssetNumber>& assets) {
  std::ranges::sort(assets);
  assets.erase(std::unique(assets.begin(), assets.end()), assets.end());
}

}  // namespace

Stripping::Stripping(const Project& project, Target target, unsigned jobs)
    : whole_(project.graph()) {
  starts_ = project.model().holders_for(target);
  for (const Guid& guid : project.model().assets_for(target)) {
    const AssetNumber asset = project.index().find(guid);
    if (asset != kNoAsset) starts_.push_back(asset);
  }
  sort_assets(starts_);
  protect(project, target);
  apply(project, target, jobs);
}

// Protects the assets that registries name, because their type ids must refer to content.
void Stripping::protect(const Project& project, Target target) {
  protected_ = starts_;
  for (const Registry& registry : project.model().registries) {
    if (!registry.targets.has(target)) continue;
    for (const RegistryEntry& entry : registry.entries) {
      if (entry.definition != kNoAsset) protected_.push_back(entry.definition);
    }
    if (!registry.declaration->is_packed) continue;
    for (const ReferenceEdge& edge : whole_.from(registry.asset)) {
      if (edge.is_strong() && edge.to != kNoAsset) protected_.push_back(edge.to);
    }
  }
  for (std::size_t i = protected_.size(); i-- > 0;) {
    for (const VariantFile& file : project.variants().of(protected_[i])) {
      protected_.push_back(file.file);
    }
  }
  sort_assets(protected_);
}

void Stripping::apply(const Project& project, Target target, unsigned jobs) {
  const StripRules& rules = project.config().strip[target_index(target)];
  const std::vector<AssetNumber> all = whole_.closure(starts_, project.index());
  std::vector<StrippedFile> files(all.size());
  parallel_for(all.size(), jobs, {},
               [&](std::size_t i, unsigned) { files[i] = stripped_file(project, target, all[i]); });
  std::vector<bool> is_stripped(project.index().assets().size(), false);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& rule = files[i].rule;
    if (rule.empty()) continue;
    if (is_kept(project, rules, all[i])) {
      kept_.push_back({all[i], rule});
    } else if (std::ranges::binary_search(protected_, all[i])) {
      named_.push_back({all[i], rule});
    } else {
      is_stripped[all[i]] = true;
    }
  }
  const auto counts_of = [&](AssetNumber asset) -> const MentionCounts* {
    const auto found = std::ranges::lower_bound(all, asset);
    if (found == all.end() || *found != asset) return nullptr;
    return &files[static_cast<std::size_t>(found - all.begin())].counts;
  };
  std::vector<ReferenceEdge> edges;
  edges.reserve(whole_.edges().size());
  const MentionCounts* counts = nullptr;
  AssetNumber from = kNoAsset;
  for (const ReferenceEdge& edge : whole_.edges()) {
    if (edge.from != from) counts = counts_of(edge.from);
    from = edge.from;
    if (counts != nullptr && is_dead(edge, *counts)) {
      is_whole_ = false;
      continue;
    }
    if (edge.is_strong() && edge.to != kNoAsset && is_stripped[edge.to]) {
      unkept_.push_back(edge);
      is_whole_ = false;
      continue;
    }
    edges.push_back(edge);
  }
  if (!is_whole_) graph_ = ReferenceGraph(std::move(edges), {}, project.index().assets().size());
  built_ = graph().closure(starts_, project.index());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::ranges::binary_search(built_, all[i])) {
      for (const auto& [class_name, found] : files[i].components) {
        StrippedComponents& components = components_[class_name];
        components.count += found.count;
        components.source_bytes += found.source_bytes;
      }
    } else if (!project.index().at(all[i]).is_folder) {
      assets_.push_back({all[i], is_stripped[all[i]] ? files[i].rule : std::string()});
    }
  }
  const auto is_left_out = [&](const StrippedAsset& one) { return find(one.asset) != nullptr; };
  std::erase_if(kept_, is_left_out);
}

const StrippedAsset* Stripping::find(AssetNumber asset) const {
  const auto found = std::ranges::lower_bound(assets_, asset, {}, &StrippedAsset::asset);
  return found != assets_.end() && found->asset == asset ? &*found : nullptr;
}

std::span<const ReferenceEdge> Stripping::unkept_from(AssetNumber asset) const {
  const auto first = std::ranges::lower_bound(unkept_, asset, {}, &ReferenceEdge::from);
  const auto last = std::ranges::upper_bound(unkept_, asset, {}, &ReferenceEdge::from);
  return {first, last};
}

std::string_view kind_of_asset(const Project& project, AssetNumber asset) {
  const std::string_view kind = kind_of(project.index().at(asset).path.text());
  if (kind != kTextAsset || !holds_references(project.index().at(asset).path)) return kind;
  // A script's class may have the name of an engine class.
  const SourceFile& source = project.sources().get(asset);
  const bool is_engines = source.good() && source.dialect != yaml::Dialect::plain;
  const std::string name = is_engines ? std::string(source.type_name_of(source.document_of(0)))
                                      : class_in(project, asset);
  const std::string_view known = kind_of_class(name);
  return known.empty() ? kind : known;
}

}  // namespace muster
