// Finds all references between the assets of a project. Scans the files without parsing them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "registry/project/asset_index.h"
#include "registry/project/variants.h"
#include "registry/yaml/scanner.h"
#include "registry/yaml/tree.h"

namespace muster {

/// All mentions of one guid in an asset that have the same kind. `offset_bytes` is the offset of
/// the first mention.
struct ReferenceEdge {
  AssetNumber from = kNoAsset;
  AssetNumber to = kNoAsset;  ///< `kNoAsset` if no asset of the project has this guid.
  Guid guid;
  yaml::MentionKind kind = yaml::MentionKind::strong;
  bool in_meta = false;  ///< Whether the mentions are in the sidecar instead of the asset's file.
  /// Whether this is an edge from an asset to its variant. Such an edge needs no mention. It is
  /// strong, because a bundle with the asset also contains the variant.
  bool is_variant = false;
  std::uint64_t offset_bytes = 0;
  std::uint32_t times = 1;

  /// True if a bundle that contains `from` must also contain `to`: for strong references and for
  /// references inside JSON text.
  bool is_strong() const {
    return kind == yaml::MentionKind::strong || kind == yaml::MentionKind::json;
  }
};

/// The detail of a `binary` problem for a file whose references to missing assets cannot be
/// detected.
inline constexpr std::string_view kUnreadTable =
    "its table of other files has no known layout, so only guids of the project are seen";

/// A problem with an asset's bytes.
struct ContentProblem {
  enum class Kind : std::uint8_t {
    lfs_pointer,
    binary,
    foreign_text,  ///< A text with an unsupported encoding or unsupported line ends.
    too_large,
    unreadable,
    invalid_utf8,
    cut_short,   ///< An `.asset` whose main object ends before the key of its script.
    no_objects,  ///< A file in Unity's dialect that is empty or has only a header.
    conflict,    ///< Merge conflict markers (`<<<<<<<`, `>>>>>>>`) in the text.
  };
  Kind kind = Kind::binary;
  AssetNumber asset = kNoAsset;
  std::string detail;
  /// The position; set for `foreign_text`, `invalid_utf8` and `conflict`.
  yaml::Position position{};
};

/// The references of a project. Immutable after construction.
class ReferenceGraph {
 public:
  ReferenceGraph() = default;
  ReferenceGraph(std::vector<ReferenceEdge> edges, std::vector<ContentProblem> problems,
                 std::size_t asset_count);

  /// All edges, sorted by source asset, then by offset.
  std::span<const ReferenceEdge> edges() const { return edges_; }
  /// The edges that begin at one asset.
  std::span<const ReferenceEdge> from(AssetNumber asset) const;
  std::span<const ContentProblem> problems() const { return problems_; }
  /// Whether the file of any asset (not a sidecar) refers to `asset` by `{fileID, guid}`. A script
  /// without such a reference is unused.
  bool is_referred_to(AssetNumber asset) const { return is_referred_to_[asset]; }

  /// Returns true for assets that a walk neither includes nor enters. The function is not called
  /// for the roots and the target of a walk.
  using Stop = std::function<bool(AssetNumber)>;

  /// All assets that are reachable from `roots` over strong references, and `roots` themselves.
  /// Sorted. The walk does not enter scripts or their sidecars, because bundles do not contain
  /// code.
  std::vector<AssetNumber> closure(std::span<const AssetNumber> roots, const AssetIndex& index,
                                   const Stop& stops_before = {}) const;
  /// A shortest chain of strong references from any of `roots` to `target`, both ends included;
  /// empty if none exists. Among several shortest chains, the result is the first one by path.
  /// Walks like `closure`, but `target` may be a script.
  std::vector<AssetNumber> chain(std::span<const AssetNumber> roots, AssetNumber target,
                                 const AssetIndex& index, const Stop& stops_before = {}) const;

 private:
  std::vector<ReferenceEdge> edges_;
  std::vector<bool> is_referred_to_;  // One value per asset, by number.
  // The index in `edges_` of the first edge of each asset, and the size of `edges_` as one more
  // item.
  std::vector<std::uint32_t> first_;
  std::vector<ContentProblem> problems_;
};

/// True for sprite atlases. If a sprite atlas refers to a folder, the graph contains an edge to
/// each picture in the folder, at any depth. For all other assets, a reference to a folder adds
/// nothing to a build.
bool means_folder_content(const AssetPath& path);
/// True for files that can contain references: Unity's text formats and plain YAML. Depends only on
/// the extension, so that large media files are not opened.
bool holds_references(const AssetPath& path);
/// True for code. Bundles refer to code but do not contain it.
bool is_script(const AssetPath& path);

/// Scans every asset that can contain references, and every sidecar, on `jobs` threads. Skips
/// unchanged files that `fact_cache` knows. Adds an edge from each asset to each of its variants.
/// Fails only with `cancelled`.
Result<ReferenceGraph> scan_references(const FileReader& files, const AssetIndex& index,
                                       unsigned jobs, const std::stop_token& stop,
                                       const Progress& progress = {}, const Variants& variants = {},
                                       FileFactCache* fact_cache = nullptr);

}  // namespace muster
