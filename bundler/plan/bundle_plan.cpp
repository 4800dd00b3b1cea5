#include "bundler/plan/bundle_plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "bundler/plan/variant_plan.h"

namespace muster {
namespace {

using OwnerSet = std::vector<std::uint32_t>;  // indices of roots, sorted

class Planner {
 public:
  Planner(const Project& project, const PlanOptions& options,
          const std::vector<std::uint64_t>& size_of)
      : project_(project), options_(options), size_of_(size_of) {}

  BundlePlan run() {
    find_roots();
    for (const AssetNumber root : roots_) {
      PlannedBundle& bundle = plan_.bundles.emplace_back();
      bundle.prefab = root;
      bundle.owners = {root};
    }
    if (options_.layout == Layout::self_contained) {
      for (PlannedBundle& bundle : plan_.bundles) {
        bundle.assets =
            files_only(project_.graph().closure(std::span(&bundle.prefab, 1), project_.index()));
      }
      add_registry_bundle();
    } else {
      assign_owners();
      fill_bundles();
      connect();
    }
    count_duplicates();
    return std::move(plan_);
  }

 private:
  void find_roots() {
    for (const Guid& guid : project_.model().assets_for(options_.target)) {
      const AssetNumber asset = project_.index().find(guid);
      if (asset != kNoAsset) roots_.push_back(asset);
    }
    root_of_.assign(project_.index().assets().size(), false);
    for (const AssetNumber root : roots_) root_of_[root] = true;
    // The registries' own strong references: definitions, and factories of the older layouts.
    registries_ = project_.model().holders_for(options_.target);
  }

  std::vector<AssetNumber> files_only(std::vector<AssetNumber> assets) const {
    std::erase_if(assets, [&](AssetNumber asset) {
      return project_.index().at(asset).is_folder || is_script(project_.index().at(asset).path);
    });
    return assets;
  }

  // What `starts` reach without passing through a registered asset.
  std::vector<AssetNumber> own_closure(std::span<const AssetNumber> starts) const {
    return files_only(project_.graph().closure(starts, project_.index(),
                                               [&](AssetNumber asset) { return root_of_[asset]; }));
  }

  // The registries name their definitions whatever the layout. Registered assets that those refer
  // to stay in their own bundles, which hold all that lies behind them.
  void add_registry_bundle() {
    std::vector<AssetNumber> assets = own_closure(registries_);
    std::erase_if(assets, [&](AssetNumber asset) { return root_of_[asset]; });
    if (assets.empty()) return;
    const auto reached = project_.graph().closure(assets, project_.index());
    std::vector<std::size_t> needed;
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      if (std::ranges::binary_search(reached, roots_[i])) needed.push_back(i);
    }
    add_shared(std::move(assets), {});
    plan_.bundles.back().dependencies = std::move(needed);
  }

  void assign_owners() {
    for (std::uint32_t i = 0; i < roots_.size(); ++i) {
      for (const AssetNumber asset : own_closure(std::span(&roots_[i], 1))) {
        owners_[asset].push_back(i);
      }
    }
    const auto registry_owner = static_cast<std::uint32_t>(roots_.size());
    for (const AssetNumber asset : own_closure(registries_)) {
      if (!root_of_[asset]) owners_[asset].push_back(registry_owner);
    }
  }

  void fill_bundles() {
    std::map<OwnerSet, std::vector<AssetNumber>> groups;
    for (const auto& [asset, owners] : owners_) {
      if (owners.size() == 1 && owners.front() < roots_.size()) {
        plan_.bundles[owners.front()].assets.push_back(asset);
      } else {
        groups[owners].push_back(asset);
      }
    }
    std::vector<AssetNumber> small;
    std::set<std::uint32_t> small_owners;
    std::uint64_t small_bytes = 0;
    const auto flush = [&] {
      if (!small.empty()) add_shared(std::move(small), small_owners);
      small.clear();
      small_owners.clear();
      small_bytes = 0;
    };
    for (auto& [owners, assets] : groups) {
      std::uint64_t bytes = 0;
      for (const AssetNumber asset : assets) bytes += size_of_[asset];
      // What the registries need is always loaded; it is not mixed with what may not be.
      const bool for_registries = owners.back() >= roots_.size();
      if (bytes >= options_.merge_below_bytes || for_registries) {
        add_shared(std::move(assets), {owners.begin(), owners.end()});
        continue;
      }
      if (small_bytes + bytes > options_.merge_below_bytes) flush();
      small.insert(small.end(), assets.begin(), assets.end());
      small_owners.insert(owners.begin(), owners.end());
      small_bytes += bytes;
    }
    flush();
  }

  void add_shared(std::vector<AssetNumber> assets, const std::set<std::uint32_t>& owners) {
    PlannedBundle& bundle = plan_.bundles.emplace_back();
    std::ranges::sort(assets);
    bundle.assets = std::move(assets);
    for (const std::uint32_t owner : owners) {
      if (owner < roots_.size()) bundle.owners.push_back(roots_[owner]);
    }
    std::ranges::sort(bundle.owners);
  }

  // A bundle needs every bundle that holds anything its assets reach.
  void connect() {
    std::map<AssetNumber, std::size_t> home;
    for (std::size_t i = 0; i < plan_.bundles.size(); ++i) {
      for (const AssetNumber asset : plan_.bundles[i].assets) home.emplace(asset, i);
    }
    for (std::size_t i = 0; i < plan_.bundles.size(); ++i) {
      std::set<std::size_t> needed;
      for (const AssetNumber asset :
           project_.graph().closure(plan_.bundles[i].assets, project_.index())) {
        const auto found = home.find(asset);
        if (found != home.end() && found->second != i) needed.insert(found->second);
      }
      plan_.bundles[i].dependencies.assign(needed.begin(), needed.end());
    }
  }

  void count_duplicates() {
    std::uint64_t naive = 0;
    for (const AssetNumber root : roots_) {
      for (const AssetNumber asset :
           files_only(project_.graph().closure(std::span(&root, 1), project_.index()))) {
        naive += size_of_[asset];
      }
    }
    std::uint64_t planned = 0;
    for (const PlannedBundle& bundle : plan_.bundles) {
      const bool only_registries = bundle.owners.empty();
      for (const AssetNumber asset : bundle.assets)
        planned += only_registries ? 0 : size_of_[asset];
    }
    plan_.duplicate_bytes_avoided = naive > planned ? naive - planned : 0;
  }

  const Project& project_;
  const PlanOptions& options_;
  const std::vector<std::uint64_t>& size_of_;
  BundlePlan plan_;
  std::vector<AssetNumber> roots_;
  std::vector<bool> root_of_;
  std::vector<AssetNumber> registries_;
  std::map<AssetNumber, OwnerSet> owners_;
};

}  // namespace

BundlePlan plan_bundles(const Project& project, const PlanOptions& options,
                        const std::vector<std::uint64_t>& size_of) {
  BundlePlan plan = Planner(project, options, size_of).run();
  if (options.layout == Layout::shared) separate_variants(project, options.target, plan);
  return plan;
}

}  // namespace muster
