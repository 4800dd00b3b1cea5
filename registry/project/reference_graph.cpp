#include "registry/project/reference_graph.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

#include "registry/base/parallel.h"
#include "registry/base/utf8.h"
#include "registry/project/asset_kinds.h"
#include "registry/project/cut_object.h"
#include "registry/project/serialized_externals.h"
#include "registry/project/serialized_guids.h"
#include "registry/project/source_file.h"
#include "registry/project/unused_mentions.h"
#include "registry/yaml/reader.h"
#include "registry/yaml/tree_mentions.h"

namespace muster {
namespace {

// The extensions of files that can contain references, separated by spaces.
constexpr std::string_view kReferenceExtensions =
    " anim asmdef asmref asset brush buildreport controller cubemap flare fontsettings giparams"
    " guiskin lighting mask mat mesh mixer overridecontroller physicmaterial physicsmaterial"
    " physicsmaterial2d playable prefab preset remap rendertexture scenetemplate shadergraph"
    " shadersubgraph shadervariants signal spriteatlas spriteatlasv2 spritelib terrainlayer tss"
    " unity uss uxml vfx vfxblock vfxoperator webtexture wlt yaml yml ";

// The extensions of files to which the engine always writes an object.
constexpr std::string_view kObjectExtensions =
    " anim controller mask mat overridecontroller playable prefab preset unity ";

bool is_listed(std::string_view extensions, const AssetPath& path) {
  const std::string extension = lower_ascii(path.extension());
  return !extension.empty() && extension.find(' ') == std::string::npos &&
         extensions.find(" " + extension + " ") != std::string_view::npos;
}

// The offset of the first line that begins with `<<<<<<< `, if the text also has a `>>>>>>> `.
// Otherwise npos.
std::size_t find_conflict(std::string_view text) {
  constexpr std::string_view kBegin = "<<<<<<< ";
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    if (!text.substr(at).starts_with(kBegin)) continue;
    return text.find("\n>>>>>>> ", at) == text.npos ? text.npos : at;
  }
  return std::string_view::npos;
}

struct GuidSlot {
  std::vector<ReferenceEdge> edges;
  std::vector<ContentProblem> problems;
};

// Merges the mentions of the same guid and kind. The result is sorted by first mention.
std::vector<FileMention> merged(std::vector<FileMention> mentions) {
  const auto key = [](const FileMention& one) { return std::tie(one.guid, one.kind); };
  std::ranges::stable_sort(mentions, [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < mentions.size(); ++i) {
    if (kept > 0 && key(mentions[kept - 1]) == key(mentions[i])) {
      ++mentions[kept - 1].times;
    } else {
      mentions[kept++] = mentions[i];
    }
  }
  mentions.resize(kept);
  std::ranges::stable_sort(mentions, {}, &FileMention::offset_bytes);
  return mentions;
}

// Searches for the guids of all assets. The search is prepared on first use, because only binary
// files need it.
class LateGuids {
 public:
  explicit LateGuids(const AssetIndex& index) : index_(index) {}

  const SerializedGuids& get() {
    std::call_once(once_, [&] {
      std::vector<Guid> guids;
      for (const Asset& asset : index_.assets()) guids.push_back(asset.guid);
      guids_ = std::make_unique<SerializedGuids>(guids);
    });
    return *guids_;
  }

 private:
  const AssetIndex& index_;
  std::once_flag once_;
  std::unique_ptr<SerializedGuids> guids_;
};

struct ScanTools {
  const FileReader& files;
  const AssetIndex& index;
  FileFactCache* fact_cache;
  LateGuids& guids;
  ByteVector& buffer;
};

// Whether an atlas that refers to a folder packs this file of the folder.
bool is_picture(const Asset& asset) {
  constexpr std::string_view kNoPictures =
      " cubemap rendertexture webtexture spriteatlas spriteatlasv2 ";
  constexpr std::string_view kLayeredPictures = " ase aseprite psb svg ";
  if (asset.is_folder || is_listed(kNoPictures, asset.path)) return false;
  return kind_of(asset.path.text()) == "texture" || is_listed(kLayeredPictures, asset.path);
}

void add_folder_content(const AssetIndex& index, const ReferenceEdge& edge,
                        std::vector<ReferenceEdge>& edges) {
  if (edge.to == kNoAsset || !edge.is_strong() || !index.at(edge.to).is_folder) return;
  if (!means_folder_content(index.at(edge.from).path)) return;
  const AssetPath& folder = index.at(edge.to).path;
  for (AssetNumber asset = 0; asset < index.assets().size(); ++asset) {
    const Asset& inner = index.at(asset);
    if (!is_picture(inner) || !inner.path.is_within(folder)) continue;
    ReferenceEdge to_picture = edge;
    to_picture.to = asset;
    to_picture.guid = inner.guid;
    edges.push_back(to_picture);
  }
}

class AssetScan {
 public:
  explicit AssetScan(const ScanTools& tools)
      : files_(tools.files),
        index_(tools.index),
        fact_cache_(tools.fact_cache),
        guids_(tools.guids),
        buffer_(tools.buffer) {}

  void run(AssetNumber asset, GuidSlot& slot) {
    const AssetPath& path = index_.at(asset).path;
    if (!index_.at(asset).is_folder) {
      holds_references(path) ? scan(asset, path, false, slot) : detect_pointer(asset, path, slot);
    }
    if (index_.at(asset).has_mentions_in_meta) {
      scan(asset, path.parent().child(std::string(path.name()) + ".meta"), true, slot);
    }
  }

 private:
  void scan(AssetNumber asset, const AssetPath& path, bool in_meta, GuidSlot& slot) {
    if (fact_cache_ != nullptr) {
      const std::vector<FileMention>* const known = fact_cache_->find_mentions(path);
      if (known != nullptr) return add_edges(asset, in_meta, *known, slot);
    }
    const std::size_t problems_before = slot.problems.size();
    std::vector<FileMention> mentions = merged(read(asset, path, in_meta, slot));
    add_edges(asset, in_meta, mentions, slot);
    if (fact_cache_ != nullptr && slot.problems.size() == problems_before) {
      fact_cache_->note_mentions(path, std::move(mentions));
    }
  }

  void add_edges(AssetNumber asset, bool in_meta, const std::vector<FileMention>& mentions,
                 GuidSlot& slot) const {
    for (const FileMention& mention : mentions) {
      slot.edges.push_back({.from = asset,
                            .to = index_.find(mention.guid),
                            .guid = mention.guid,
                            .kind = mention.kind,
                            .in_meta = in_meta,
                            .offset_bytes = mention.offset_bytes,
                            .times = mention.times});
    }
  }

  std::vector<FileMention> read(AssetNumber asset, const AssetPath& path, bool in_meta,
                                GuidSlot& slot) {
    using Kind = ContentProblem::Kind;
    std::vector<FileMention> mentions;
    // Reads only the first bytes, because a binary asset is not read as a whole.
    auto bytes = files_.read(path, 0, kHeadBytes, buffer_);
    if (!bytes) {
      slot.problems.push_back({Kind::unreadable, asset, bytes.error().message, {}});
      return mentions;
    }
    const auto dialect = yaml::detect_dialect(as_text(bytes.value()));
    const bool is_binary = dialect == yaml::Dialect::binary;
    if (is_binary && yaml::find_text_fault(as_text(bytes.value()))) {
      if (!in_meta) note_foreign(asset, as_text(bytes.value()), slot);
      return mentions;
    }
    if (is_binary && !in_meta) {
      if (const auto seen = search_binary(path, bytes.value(), mentions)) {
        slot.problems.push_back({Kind::binary, asset, *seen, {}});
        return mentions;
      }
    }
    if (dialect == yaml::Dialect::lfs_pointer || is_binary) {
      const bool pointer = dialect == yaml::Dialect::lfs_pointer;
      if (!in_meta) {
        slot.problems.push_back({pointer ? Kind::lfs_pointer : Kind::binary, asset, {}, {}});
      }
      return mentions;
    }
    if (bytes.value().size() == kHeadBytes) {
      bytes = read_whole(files_, path, SourceCache::kMaxSourceBytes, buffer_);
    }
    if (!bytes) {
      slot.problems.push_back(
          {bytes.error().code == ErrorCode::limit_exceeded ? Kind::too_large : Kind::unreadable,
           asset,
           bytes.error().message,
           {}});
      return mentions;
    }
    // A file with zeros after its first bytes is truncated. The text before the zeros is scanned.
    if (!in_meta) note_foreign(asset, as_text(bytes.value()), slot);
    if (dialect == yaml::Dialect::foreign_text) return mentions;
    if (!in_meta) check_objects(asset, path, as_text(bytes.value()), slot);
    // The parser reports invalid UTF-8 in plain files.
    if (!in_meta && dialect == yaml::Dialect::unity) {
      check_utf8(asset, as_text(bytes.value()), slot);
      if (has_extension(path, "asset") && is_main_object_cut(as_text(bytes.value()))) {
        slot.problems.push_back({Kind::cut_short, asset, {}, {}});
      }
    }
    std::vector<yaml::Mention> found;
    find_mentions(path, as_text(bytes.value()), [&](const yaml::Mention& mention) {
      // The guid of a sidecar's own asset is not a reference.
      if (in_meta && mention.kind == yaml::MentionKind::textual) return;
      found.push_back(mention);
    });
    if (!in_meta && dialect == yaml::Dialect::unity) {
      remove_unused_mentions(as_text(bytes.value()), found);
    }
    for (const yaml::Mention& mention : found) {
      mentions.push_back({mention.guid, mention.kind, mention.offset_bytes, 1});
    }
    return mentions;
  }

  // Searches a binary file of the engine (terrain, lighting, navigation) for guids. Returns a
  // description of the part that was not searched. Returns nullopt if the file has another format
  // or cannot be read.
  std::optional<std::string> search_binary(const AssetPath& path, Bytes head,
                                           std::vector<FileMention>& mentions) {
    const auto info = files_.stat(path);
    if (!info) return std::nullopt;
    const std::uint64_t size = info.value().size_bytes;
    if (!has_serialized_head(as_text(head), size)) return std::nullopt;
    const std::uint64_t wanted = searched_bytes(as_text(head), size);
    if (wanted > SourceCache::kMaxSourceBytes) return std::nullopt;
    const auto bytes = files_.read(path, 0, wanted, buffer_);
    if (!bytes) return std::nullopt;
    const auto externals = read_externals(as_text(bytes.value()));
    for (const SerializedExternal& file : externals.value_or(std::vector<SerializedExternal>())) {
      mentions.push_back({file.guid, yaml::MentionKind::strong, file.offset_bytes, 1});
    }
    guids_.get().search(as_text(bytes.value()), [&](const Guid& guid, std::size_t offset) {
      const bool is_listed =
          std::ranges::find(mentions, offset, &FileMention::offset_bytes) != mentions.end();
      if (!is_listed) mentions.push_back({guid, yaml::MentionKind::strong, offset, 1});
    });
    return externals ? "Muster reads only the guids in it" : std::string(kUnreadTable);
  }

  static void note_foreign(AssetNumber asset, std::string_view text, GuidSlot& slot) {
    const auto fault = yaml::find_text_fault(text);
    if (!fault) return;
    slot.problems.push_back(
        {ContentProblem::Kind::foreign_text, asset, fault->message, fault->position});
  }

  static void check_objects(AssetNumber asset, const AssetPath& path, std::string_view text,
                            GuidSlot& slot) {
    using Kind = ContentProblem::Kind;
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    if (const std::size_t at = find_conflict(text); at != text.npos) {
      const auto [line, column] = yaml::line_and_column(text, at);
      slot.problems.push_back({Kind::conflict, asset, {}, {line, column}});
    } else if (is_listed(kObjectExtensions, path) && !text.starts_with("--- ") &&
               text.find("\n--- ") == text.npos) {
      slot.problems.push_back({Kind::no_objects, asset, {}, {}});
    }
  }

  static void check_utf8(AssetNumber asset, std::string_view text, GuidSlot& slot) {
    const std::size_t bad = find_invalid_utf8(text);
    if (bad == std::string_view::npos) return;
    const auto [line, column] = yaml::line_and_column(text, bad);
    slot.problems.push_back({ContentProblem::Kind::invalid_utf8, asset, {}, {line, column}});
  }

  // Parses plain files, because users write comments and mappings in any style. Scans Unity's
  // files, because they are much more numerous and have one style.
  static void find_mentions(const AssetPath& path, std::string_view text,
                            const std::function<void(const yaml::Mention&)>& found) {
    if (is_plain_path(path) && !plain_class_in(text).empty()) {
      const auto read = yaml::read_plain(text);
      if (read.good()) return yaml::find_mentions(read.tree(), text, found);
    }
    yaml::scan_mentions(text, found);
  }

  // Detects Git LFS pointers among media files. Opens only files that are small enough for a
  // pointer.
  void detect_pointer(AssetNumber asset, const AssetPath& path, GuidSlot& slot) {
    using Kind = ContentProblem::Kind;
    const auto info = files_.stat(path);
    if (!info) {
      slot.problems.push_back({Kind::unreadable, asset, info.error().message, {}});
      return;
    }
    if (info.value().size_bytes >= yaml::kPointerBytesMax) return;
    const auto bytes = files_.read(path, 0, yaml::kPointerBytesMax, buffer_);
    if (!bytes) {
      slot.problems.push_back({Kind::unreadable, asset, bytes.error().message, {}});
    } else if (yaml::detect_dialect(as_text(bytes.value())) == yaml::Dialect::lfs_pointer) {
      slot.problems.push_back({Kind::lfs_pointer, asset, {}, {}});
    }
  }

  static constexpr std::uint64_t kHeadBytes = 64ULL * 1024;
  const FileReader& files_;
  const AssetIndex& index_;
  FileFactCache* fact_cache_;
  LateGuids& guids_;
  ByteVector& buffer_;
};

}  // namespace

bool means_folder_content(const AssetPath& path) {
  return is_listed(" spriteatlas spriteatlasv2 ", path);
}

bool holds_references(const AssetPath& path) { return is_listed(kReferenceExtensions, path); }

bool is_script(const AssetPath& path) {
  constexpr std::array<std::string_view, 9> kExtensions = {"cs",  "dll", "asmdef", "asmref", "js",
                                                           "boo", "so",  "dylib",  "rsp"};
  return std::ranges::find(kExtensions, lower_ascii(path.extension())) != kExtensions.end();
}

ReferenceGraph::ReferenceGraph(std::vector<ReferenceEdge> edges,
                               std::vector<ContentProblem> problems, std::size_t asset_count)
    : edges_(std::move(edges)),
      is_referred_to_(asset_count, false),
      first_(asset_count + 1, 0),
      problems_(std::move(problems)) {
  for (const ReferenceEdge& edge : edges_) {
    ++first_[edge.from + 1];
    const bool is_reference =
        edge.kind == yaml::MentionKind::strong && !edge.in_meta && !edge.is_variant;
    if (is_reference && edge.to != kNoAsset) is_referred_to_[edge.to] = true;
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
}

std::span<const ReferenceEdge> ReferenceGraph::from(AssetNumber asset) const {
  return std::span(edges_).subspan(first_[asset], first_[asset + 1] - first_[asset]);
}

std::vector<AssetNumber> ReferenceGraph::closure(std::span<const AssetNumber> roots,
                                                 const AssetIndex& index,
                                                 const Stop& stops_before) const {
  std::vector<bool> seen(first_.size(), false);
  std::vector<AssetNumber> found;
  for (const AssetNumber root : roots) {
    if (root != kNoAsset && !seen[root]) {
      seen[root] = true;
      found.push_back(root);
    }
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (is_script(index.at(found[i]).path)) continue;
    for (const ReferenceEdge& edge : from(found[i])) {
      if (!edge.is_strong() || edge.to == kNoAsset || seen[edge.to]) continue;
      if (is_script(index.at(edge.to).path)) continue;
      if (stops_before && stops_before(edge.to)) continue;
      seen[edge.to] = true;
      found.push_back(edge.to);
    }
  }
  std::ranges::sort(found);
  return found;
}

std::vector<AssetNumber> ReferenceGraph::chain(std::span<const AssetNumber> roots,
                                               AssetNumber target, const AssetIndex& index,
                                               const Stop& stops_before) const {
  const auto can_visit = [&](AssetNumber asset) {
    return asset == target ||
           (!is_script(index.at(asset).path) && !(stops_before && stops_before(asset)));
  };
  std::vector<AssetNumber> before(first_.size(), kNoAsset);
  std::vector<bool> seen(first_.size(), false);
  std::vector<AssetNumber> queue;
  for (const AssetNumber root : roots) {
    if (root == kNoAsset || seen[root]) continue;
    seen[root] = true;
    queue.push_back(root);
  }
  std::ranges::sort(queue);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (queue[i] == target) {
      std::vector<AssetNumber> chain;
      for (AssetNumber at = target; at != kNoAsset; at = before[at]) chain.push_back(at);
      std::ranges::reverse(chain);
      return chain;
    }
    if (is_script(index.at(queue[i]).path)) continue;
    std::vector<AssetNumber> next;
    for (const ReferenceEdge& edge : from(queue[i])) {
      if (edge.is_strong() && edge.to != kNoAsset && !seen[edge.to] && can_visit(edge.to)) {
        next.push_back(edge.to);
      }
    }
    std::ranges::sort(next);
    for (const AssetNumber to : next) {
      if (seen[to]) continue;
      seen[to] = true;
      before[to] = queue[i];
      queue.push_back(to);
    }
  }
  return {};
}

Result<ReferenceGraph> scan_references(const FileReader& files, const AssetIndex& index,
                                       unsigned jobs, const std::stop_token& stop,
                                       const Progress& progress, const Variants& variants,
                                       FileFactCache* fact_cache) {
  progress.begin("scanning assets", index.assets().size());
  std::vector<GuidSlot> slots(index.assets().size());
  std::vector<ByteVector> buffers(std::max(jobs, 1U));
  LateGuids guids(index);
  const bool finished = parallel_for(slots.size(), jobs, stop, [&](std::size_t i, unsigned worker) {
    AssetScan({files, index, fact_cache, guids, buffers[worker]})
        .run(static_cast<AssetNumber>(i), slots[i]);
    progress.advance(1, index.assets()[i].path.text());
  });
  if (!finished) return fail(ErrorCode::cancelled, "stopped while scanning references");
  std::vector<ReferenceEdge> edges;
  std::vector<ContentProblem> problems;
  for (AssetNumber asset = 0; asset < slots.size(); ++asset) {
    GuidSlot& slot = slots[asset];
    for (const ReferenceEdge& edge : slot.edges) {
      edges.push_back(edge);
      add_folder_content(index, edge, edges);
    }
    for (const VariantFile& variant : variants.of(asset)) {
      edges.push_back({.from = asset,
                       .to = variant.file,
                       .guid = index.at(variant.file).guid,
                       .is_variant = true});
    }
    std::ranges::move(slot.problems, std::back_inserter(problems));
  }
  return ReferenceGraph(std::move(edges), std::move(problems), index.assets().size());
}

}  // namespace muster
