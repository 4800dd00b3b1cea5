// Several sources that look like one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/assets/bundle_source.h"

namespace muster {

/// Layers of files: a base, patches, mods, what is in memory, loose files of a folder. The topmost
/// layer that has a file gives it, whole. A layer that has it but cannot give it (too large, not
/// readable) is an error and not a reason to look further down: a broken patch must not fall back
/// to what it patched without a word.
///
/// The catalog is such a file too. A layer that changes content therefore holds a whole catalog of
/// its own (`catalog.mcat`, naming the bundles of all layers below as well) and those bundles that
/// differ or are new; the catalog's hashes refuse bundles of layers that do not belong together.
/// Two layers that each bring a catalog are not merged: the upper one wins, so mods that are to
/// work together are built together. A layer cannot hide a file: what its catalog does not name is
/// never asked for.
///
/// Owns its layers. Opening from several threads at once is safe; adding layers is not.
class StackedSource final : public BundleSource {
 public:
  /// Puts a layer on top of the others.
  void push(std::unique_ptr<BundleSource> layer);
  std::size_t layer_count() const { return layers_.size(); }

  Result<std::unique_ptr<HeldFile>> open(std::string_view path,
                                         std::uint64_t max_bytes) const override;
  std::vector<Result<std::unique_ptr<HeldFile>>> open_all(
      std::span<const OpenRequest> requests) const override;
  /// In the topmost layer that has the file; nothing when that layer does not know it. Opens the
  /// file to find out.
  std::optional<std::uint64_t> file_bytes(std::string_view path) const override;
  /// The most that one of the layers wants.
  std::uint32_t files_at_once() const override;
  /// All layers, the topmost first: `mods over base`.
  std::string name() const override;
  /// Where the topmost layer that has the file, or the lowest one, keeps it. Opens it to find out.
  std::string place_of(std::string_view path) const override;

 private:
  tl::unexpected<Error> fail_nowhere(std::string_view path) const;

  std::vector<std::unique_ptr<BundleSource>> layers_;  ///< The topmost is the last.
};

}  // namespace muster
