#include "bundler/plan/variant_plan.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>

#include "registry/model/open_variants.h"
#include "registry/model/stripping.h"

namespace muster {
namespace {

class Separation {
 public:
  Separation(const Project& project, Target target, BundlePlan& plan)
      : project_(project), graph_(project.stripping(target).graph()), plan_(plan) {
    for (const Guid& guid : project.model().assets_for(target)) {
      const AssetNumber asset = project.index().find(guid);
      if (asset != kNoAsset) roots_.insert(asset);
    }
    holders_ = project.model().holders_for(target);
  }

  void run() {
    old_count_ = plan_.bundles.size();
    for (std::size_t i = 0; i < plan_.bundles.size(); ++i) {
      for (const AssetNumber asset : plan_.bundles[i].assets) home_.emplace(asset, i);
    }
    for (const VariantFile& file : project_.variants().files()) {
      if (!home_.contains(file.base) || !home_.contains(file.file)) continue;
      if (is_open(project_, file)) {
        files_.push_back(&file);
        nodes_.insert(file.base);
        nodes_.insert(file.file);
      } else {
        left_out_.insert(file.file);
      }
    }
    if (files_.empty() && left_out_.empty()) return;
    find_behind();
    add_bases();
    add_alternatives();
    add_groups();
    remove_moved();
    connect();
  }

 private:
  using Nodes = std::vector<AssetNumber>;

  bool is_node(AssetNumber asset) const { return nodes_.contains(asset); }

  // Finds the assets that are reached only through assets with variants. For each of these assets,
  // `behind_` lists the assets with variants that reach it.
  void find_behind() {
    Nodes starts = holders_;
    std::ranges::copy_if(roots_, std::back_inserter(starts),
                         [&](AssetNumber root) { return !is_node(root); });
    const Nodes everywhere =
        graph_.closure(starts, project_.index(), [&](AssetNumber asset) { return is_node(asset); });
    for (const AssetNumber node : nodes_) {
      const Nodes own = graph_.closure(
          std::span(&node, 1), project_.index(),
          [&](AssetNumber asset) { return is_node(asset) || roots_.contains(asset); });
      for (const AssetNumber asset : own) {
        if (asset == node || !home_.contains(asset)) continue;
        if (!std::ranges::binary_search(everywhere, asset)) behind_[asset].push_back(node);
      }
    }
  }

  const std::vector<AssetNumber>& owners_of(AssetNumber asset) const {
    return plan_.bundles[home_.at(asset)].owners;
  }

  void add_bases() {
    for (const VariantFile* file : files_) {
      if (base_at_.contains(file->base)) continue;
      std::size_t at = home_.at(file->base);
      if (plan_.bundles[at].prefab != file->base) {
        PlannedBundle bundle;
        bundle.owners = owners_of(file->base);
        at = plan_.bundles.size();
        plan_.bundles.push_back(std::move(bundle));
      }
      plan_.bundles[at].varied = file->base;
      base_at_.emplace(file->base, at);
    }
  }

  void add_alternatives() {
    for (const VariantFile* file : files_) {
      PlannedBundle bundle;
      bundle.owners = owners_of(file->base);
      bundle.varied = file->base;
      bundle.keys = file->keys;
      bundle.assets = {file->file};
      bundle.base = base_at_.at(file->base);
      plan_.bundles.push_back(std::move(bundle));
    }
  }

  void add_groups() {
    std::map<Nodes, Nodes> groups;
    for (const auto& [asset, nodes] : behind_) groups[nodes].push_back(asset);
    for (const auto& [nodes, assets] : groups) {
      std::set<AssetNumber> owners;
      for (const AssetNumber asset : assets) {
        owners.insert(owners_of(asset).begin(), owners_of(asset).end());
      }
      PlannedBundle bundle;
      bundle.owners.assign(owners.begin(), owners.end());
      bundle.assets = assets;
      plan_.bundles.push_back(std::move(bundle));
    }
  }

  // Removes the assets that have a new bundle from their old bundles, and removes empty bundles.
  void remove_moved() {
    std::vector<PlannedBundle> kept;
    std::vector<std::size_t> now(plan_.bundles.size(), 0);
    for (std::size_t i = 0; i < plan_.bundles.size(); ++i) {
      PlannedBundle& bundle = plan_.bundles[i];
      if (i < old_count_) {
        std::erase_if(bundle.assets, [&](AssetNumber asset) {
          return is_node(asset) || behind_.contains(asset) || left_out_.contains(asset);
        });
      }
      const bool is_base = bundle.varied != kNoAsset && bundle.keys.empty();
      if (is_base) bundle.assets = {bundle.varied};
      if (bundle.assets.empty() && bundle.prefab == kNoAsset) continue;
      now[i] = kept.size();
      kept.push_back(std::move(bundle));
    }
    for (PlannedBundle& bundle : kept) bundle.base = now[bundle.base];
    plan_.bundles = std::move(kept);
  }

  void connect() {
    home_.clear();
    for (std::size_t i = 0; i < plan_.bundles.size(); ++i) {
      if (!plan_.bundles[i].keys.empty()) continue;
      for (const AssetNumber asset : plan_.bundles[i].assets) home_.emplace(asset, i);
    }
    for (std::size_t i = 0; i < plan_.bundles.size(); ++i) {
      std::set<std::size_t> needed;
      for (const AssetNumber asset : reached_from(plan_.bundles[i].assets)) {
        const auto found = home_.find(asset);
        if (found != home_.end() && found->second != i) needed.insert(found->second);
      }
      plan_.bundles[i].dependencies.assign(needed.begin(), needed.end());
    }
  }

  // Like a closure, with two exceptions: the function does not follow the references of assets with
  // variants, and the result contains no variants.
  Nodes reached_from(const Nodes& starts) const {
    std::set<AssetNumber> seen(starts.begin(), starts.end());
    Nodes queue = starts;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      if (i >= starts.size() && is_node(queue[i])) continue;
      for (const ReferenceEdge& edge : graph_.from(queue[i])) {
        if (!edge.is_strong() || edge.is_variant || edge.to == kNoAsset) continue;
        if (is_script(project_.index().at(edge.to).path)) continue;
        if (seen.insert(edge.to).second) queue.push_back(edge.to);
      }
    }
    return queue;
  }

  const Project& project_;
  const ReferenceGraph& graph_;  ///< The graph without stripped assets.
  BundlePlan& plan_;
  std::size_t old_count_ = 0;
  std::set<AssetNumber> roots_;
  Nodes holders_;
  std::map<AssetNumber, std::size_t> home_;
  std::vector<const VariantFile*> files_;
  std::set<AssetNumber> nodes_;     ///< The assets with variants, and their variants.
  std::set<AssetNumber> left_out_;  ///< The variants whose keys are chosen at build time, if the
                                    ///< build makes no choice.
  std::map<AssetNumber, Nodes> behind_;
  std::map<AssetNumber, std::size_t> base_at_;
};

}  // namespace

AssetNumber first_open(const Project& project, Target target) {
  if (project.variants().files().empty()) return kNoAsset;
  const std::span<const AssetNumber> built = project.stripping(target).built();
  for (const VariantFile& file : project.variants().files()) {
    if (std::ranges::binary_search(built, file.base) && is_open(project, file)) return file.base;
  }
  return kNoAsset;
}

void separate_variants(const Project& project, Target target, BundlePlan& plan) {
  if (project.variants().files().empty()) return;
  Separation(project, target, plan).run();
}

}  // namespace muster
