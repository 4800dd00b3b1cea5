// Several sources combined into one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/assets/bundle_source.h"

namespace muster {

/// Layers of files: a base, patches, mods, memory, loose files of a folder. The topmost layer that
/// has a file returns it, whole. A layer that has it but fails (too large, not readable) is an
/// error, not a reason to search further down: a broken patch must not silently fall back to the
/// original.
///
/// The catalog is such a file, too. So a layer that changes content contains a whole catalog
/// (`catalog.mcat`), which also lists the bundles of all layers below, and the bundles that are
/// changed or new. If layers do not belong together, the catalog's hashes refuse their bundles.
/// Catalogs are not merged: the upper one is used, so mods that must work together must be built
/// together. A layer needs no way to hide a file, because a file that the used catalog does not
/// list is never requested.
///
/// Owns its layers. Several threads may open files at once, but not add layers.
class StackedSource final : public BundleSource {
 public:
  /// Puts a layer on top of the others.
  void push(std::unique_ptr<BundleSource> layer);
  std::size_t layer_count() const { return layers_.size(); }

  Result<std::unique_ptr<HeldFile>> open(std::string_view path,
                                         std::uint64_t max_bytes) const override;
  std::vector<Result<std::unique_ptr<HeldFile>>> open_all(
      std::span<const OpenRequest> requests) const override;
  /// From the topmost layer that has the file; nothing if that layer does not know the size. Opens
  /// the file to find out.
  std::optional<std::uint64_t> file_bytes(std::string_view path) const override;
  /// The maximum over the layers.
  std::uint32_t files_at_once() const override;
  /// All layers, the topmost first: `mods over base`.
  std::string name() const override;
  /// The name in the topmost layer that has the file, or in the lowest one. Opens the file to find
  /// out.
  std::string full_path(std::string_view path) const override;

 private:
  tl::unexpected<Error> fail_nowhere(std::string_view path) const;

  std::vector<std::unique_ptr<BundleSource>> layers_;  ///< The topmost is the last.
};

}  // namespace muster
