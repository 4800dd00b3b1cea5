// Provides a project as a source of bundles, without a build, for tools that show content while
// users edit it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bundler/build/target_build.h"
#include "bundler/cook/asset_cooker.h"
#include "runtime/assets/bundle_source.h"

namespace muster {

/// One target of a project, as a source of bundles. A bundle is cooked when it is opened. Writes no
/// files. The catalog is a preview: hashes and sizes of bundles are unknown, so a store must be
/// opened with `Catalogs::built_or_preview` (`BundleStore::open`).
///
/// The content is the state of the project when it was opened. When files have changed, open the
/// project again, and call `PrefabInstances::reload` to update existing instances. This class is
/// only for tools, because it needs the YAML parser. The project must outlive this object. Several
/// threads may open bundles at the same time.
class ProjectSource final : public BundleSource {
 public:
  /// Plans the bundles, and cooks nothing. Fails with `malformed` like `fill_catalog`.
  static Result<std::unique_ptr<ProjectSource>> create(
      const Project& project, Target target, std::vector<ComponentDescription> components);

  /// Cooks and packs a bundle. Fails with `malformed` if one of its assets cannot be cooked; the
  /// message has the position of the first problem.
  Result<std::unique_ptr<BundleFile>> open(std::string_view path,
                                           std::uint64_t max_bytes) const override;
  std::string name() const override { return "the project's files"; }

 private:
  ProjectSource(const Project& project, Target target, std::vector<ComponentDescription> components)
      : project_(project),
        components_(std::move(components)),
        cooker_(project, components_, &project.config().strip[muster::target_index(target)]) {}
  Result<void> plan(Target target);
  Result<ByteVector> pack(const PlannedBundle& planned) const;

  const Project& project_;
  std::vector<ComponentDescription> components_;
  AssetCooker cooker_;
  TargetBuild build_;
  ByteVector catalog_;
};

}  // namespace muster
