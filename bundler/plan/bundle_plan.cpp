#include "bundler/plan/bundle_plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "bundler/plan/default_forms.h"
#include "bundler/plan/variant_plan.h"
#include "registry/base/parallel.h"
#include "registry/model/stripping.h"
#include "registry/rules/validate.h"

namespace muster {
namespace {

using OwnerSet = std::vector<std::uint32_t>;  // Indices of roots, sorted.

class Planner {
 public:
  Planner(const Project& project, const PlanOptions& options,
          const std::vector<std::uint64_t>& size_of)
      : project_(project),
        graph_(project.stripping(options.target).graph()),
        options_(options),
        size_of_(size_of),
        forms_(project, options.target) {}

  BundlePlan run() {
    find_roots();
    for (const AssetNumber root : roots_) {
      PlannedBundle& bundle = plan_.bundles.emplace_back();
      bundle.prefab = root;
      bundle.owners = {root};
      closures_.push_back(files_only(graph_.closure(std::span(&root, 1), project_.index())));
      if (!forms_.are_trivial()) by_default_.push_back(files_only(forms_.closure(root)));
      bundle.needed_bytes = bytes_of(reached_by_default(closures_.size() - 1));
      plan_.self_contained_bytes += bytes_of(closures_.back());
    }
    if (options_.layout == Layout::self_contained) {
      for (std::size_t i = 0; i < roots_.size(); ++i) plan_.bundles[i].assets = closures_[i];
      add_registry_bundle();
    } else {
      assign_owners();
      fill_bundles();
      connect();
    }
    count_duplicates();
    if (options_.layout == Layout::shared) {
      separate_variants(project_, options_.target, plan_);
      measure_loads(forms_, size_of_, plan_);
    }
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
    // The strong references of the registries themselves: definitions, and factories of older
    // layouts.
    registries_ = project_.model().holders_for(options_.target);
  }

  std::vector<AssetNumber> files_only(std::vector<AssetNumber> assets) const {
    std::erase_if(assets, [&](AssetNumber asset) {
      return project_.index().at(asset).is_folder || is_script(project_.index().at(asset).path);
    });
    return assets;
  }

  // The assets that references from `starts` reach, without following the references of registered
  // assets.
  std::vector<AssetNumber> own_closure(std::span<const AssetNumber> starts) const {
    return files_only(graph_.closure(starts, project_.index(),
                                     [&](AssetNumber asset) { return root_of_[asset]; }));
  }

  // The assets that a root loads if the game makes no choice of variants.
  const std::vector<AssetNumber>& reached_by_default(std::size_t root) const {
    return forms_.are_trivial() ? closures_[root] : by_default_[root];
  }

  // Adds the bundle of the assets that the registries themselves need, in every layout. Registered
  // assets to which these assets refer stay in their own bundles.
  void add_registry_bundle() {
    std::vector<AssetNumber> assets = own_closure(registries_);
    std::erase_if(assets, [&](AssetNumber asset) { return root_of_[asset]; });
    if (assets.empty()) return;
    const auto reached = graph_.closure(assets, project_.index());
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
    std::map<OwnerSet, std::vector<AssetNumber>> by_owners;
    for (const auto& [asset, owners] : owners_) {
      if (owners.size() == 1 && owners.front() < roots_.size()) {
        plan_.bundles[owners.front()].assets.push_back(asset);
      } else {
        by_owners[owners].push_back(asset);
      }
    }
    std::vector<SharedGroup> groups;
    std::vector<std::uint32_t> group_of(project_.index().assets().size(), kNoGroup);
    for (const auto& [owners, assets] : by_owners) {
      SharedGroup group;
      group.key = project_.index().at(assets.front()).guid;
      for (const AssetNumber asset : assets) {
        group_of[asset] = static_cast<std::uint32_t>(groups.size());
        group.bytes += size_of_[asset];
        group.key = std::min(group.key, project_.index().at(asset).guid);
      }
      group.is_always_open = owners.back() >= roots_.size();
      groups.push_back(std::move(group));
    }
    plan_.shared_groups = groups.size();
    const std::vector<GroupUser> users = find_users(group_of, groups);
    const auto bundle_of = merge_groups(groups, users, options_.merge);
    std::vector<std::vector<AssetNumber>> merged;
    std::vector<std::set<std::uint32_t>> owners_of;
    std::size_t next = 0;
    for (auto& [owners, assets] : by_owners) {
      const std::uint32_t bundle = bundle_of[next++];
      if (bundle == merged.size()) {
        merged.emplace_back();
        owners_of.emplace_back();
      }
      merged[bundle].insert(merged[bundle].end(), assets.begin(), assets.end());
      owners_of[bundle].insert(owners.begin(), owners.end());
    }
    for (std::size_t i = 0; i < merged.size(); ++i) add_shared(std::move(merged[i]), owners_of[i]);
  }

  // The users of a group are its owners, and prefabs that reach the group through another prefab. A
  // prefab does not count if it needs the group only for variants that are not the default.
  std::vector<GroupUser> find_users(const std::vector<std::uint32_t>& group_of,
                                    std::vector<SharedGroup>& groups) const {
    std::vector<GroupUser> users;
    for (std::uint32_t i = 0; i < roots_.size(); ++i) {
      GroupUser& user = users.emplace_back(GroupUser{plan_.bundles[i].needed_bytes, 0});
      for (const AssetNumber asset : reached_by_default(i)) {
        if (root_of_[asset]) ++user.other_files;
        if (group_of[asset] == kNoGroup) continue;
        std::vector<std::uint32_t>& opened = groups[group_of[asset]].users;
        if (opened.empty() || opened.back() != i) opened.push_back(i);
      }
    }
    // All registries together count as one user. The needed bytes of this user are the bytes of its
    // groups.
    GroupUser& registries = users.emplace_back();
    for (SharedGroup& group : groups) {
      if (!group.is_always_open) continue;
      group.users.push_back(static_cast<std::uint32_t>(roots_.size()));
      registries.needed_bytes += group.bytes;
    }
    return users;
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

  // Sets the dependencies. A bundle depends on another bundle if an asset of the first bundle
  // reaches an asset of the second bundle.
  void connect() {
    std::vector<std::size_t> home(project_.index().assets().size(), kNoHome);
    for (std::size_t i = 0; i < plan_.bundles.size(); ++i) {
      for (const AssetNumber asset : plan_.bundles[i].assets) home[asset] = i;
    }
    for (std::size_t i = 0; i < plan_.bundles.size(); ++i) {
      PlannedBundle& bundle = plan_.bundles[i];
      const bool is_shared = bundle.prefab == kNoAsset;
      const std::vector<AssetNumber> reached =
          is_shared ? graph_.closure(bundle.assets, project_.index()) : closures_[i];
      for (const AssetNumber asset : reached) {
        if (home[asset] != kNoHome && home[asset] != i) bundle.dependencies.push_back(home[asset]);
      }
      std::ranges::sort(bundle.dependencies);
      bundle.dependencies.erase(std::unique(bundle.dependencies.begin(), bundle.dependencies.end()),
                                bundle.dependencies.end());
    }
  }

  void count_duplicates() {
    std::uint64_t planned = 0;
    std::uint64_t for_registries = 0;
    for (const PlannedBundle& bundle : plan_.bundles) {
      const bool only_registries = bundle.owners.empty();
      (only_registries ? for_registries : planned) += bytes_of(bundle.assets);
    }
    const std::uint64_t naive = plan_.self_contained_bytes;
    plan_.duplicate_bytes_avoided = naive > planned ? naive - planned : 0;
    plan_.self_contained_bytes += for_registries;
  }

  std::uint64_t bytes_of(const std::vector<AssetNumber>& assets) const {
    std::uint64_t bytes = 0;
    for (const AssetNumber asset : assets) bytes += size_of_[asset];
    return bytes;
  }

  static constexpr std::uint32_t kNoGroup = 0xFFFFFFFF;
  static constexpr std::size_t kNoHome = ~std::size_t{0};
  const Project& project_;
  const ReferenceGraph& graph_;  // The graph without stripped assets.
  const PlanOptions& options_;
  const std::vector<std::uint64_t>& size_of_;
  BundlePlan plan_;
  std::vector<AssetNumber> roots_;
  std::vector<bool> root_of_;
  DefaultForms forms_;
  std::vector<std::vector<AssetNumber>> closures_;    // For each root, all assets that it reaches.
  std::vector<std::vector<AssetNumber>> by_default_;  // For each root, the assets that it loads by
                                                      // default; empty if no asset has variants.
  std::vector<AssetNumber> registries_;
  std::map<AssetNumber, OwnerSet> owners_;
};

}  // namespace

std::vector<std::uint64_t> source_sizes(const Project& project, Target target,
                                        const std::stop_token& stop, unsigned jobs) {
  std::vector<std::uint64_t> sizes(project.index().assets().size(), 0);
  const std::set<AssetNumber> built = built_assets(project, target);
  const std::vector<AssetNumber> assets(built.begin(), built.end());
  parallel_for(assets.size(), jobs, stop, [&](std::size_t i, unsigned) {
    const Asset& asset = project.index().at(assets[i]);
    if (asset.is_folder) return;
    const auto info = project.files().stat(asset.path);
    if (info) sizes[assets[i]] = info.value().size_bytes;
  });
  return sizes;
}

BundlePlan plan_bundles(const Project& project, const PlanOptions& options,
                        const std::vector<std::uint64_t>& size_of) {
  return Planner(project, options, size_of).run();
}

}  // namespace muster
