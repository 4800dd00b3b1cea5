// A project's loose files as if they had been built: for tools that show content while it changes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bundler/build/target_build.h"
#include "bundler/cook/asset_cooker.h"
#include "runtime/assets/bundle_source.h"

namespace muster {

/// One target of a project, as a source of bundles that are cooked when they are first asked for.
/// Nothing is written anywhere. Its catalog is a preview's: it cannot say what the bundles' hashes
/// and sizes will be, so a store must be told to accept it (`BundleStore::open`).
///
/// It shows the project as it was when it was opened; when files have changed, open the project
/// anew, and let `PrefabInstances::reload` bring what is alive over. For tools only: a game links
/// no YAML. The project must outlive it. Opening from several threads at once is safe.
class ProjectSource final : public BundleSource {
 public:
  /// Plans the bundles; cooks nothing. Fails with `malformed` as `fill_catalog` does.
  static Result<std::unique_ptr<ProjectSource>> create(
      const Project& project, Target target, std::vector<ComponentDescription> components);

  /// Cooks and packs a bundle. Fails with `malformed` when one of its assets cannot be cooked; the
  /// message has the first problem's place.
  Result<std::unique_ptr<HeldFile>> open(std::string_view path,
                                         std::uint64_t max_bytes) const override;
  std::string name() const override { return "the project's files"; }

 private:
  ProjectSource(const Project& project, Target target, std::vector<ComponentDescription> components)
      : project_(project),
        components_(std::move(components)),
        cooker_(project, components_, &project.config().strip[muster::place_of(target)]) {}
  Result<void> plan(Target target);
  Result<ByteVector> pack(const PlannedBundle& planned) const;

  const Project& project_;
  std::vector<ComponentDescription> components_;
  AssetCooker cooker_;
  TargetBuild build_;
  ByteVector catalog_;
};

}  // namespace muster
