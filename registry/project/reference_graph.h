// All references between the assets of a project, found by scanning instead of parsing.
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

/// An asset that mentions a guid, any number of times. `offset_bytes` is the offset of the first
/// mention.
struct ReferenceEdge {
  AssetNumber from = kNoAsset;
  AssetNumber to = kNoAsset;  ///< `kNoAsset` if no asset of the project has this guid.
  Guid guid;
  yaml::MentionKind kind = yaml::MentionKind::strong;
  bool in_meta = false;  ///< Found in the sidecar, not in the asset.
  /// An edge from an asset to its variant, without a mention. It is strong, because the variant is
  /// packed too.
  bool is_variant = false;
  std::uint64_t offset_bytes = 0;
  std::uint32_t times = 1;

  /// Strong references and references inside JSON add their target to a bundle; weak ones do not.
  bool is_strong() const {
    return kind == yaml::MentionKind::strong || kind == yaml::MentionKind::json;
  }
};

/// The detail of a `binary` problem if missing guids would not be detected.
inline constexpr std::string_view kUnreadTable =
    "its table of other files has no known layout, so only guids of the project are seen";

/// A problem with an asset's bytes.
struct ContentProblem {
  enum class Kind : std::uint8_t {
    lfs_pointer,
    binary,
    foreign_text,  ///< With an unsupported encoding or unsupported line ends.
    too_large,
    unreadable,
    invalid_utf8,
    cut_short,   ///< An `.asset` whose main object ends before it has named its script.
    no_objects,  ///< A file of the engine that is empty or only has a header.
    conflict,    ///< A merge conflict, between `<<<<<<<` and `>>>>>>>`.
  };
  Kind kind = Kind::binary;
  AssetNumber asset = kNoAsset;
  std::string detail;
  yaml::Position position{};  ///< For `foreign_text`, `invalid_utf8` and `conflict`.
};

/// The references of a project. Immutable after construction.
class ReferenceGraph {
 public:
  ReferenceGraph() = default;
  ReferenceGraph(std::vector<ReferenceEdge> edges, std::vector<ContentProblem> problems,
                 std::size_t asset_count);

  /// All edges, sorted by source asset, then by offset.
  std::span<const ReferenceEdge> edges() const { return edges_; }
  /// The edges from one asset.
  std::span<const ReferenceEdge> from(AssetNumber asset) const;
  std::span<const ContentProblem> problems() const { return problems_; }
  /// Whether any asset itself (not its sidecar) refers to this one by `{fileID, guid}`. A script
  /// without such a reference is unused.
  bool is_referred_to(AssetNumber asset) const { return is_referred_to_[asset]; }

  /// Returns true for assets at which a walk stops: they are neither included nor entered. Not
  /// called for the start and target of a walk.
  using Stop = std::function<bool(AssetNumber)>;

  /// Everything that is reachable over strong references from `roots`, including these, sorted.
  /// Scripts and their sidecars are not entered: they are code, which bundles name but do not
  /// contain.
  std::vector<AssetNumber> closure(std::span<const AssetNumber> roots, const AssetIndex& index,
                                   const Stop& stops_before = {}) const;
  /// A shortest chain of strong references from any of `roots` to `target`, both ends included;
  /// empty if none exists. Ties are resolved by path. Walks like `closure`, but may end at a
  /// script.
  std::vector<AssetNumber> chain(std::span<const AssetNumber> roots, AssetNumber target,
                                 const AssetIndex& index, const Stop& stops_before = {}) const;

 private:
  std::vector<ReferenceEdge> edges_;
  std::vector<bool> is_referred_to_;  // one per asset
  std::vector<std::uint32_t> first_;  // one per asset, index into edges_; one more at the end
  std::vector<ContentProblem> problems_;
};

/// True for classes to which a folder means all pictures in it, at any depth: sprite atlases. They
/// get an edge to each picture, as if they named it. For all other classes a folder has no content
/// that a build could contain.
bool means_folder_content(const AssetPath& path);
/// True for files that can contain references: Unity's text formats and plain YAML. Decided by
/// extension, so that gigabytes of media are not opened.
bool holds_references(const AssetPath& path);
/// True for code, which bundles name but do not contain.
bool is_script(const AssetPath& path);

/// Scans every asset that can contain references, and every sidecar, on `jobs` threads, except
/// those that `memory` knows. An asset also has edges to its variants. Fails only with `cancelled`.
Result<ReferenceGraph> scan_references(const FileReader& files, const AssetIndex& index,
                                       unsigned jobs, const std::stop_token& stop,
                                       const Progress& progress = {}, const Variants& variants = {},
                                       FileMemory* memory = nullptr);

}  // namespace muster
