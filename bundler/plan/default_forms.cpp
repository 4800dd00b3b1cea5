// Makes the same choice as `BundleChoice` of the runtime, but for assets instead of bundles,
// because no catalog exists yet.
#include "bundler/plan/default_forms.h"

#include <algorithm>
#include <numeric>

#include "registry/model/open_variants.h"
#include "registry/model/stripping.h"

namespace muster {
namespace {

VariantKeys default_keys(const Project& project) {
  const std::vector<VariantAxis>& axes = project.config().axes;
  VariantKeys keys;
  for (std::uint16_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis].default_value) keys.push_back({axis, *axes[axis].default_value});
  }
  return keys;
}

// The bundles that are open after a request for the bundle of a prefab, including the bundles of
// chosen variants.
std::vector<std::size_t> opened_with(const BundlePlan& plan, std::size_t bundle,
                                     const std::vector<std::size_t>& chosen) {
  std::vector<bool> is_open(plan.bundles.size(), false);
  std::vector<std::size_t> opened;
  const auto open = [&](std::size_t one) {
    if (is_open[chosen[one]]) return;
    is_open[chosen[one]] = true;
    opened.push_back(chosen[one]);
  };
  open(bundle);
  for (std::size_t i = 0; i < opened.size(); ++i) {
    const PlannedBundle& now = plan.bundles[opened[i]];
    // The dependencies of the first bundle list all bundles that it needs, except bundles that only
    // a bundle with variants needs.
    if (i > 0 && now.varied == kNoAsset) continue;
    for (const std::size_t needed : now.dependencies) open(needed);
  }
  return opened;
}

}  // namespace

DefaultForms::DefaultForms(const Project& project, Target target)
    : project_(project), graph_(project.stripping(target).graph()) {
  if (project.variants().files().empty()) return;
  const std::span<const AssetNumber> built = project.stripping(target).built();
  const VariantKeys keys = default_keys(project);
  std::map<AssetNumber, const VariantFile*> best;
  for (const VariantFile& file : project.variants().files()) {
    if (!std::ranges::binary_search(built, file.base)) continue;
    varies_ = true;
    if (!std::ranges::binary_search(built, file.file)) continue;
    if (!is_open(project, file) || !fits(file.keys, keys)) continue;
    const auto [it, is_first] = best.try_emplace(file.base, &file);
    if (!is_first && is_preferred(file.keys, it->second->keys)) it->second = &file;
  }
  for (const auto& [base, file] : best) variants_.emplace(base, file->file);
}

AssetNumber DefaultForms::of(AssetNumber asset) const {
  const auto found = variants_.find(asset);
  return found == variants_.end() ? asset : found->second;
}

std::vector<AssetNumber> DefaultForms::closure(AssetNumber root) const {
  std::vector<bool> seen(project_.index().assets().size(), false);
  std::vector<AssetNumber> found{of(root)};
  seen[found.front()] = true;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (is_script(project_.index().at(found[i]).path)) continue;
    for (const ReferenceEdge& edge : graph_.from(found[i])) {
      if (!edge.is_strong() || edge.is_variant || edge.to == kNoAsset) continue;
      const AssetNumber next = of(edge.to);
      if (is_script(project_.index().at(next).path) || seen[next]) continue;
      seen[next] = true;
      found.push_back(next);
    }
  }
  std::ranges::sort(found);
  return found;
}

void measure_loads(const DefaultForms& forms, std::span<const std::uint64_t> size_of,
                   BundlePlan& plan) {
  std::vector<std::size_t> chosen(plan.bundles.size());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  std::vector<std::uint64_t> bytes;
  for (std::size_t i = 0; i < plan.bundles.size(); ++i) {
    const PlannedBundle& bundle = plan.bundles[i];
    std::uint64_t& sum = bytes.emplace_back();
    for (const AssetNumber asset : bundle.assets) sum += size_of[asset];
    if (!bundle.keys.empty() && forms.of(bundle.varied) == bundle.assets.front()) {
      chosen[bundle.base] = i;
    }
  }
  for (std::size_t i = 0; i < plan.bundles.size(); ++i) {
    PlannedBundle& bundle = plan.bundles[i];
    if (bundle.prefab == kNoAsset) continue;
    const std::vector<std::size_t> opened = opened_with(plan, i, chosen);
    std::uint64_t loaded = 0;
    for (const std::size_t one : opened) loaded += bytes[one];
    bundle.file_count = opened.size();
    bundle.vain_bytes = loaded - std::min(bundle.needed_bytes, loaded);
  }
}

}  // namespace muster
