// A project's loose files as a source of bundles: for tools that show content while it changes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bundler/build/target_build.h"
#include "bundler/cook/asset_cooker.h"
#include "runtime/assets/bundle_source.h"

namespace muster {

/// One target of a project, as a source of bundles that are cooked on first request. Writes no
/// files. Its catalog is a preview's: hashes and sizes of bundles are unknown, so a store must be
/// opened with permission for previews (`BundleStore::open`).
///
/// It shows the project as it was when opened. When files have changed, open the project again, and
/// call `PrefabInstances::reload` to update existing instances. For tools only: a game links no
/// YAML. The project must outlive it. Opening from several threads at once is safe.
class ProjectSource final : public BundleSource {
 public:
  /// Plans the bundles; cooks nothing. Fails with `malformed` like `fill_catalog`.
  static Result<std::unique_ptr<ProjectSource>> create(
      const Project& project, Target target, std::vector<ComponentDescription> components);

  /// Cooks and packs a bundle. Fails with `malformed` if one of its assets cannot be cooked; the
  /// message has the position of the first problem.
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
