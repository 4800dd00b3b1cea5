// Checks that each variant has a base, and that the base can have variants.
#include <map>
#include <set>
#include <utility>

#include "registry/rules/packing.h"
#include "registry/rules/validate.h"

namespace muster {
namespace {

class VariantCheck {
 public:
  VariantCheck(const Project& project, const std::set<AssetNumber>& built, Findings& findings)
      : project_(project), built_(built), findings_(findings) {}

  void run() {
    for (const VariantProblem& problem : project_.variants().problems()) add(problem);
    if (project_.variants().files().empty()) return;
    for (const VariantFile& file : project_.variants().files()) {
      if (built_.contains(file.file)) check_kind(file);
    }
    check_registries();
    check_mentions();
    check_flattened();
  }

 private:
  std::string quoted(AssetNumber asset) const {
    return "'" + project_.index().at(asset).path.text() + "'";
  }
  Finding& add(std::string_view rule, const AssetPath& path, std::string message) {
    Finding& finding = findings_.add(rule, {path, {}}, std::move(message));
    finding.blocks_build = finding.severity == Severity::error;
    return finding;
  }
  Finding& add(std::string_view rule, AssetNumber asset, std::string message) {
    return add(rule, project_.index().at(asset).path, std::move(message));
  }

  void add(const VariantProblem& problem) {
    using Kind = VariantProblem::Kind;
    const std::string other = "'" + problem.other.text() + "'";
    const std::string named = "this is named like a variant";
    switch (problem.kind) {
      case Kind::unknown_key:
        add("variant-unknown-key", problem.path, named + ", but " + problem.detail);
        break;
      case Kind::unknown_word:
        add("variant-unknown-word", problem.path,
            "this is named like a variant of " + other + ", but " + problem.detail);
        break;
      case Kind::no_base:
        add("variant-without-base", problem.path,
            named + ", but there is no '" + problem.detail + "'");
        break;
      case Kind::other_kind:
        add("variant-other-kind", problem.path,
            named + " of '" + problem.detail + "', but there is only " + other);
        break;
      case Kind::repeated:
        add("variant-repeated", problem.path, "this variant has the same values as " + other)
            .related.push_back({{problem.other, {}}, "the other variant"});
        break;
      case Kind::cannot_vary:
        add("variant-impossible", problem.path, named + ", but is " + problem.detail);
        break;
    }
  }

  // Reports a variant with another form or class than its base, because a game requests the same
  // parts of both.
  void check_kind(const VariantFile& file) {
    const Packing base = packing_but_sidecar(project_, file.base);
    const Packing variant = packing_but_sidecar(project_, file.file);
    if (base.fault || variant.fault) return;  // Another rule reports the fault.
    const bool base_is_prefab = base.is_text && is_prefab(project_.sources(), file.base);
    const bool variant_is_prefab = variant.is_text && is_prefab(project_.sources(), file.file);
    const bool is_same_form =
        base.is_text == variant.is_text && base_is_prefab == variant_is_prefab;
    const std::string base_class = base.is_text ? class_of_asset(project_, file.base) : "";
    const std::string own_class = variant.is_text ? class_of_asset(project_, file.file) : "";
    if (is_same_form && base_class == own_class) return;
    std::string message = "this is another kind of asset than " + quoted(file.base);
    if (base_class != own_class) {
      message += ": " + (own_class.empty() ? "it has no class" : "its class is " + own_class) +
                 ", not " + (base_class.empty() ? "none" : base_class);
    }
    add("variant-other-kind", file.file, std::move(message));
  }

  void check_registries() {
    std::map<AssetNumber, std::string> holders;
    for (const Registry& registry : project_.model().registries) {
      holders.emplace(registry.asset, registry.declaration->name);
    }
    for (const RegistryRoot& root : project_.model().roots) holders.emplace(root.asset, kRootClass);
    for (const VariantFile& file : project_.variants().files()) {
      const auto found = holders.find(file.base);
      if (found == holders.end()) continue;
      add("variant-impossible", file.file,
          quoted(file.base) + " is a " + found->second +
              ", and type ids must be the same in all builds");
    }
  }

  // Reports references to variants, because a build does not contain the guid of a variant.
  void check_mentions() {
    std::set<std::pair<AssetNumber, AssetNumber>> reported;
    for (const ReferenceEdge& edge : project_.graph().edges()) {
      if (edge.to == kNoAsset || edge.is_variant || edge.from == edge.to) continue;
      const VariantFile* variant = project_.variants().find(edge.to);
      if (variant == nullptr || !built_.contains(edge.from)) continue;
      if (!reported.emplace(edge.from, edge.to).second) continue;
      add("variant-referenced", edge.from,
          "this refers to " + quoted(edge.to) + ", which is a variant; refer to " +
              quoted(variant->base));
    }
  }

  // Reports nested prefabs with runtime variants. The build merges a nested prefab into the outer
  // prefab, so the game cannot choose a variant.
  void check_flattened() {
    std::set<AssetNumber> open;
    for (const VariantFile& file : project_.variants().files()) {
      for (const VariantKey& key : file.keys) {
        if (!project_.config().axes[key.axis].is_chosen_at_build) open.insert(file.base);
      }
    }
    for (const AssetNumber asset : open.empty() ? std::set<AssetNumber>() : built_) {
      if (!is_prefab(project_.sources(), asset)) continue;
      for (const Guid& guid : project_.prefabs().flatten(asset).sources) {
        const AssetNumber nested = project_.index().find(guid);
        if (nested == asset || !open.contains(nested)) continue;
        const VariantFile* own = project_.variants().find(asset);
        // This prefab is a variant of `nested`, so the prefab has `nested` as its base.
        if (own != nullptr && own->base == nested) continue;
        add("variant-flattened", asset,
            "this contains " + quoted(nested) +
                ", whose variants the game chooses: here it does not vary");
      }
    }
  }

  const Project& project_;
  const std::set<AssetNumber>& built_;
  Findings& findings_;
};

}  // namespace

void check_variants(const Project& project, const std::set<AssetNumber>& built,
                    Findings& findings) {
  VariantCheck(project, built, findings).run();
}

}  // namespace muster
