// Which asset mentions which: the whole project's references, scanned rather than parsed.
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

/// One asset mentioning a guid, however often; `offset_bytes` is of the first time.
struct ReferenceEdge {
  AssetNumber from = kNoAsset;
  AssetNumber to = kNoAsset;  ///< `kNoAsset` when nothing in the project has this guid.
  Guid guid;
  yaml::MentionKind kind = yaml::MentionKind::strong;
  bool in_meta = false;  ///< Found in the sidecar, not in the asset.
  /// From an asset to a variant of it, which nothing mentions. Strong, for it is packed as well.
  bool is_variant = false;
  std::uint64_t offset_bytes = 0;
  std::uint32_t times = 1;

  /// Strong references and those inside JSON pull their target into a bundle; weak ones do not.
  bool is_strong() const {
    return kind == yaml::MentionKind::strong || kind == yaml::MentionKind::json;
  }
};

/// The detail of a `binary` problem when guids that the project lacks would not be seen.
inline constexpr std::string_view kUnreadTable =
    "its table of other files has no known layout, so only guids of the project are seen";

/// What is odd about an asset's bytes.
struct ContentProblem {
  enum class Kind : std::uint8_t {
    lfs_pointer,
    binary,
    foreign_text,  ///< In an encoding, or with line ends, that is not read.
    too_large,
    unreadable,
    invalid_utf8,
    cut_short,   ///< An `.asset` whose main object ends before it has named its script.
    no_objects,  ///< A file of the engine's that is empty, or has its header alone.
    conflict,    ///< What a merge could not merge, between `<<<<<<<` and `>>>>>>>`.
  };
  Kind kind = Kind::binary;
  AssetNumber asset = kNoAsset;
  std::string detail;
  yaml::Position position{};  ///< Of `foreign_text`, `invalid_utf8` and `conflict`.
};

/// The references of a project. Immutable once built.
class ReferenceGraph {
 public:
  ReferenceGraph() = default;
  ReferenceGraph(std::vector<ReferenceEdge> edges, std::vector<ContentProblem> problems,
                 std::size_t asset_count);

  /// All edges, sorted by the asset they come from, then by offset.
  std::span<const ReferenceEdge> edges() const { return edges_; }
  /// The edges that leave one asset.
  std::span<const ReferenceEdge> from(AssetNumber asset) const;
  std::span<const ContentProblem> problems() const { return problems_; }
  /// Whether any asset itself (not its sidecar) refers to this one by `{fileID, guid}`: a script
  /// without is nobody's.
  bool is_referred_to(AssetNumber asset) const { return is_referred_to_[asset]; }

  /// Says before which assets a walk stops: it neither takes nor enters them. Those that it starts
  /// from, or looks for, are not asked about.
  using Stop = std::function<bool(AssetNumber)>;

  /// Everything reachable over strong references from `roots`, themselves included, sorted. Scripts
  /// are not entered, nor are their sidecars: they are code, and named rather than packed.
  std::vector<AssetNumber> closure(std::span<const AssetNumber> roots, const AssetIndex& index,
                                   const Stop& stops_before = {}) const;
  /// A shortest chain of strong references from any of `roots` to `target`, both ends included;
  /// empty when there is none. Ties are broken by path. Walks as `closure` does, but may end at a
  /// script.
  std::vector<AssetNumber> chain(std::span<const AssetNumber> roots, AssetNumber target,
                                 const AssetIndex& index, const Stop& stops_before = {}) const;

 private:
  std::vector<ReferenceEdge> edges_;
  std::vector<bool> is_referred_to_;  // per asset
  std::vector<std::uint32_t> first_;  // per asset, into edges_; one more at the end
  std::vector<ContentProblem> problems_;
};

/// True for the classes to which a folder means the pictures in it, at any depth: sprite atlases.
/// They have an edge to each of these, as if they named it. To any other class a folder is nothing
/// that a build could hold.
bool means_folder_content(const AssetPath& path);
/// True for the files that can hold references: Unity's text formats and plain YAML. Told by
/// extension, so that gigabytes of media are not opened.
bool holds_references(const AssetPath& path);
/// True for code, which bundles name but do not hold.
bool is_script(const AssetPath& path);

/// Scans every asset that can hold references, and every sidecar, on `jobs` threads, but for those
/// that `memory` knows; an asset also leads to its variants. Fails only with `cancelled`.
Result<ReferenceGraph> scan_references(const FileReader& files, const AssetIndex& index,
                                       unsigned jobs, const std::stop_token& stop,
                                       const Progress& progress = {}, const Variants& variants = {},
                                       FileMemory* memory = nullptr);

}  // namespace muster
