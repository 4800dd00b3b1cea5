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

/// Layers of files, for example a base, patches, mods, memory and a folder of loose files. The
/// whole file is read from the topmost layer that has the file. If that layer fails to open the
/// file, for example because the file is too large, `open` fails and does not search the lower
/// layers. Otherwise a broken patch would silently load the original.
///
/// The catalog is one of these files. A layer that changes content contains the changed and new
/// bundles, and a whole catalog (`catalog.mcat`), which also lists the bundles of all lower layers.
/// If two layers do not belong together, the hashes of the catalog do not match the bundles, and
/// loading fails. Catalogs are not merged: the store uses the topmost catalog, so mods that must
/// work together must be built together. A layer cannot hide a file of a lower layer. Hiding files
/// is not needed, because the store never requests a file that the topmost catalog does not list.
///
/// Owns its layers. Several threads may open files at the same time, but no thread may add a layer
/// during this time.
class StackedSource final : public BundleSource {
 public:
  /// Adds a layer above all other layers.
  void push(std::unique_ptr<BundleSource> layer);
  std::size_t layer_count() const { return layers_.size(); }

  Result<std::unique_ptr<BundleFile>> open(std::string_view path,
                                           std::uint64_t max_bytes) const override;
  std::vector<Result<std::unique_ptr<BundleFile>>> open_all(
      std::span<const OpenRequest> requests) const override;
  /// The size in the topmost layer that has the file; no value if that layer does not know the
  /// size. Opens the file to find the layer.
  std::optional<std::uint64_t> file_bytes(std::string_view path) const override;
  /// The maximum of `files_at_once` over the layers.
  std::uint32_t files_at_once() const override;
  /// The names of all layers, the topmost first, for example `mods over base`.
  std::string name() const override;
  /// The name in the topmost layer that has the file. If no layer has the file, the name in the
  /// lowest layer. Opens the file to find the layer.
  std::string full_path(std::string_view path) const override;

 private:
  tl::unexpected<Error> fail_nowhere(std::string_view path) const;

  std::vector<std::unique_ptr<BundleSource>> layers_;  ///< The topmost is the last.
};

}  // namespace muster
