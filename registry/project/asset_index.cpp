// First a walk collects the names of files. (A listing contains the kinds, so no `stat` is needed.)
// Then the sidecars are read in parallel, each into its own slot. All results are sorted before
// they are processed, so the index does not depend on the number of threads or on the order in
// which the disk lists files.
#include "registry/project/asset_index.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "registry/base/parallel.h"
#include "registry/project/build_output.h"
#include "registry/project/folded_name.h"
#include "registry/project/portable_name.h"
#include "registry/yaml/scanner.h"

namespace muster {
namespace {

// Nearly all sidecars are smaller than the first limit. The largest known sidecar (of a sprite
// atlas) has 1.4 MB.
constexpr std::uint64_t kMetaFirstBytes = 16ULL * 1024;
constexpr std::uint64_t kMetaBytesMax = 64ULL * 1024 * 1024;
// The limit stops a walk through a cycle of folders that the file system does not report.
constexpr std::size_t kMaxFolderDepth = 128;

struct Walk {
  const FileReader& files;
  std::vector<AssetPath> metas;
  std::vector<std::pair<AssetPath, bool>> things;  // The other paths; true for a folder.
  std::vector<IndexProblem> problems;
  std::vector<AssetPath> lock_paths;
  std::vector<AssetPath> leftovers;
  std::set<AssetPath> outputs;       // Folders that are the output of a build.
  std::set<AssetPath> around;        // Folders that contain only builds.
  std::set<std::uint64_t> followed;  // Identities of folders that a link has reached.
};

// The difference between two names that are equal on other systems.
std::string clash_of(std::string_view one, std::string_view other) {
  const std::string composed = "in how Unicode composes their letters (NFC and NFD)";
  const std::string apart = decomposed_name(one);
  if (apart == decomposed_name(other)) return composed;
  // True if both names are decomposed, or if neither name is decomposed.
  const bool is_alike = (apart == one) == (decomposed_name(other) == other);
  return is_alike ? "in case" : "in case and " + composed;
}

void note_names(Walk& walk, const AssetPath& folder, const std::vector<DirectoryEntry>& entries) {
  for (const DirectoryEntry& entry : entries) {
    if (is_ignored_name(entry.name) || entry.name.ends_with(".meta")) continue;
    std::string why = unportable_reason(entry.name);
    if (why.empty()) continue;
    walk.problems.push_back({.kind = IndexProblem::Kind::unportable_name,
                             .path = folder.child(entry.name),
                             .position = {},
                             .other = {},
                             .guid = {},
                             .detail = std::move(why)});
  }
}

void note_case_clashes(Walk& walk, const AssetPath& folder,
                       const std::vector<DirectoryEntry>& entries) {
  std::map<std::string, const DirectoryEntry*> seen;
  for (const DirectoryEntry& entry : entries) {
    if (is_ignored_name(entry.name) || entry.name.ends_with(".meta")) continue;
    const auto [it, fresh] = seen.emplace(folded_name(entry.name), &entry);
    if (fresh) continue;
    walk.problems.push_back({.kind = IndexProblem::Kind::case_clash,
                             .path = folder.child(entry.name),
                             .position = {},
                             .other = folder.child(it->second->name),
                             .guid = {},
                             .detail = clash_of(entry.name, it->second->name)});
  }
}

// Whether a link must not be followed: it leads to a folder that contains the link, or to a folder
// that another link has reached. (Links among n folders could form n! paths.)
bool leads_back(Walk& walk, const AssetPath& link) {
  const FileReader& files = walk.files;
  const auto target = files.stat(link);
  if (!target || !walk.followed.insert(target.value().identity).second) return true;
  for (AssetPath up = link.parent();; up = up.parent()) {
    const auto info = files.stat(up);
    if (info && info.value().identity == target.value().identity) return true;
    if (up.empty()) return false;
  }
}

// True for a folder, a pipe or a broken link that has the name of a sidecar.
bool is_unread_sidecar(const std::vector<DirectoryEntry>& siblings, const DirectoryEntry& entry) {
  constexpr std::string_view kMeta = ".meta";
  if (entry.kind == FileKind::file || !entry.name.ends_with(kMeta)) return false;
  const std::string_view asset =
      std::string_view(entry.name).substr(0, entry.name.size() - kMeta.size());
  return std::ranges::find(siblings, asset, &DirectoryEntry::name) != siblings.end();
}

// Whether a folder is the output of a build. Such a folder and its sidecar are not content.
bool is_output(Walk& walk, const AssetPath& folder) {
  if (!may_hold_build(folder)) return false;
  const auto listed = walk.files.list(folder);
  if (!listed || !is_build_output(folder, listed.value())) return false;
  walk.outputs.insert(folder);
  return true;
}

// Whether a file or folder needs no sidecar: a folder that contains only builds, and the settings,
// which are beside the content if the content is in the project's own folder.
bool may_lack_sidecar(const Walk& walk, const ProjectConfig& config, const AssetPath& path) {
  return walk.around.contains(path) || path.text() == ProjectConfig::kFileName ||
         path == config.components;
}

void walk_folder(Walk& walk, const AssetPath& folder, bool metas_expected, std::size_t depth) {
  const auto listed = walk.files.list(folder);
  if (!listed || depth > kMaxFolderDepth) {
    walk.problems.push_back({.kind = IndexProblem::Kind::unreadable,
                             .path = folder,
                             .position = {},
                             .other = {},
                             .guid = {},
                             .detail = listed ? "nested too deeply" : listed.error().message});
    return;
  }
  note_case_clashes(walk, folder, listed.value());
  note_names(walk, folder, listed.value());
  for (const DirectoryEntry& entry : listed.value()) {
    if (entry.kind == FileKind::file && is_lock_name(entry.name)) {
      walk.lock_paths.push_back(folder.child(entry.name));
    }
    if (entry.kind == FileKind::file && is_temporary_name(entry.name)) {
      walk.leftovers.push_back(folder.child(entry.name));
    }
    const AssetPath path = folder.child(entry.name);
    if (is_ignored_name(entry.name) || is_unity_output(path)) continue;
    if (entry.kind == FileKind::file && entry.name.ends_with(".meta")) {
      walk.metas.push_back(path);
      continue;
    }
    if (is_unread_sidecar(listed.value(), entry)) {
      walk.problems.push_back({IndexProblem::Kind::unreadable,
                               path,
                               {},
                               {},
                               {},
                               "a sidecar must be a file of the project, but this is not a file, "
                               "or is a link that is not followed"});
      continue;
    }
    if (entry.kind == FileKind::outside_link || entry.kind == FileKind::broken_link) {
      walk.problems.push_back({IndexProblem::Kind::outside_link, path, {}, {}, {}, {}});
      continue;
    }
    if (entry.kind == FileKind::other) continue;
    const bool is_folder = entry.kind == FileKind::folder;
    if (is_folder && is_output(walk, path)) continue;
    if (metas_expected) walk.things.emplace_back(path, is_folder);
    if (!is_folder) continue;
    if (entry.is_link && leads_back(walk, path)) {
      walk.problems.push_back({IndexProblem::Kind::link_circle, path, {}, {}, {}, {}});
      continue;
    }
    const std::size_t things = walk.things.size();
    const std::size_t outputs = walk.outputs.size();
    walk_folder(walk, path, true, depth + 1);
    if (walk.things.size() == things && walk.outputs.size() > outputs) walk.around.insert(path);
  }
}

IndexProblem meta_problem(const AssetPath& path, const MetaResult& read) {
  IndexProblem::Kind kind = IndexProblem::Kind::malformed_guid;
  std::string detail;
  switch (read.problem) {
    case MetaProblem::merge_conflict:
      kind = IndexProblem::Kind::merge_conflict;
      break;
    case MetaProblem::lfs_pointer:
      kind = IndexProblem::Kind::lfs_pointer;
      break;
    case MetaProblem::no_guid:
      detail = "it has no guid";
      break;
    case MetaProblem::malformed_guid:
      detail = "its guid is not 32 hex digits, or all zero";
      break;
    case MetaProblem::several_guids:
      detail = "it has two different guids";
      break;
    case MetaProblem::repeated_guid:
      kind = IndexProblem::Kind::malformed_sidecar;
      detail = "this sidecar has its guid twice; remove one of the two lines";
      break;
    case MetaProblem::second_document:
      kind = IndexProblem::Kind::malformed_sidecar;
      detail = "a sidecar is one document, so this second document has no effect";
      break;
    case MetaProblem::not_text:
      detail = read.problem_text;
      break;
    case MetaProblem::none:
      break;
  }
  return {kind, path, read.problem_position, {}, {}, std::move(detail)};
}

struct MetaSlot {
  Meta meta;
  std::vector<IndexProblem> problems;
  bool usable = false;
  bool has_mentions = false;
};

void read_sidecar(const FileReader& files, const AssetPath& path, FileFactCache* fact_cache,
                  ByteVector& buffer, MetaSlot& slot) {
  if (const auto known = fact_cache == nullptr ? std::nullopt : fact_cache->find_sidecar(path);
      known) {
    slot.meta.guid = known->guid;
    slot.meta.is_folder = known->is_folder;
    slot.has_mentions = known->has_mentions;
    slot.usable = true;
    return;
  }
  auto bytes = files.read(path, 0, kMetaFirstBytes, buffer);
  if (bytes && bytes.value().size() == kMetaFirstBytes) {
    bytes = read_whole(files, path, kMetaBytesMax, buffer);
  }
  const auto add_problem = [&](IndexProblem::Kind kind, yaml::Position position, Guid guid,
                               std::string detail) {
    slot.problems.push_back({kind, path, position, {}, guid, std::move(detail)});
  };
  using enum IndexProblem::Kind;
  if (!bytes) return add_problem(unreadable, {}, {}, bytes.error().message);
  const MetaResult read = read_meta(as_text(bytes.value()));
  if (read.problem != MetaProblem::none) slot.problems.push_back(meta_problem(path, read));
  slot.meta = read.meta;
  slot.usable = !read.meta.guid.is_null();
  if (!slot.usable) return;
  // Textual mentions do not count, because they include the asset's own guid.
  yaml::scan_mentions(as_text(bytes.value()), [&](const yaml::Mention& mention) {
    if (mention.kind != yaml::MentionKind::textual) slot.has_mentions = true;
  });
  const Meta& meta = read.meta;
  if (meta.is_upper_case) add_problem(upper_case_guid, meta.guid_position, meta.guid, {});
  if (is_likely_placeholder(meta.guid)) {
    add_problem(placeholder_guid, meta.guid_position, meta.guid, {});
  }
  if (fact_cache != nullptr && slot.problems.empty()) {
    fact_cache->note_sidecar(path, {meta.guid, meta.is_folder, slot.has_mentions});
  }
}

bool is_not_followed(const FileInfo& info) {
  return info.kind == FileKind::outside_link || info.kind == FileKind::broken_link;
}

// Whether the path, or one of its parent folders, is a link to a target outside the project.
Result<bool> leaves_project(const FileReader& files, const AssetPath& path) {
  std::optional<Error> refused;
  for (AssetPath up = path; !up.empty(); up = up.parent()) {
    const auto info = files.stat(up);
    if (info && is_not_followed(info.value())) return true;
    if (!info && !refused) refused = info.error();
  }
  if (refused) return fail(*refused);
  return false;
}

AssetPath without_meta(const AssetPath& path) {
  return path.parent().child(path.name().substr(0, path.name().size() - 5));
}

// Removes folders that are listed twice or are inside another listed folder.
std::vector<AssetPath> outermost(std::vector<AssetPath> folders) {
  std::ranges::sort(folders);
  std::vector<AssetPath> kept;
  for (AssetPath& folder : folders) {
    const bool is_inside =
        std::ranges::any_of(kept, [&](const AssetPath& outer) { return folder.is_within(outer); });
    if (!is_inside) kept.push_back(std::move(folder));
  }
  return kept;
}

}  // namespace

bool is_unity_output(const AssetPath& path) {
  constexpr std::array<std::string_view, 5> kNames = {"Library", "Logs", "Temp", "UserSettings",
                                                      "obj"};
  return path.parent().empty() && std::ranges::find(kNames, path.name()) != kNames.end();
}

bool is_lock_name(std::string_view name) {
  return name.starts_with(kLockPrefix) && name.ends_with(kLockSuffix) &&
         name.size() > kLockPrefix.size() + kLockSuffix.size();
}

bool is_ignored_name(std::string_view name) {
  return name.starts_with('.') || name.ends_with('~') || lower_ascii(name) == "cvs" ||
         lower_ascii(name).ends_with(".tmp");
}

AssetIndex::AssetIndex(std::vector<Asset> assets, std::vector<IndexProblem> problems,
                       std::vector<AssetPath> lock_paths, std::vector<AssetPath> leftovers)
    : assets_(std::move(assets)),
      problems_(std::move(problems)),
      lock_paths_(std::move(lock_paths)),
      leftovers_(std::move(leftovers)) {
  std::ranges::sort(assets_, {}, &Asset::path);
  std::ranges::sort(lock_paths_);
  std::ranges::sort(leftovers_);
  by_guid_.reserve(assets_.size());
  for (AssetNumber number = 0; number < assets_.size(); ++number) {
    const Asset& asset = assets_[number];
    const auto [it, fresh] = by_guid_.emplace(asset.guid, number);
    if (fresh) continue;
    problems_.push_back({IndexProblem::Kind::duplicate_guid,
                         asset.path,
                         {},
                         assets_[it->second].path,
                         asset.guid,
                         {}});
  }
  std::ranges::sort(problems_, [](const IndexProblem& a, const IndexProblem& b) {
    return std::tie(a.path, a.kind, a.other) < std::tie(b.path, b.kind, b.other);
  });
}

AssetNumber AssetIndex::find(const Guid& guid) const {
  const auto found = by_guid_.find(guid);
  return found == by_guid_.end() ? kNoAsset : found->second;
}

AssetNumber AssetIndex::find(const AssetPath& path) const {
  const auto found = std::ranges::lower_bound(assets_, path, {}, &Asset::path);
  if (found == assets_.end() || found->path != path) return kNoAsset;
  return static_cast<AssetNumber>(found - assets_.begin());
}

std::vector<AssetNumber> AssetIndex::within(const AssetPath& folder) const {
  const std::string begin = folder.text() + "/";
  std::vector<AssetNumber> found;
  const auto text = [](const Asset& asset) -> const std::string& { return asset.path.text(); };
  for (auto at = std::ranges::lower_bound(assets_, begin, {}, text);
       at != assets_.end() && at->path.text().starts_with(begin); ++at) {
    found.push_back(static_cast<AssetNumber>(at - assets_.begin()));
  }
  return found;
}

Result<AssetIndex> build_asset_index(const FileReader& files, const ProjectConfig& config,
                                     unsigned jobs, const std::stop_token& stop,
                                     const Progress& progress, FileFactCache* fact_cache) {
  progress.begin("walking the folders", 0);
  Walk walk{.files = files,
            .metas = {},
            .things = {},
            .problems = {},
            .lock_paths = {},
            .leftovers = {},
            .outputs = {},
            .around = {},
            .followed = {}};
  for (const AssetPath& folder : outermost(config.folders)) {
    const auto leaves = leaves_project(files, folder);
    if (!leaves || leaves.value()) {
      walk.problems.push_back(
          {.kind = leaves ? IndexProblem::Kind::outside_link : IndexProblem::Kind::unreadable,
           .path = folder,
           .position = {},
           .other = {},
           .guid = {},
           .detail = leaves ? std::string() : leaves.error().message});
      continue;
    }
    // Unity does not import files and folders directly in Packages, so they have no sidecars.
    const bool metas_expected = folder.text() != "Packages";
    walk_folder(walk, folder, metas_expected, 0);
  }
  progress.begin("reading sidecars", walk.metas.size());
  std::vector<MetaSlot> slots(walk.metas.size());
  std::vector<ByteVector> buffers(std::max(jobs, 1U));
  const bool finished = parallel_for(slots.size(), jobs, stop, [&](std::size_t i, unsigned worker) {
    read_sidecar(files, walk.metas[i], fact_cache, buffers[worker], slots[i]);
    progress.advance(1, walk.metas[i].text());
  });
  if (!finished) return fail(ErrorCode::cancelled, "stopped while reading sidecars");

  std::map<AssetPath, bool> unclaimed(walk.things.begin(), walk.things.end());
  std::vector<Asset> assets;
  assets.reserve(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    MetaSlot& slot = slots[i];
    std::ranges::move(slot.problems, std::back_inserter(walk.problems));
    const AssetPath path = without_meta(walk.metas[i]);
    if (walk.outputs.contains(path)) continue;
    const auto thing = unclaimed.find(path);
    if (thing == unclaimed.end()) {
      if (is_ignored_name(path.name())) continue;
      const auto info = files.stat(path);
      if (info && is_not_followed(info.value())) continue;
      if (!info) {
        walk.problems.push_back({IndexProblem::Kind::orphan_meta,
                                 walk.metas[i],
                                 {},
                                 {},
                                 slot.meta.guid,
                                 slot.meta.is_folder ? "folder" : "file"});
        continue;
      }
    }
    const bool is_folder = thing != unclaimed.end() ? thing->second : slot.meta.is_folder;
    if (thing != unclaimed.end()) unclaimed.erase(thing);
    if (slot.usable) assets.push_back({path, slot.meta.guid, is_folder, slot.has_mentions});
  }
  for (const auto& [path, is_folder] : unclaimed) {
    if (may_lack_sidecar(walk, config, path)) continue;
    walk.problems.push_back(
        {IndexProblem::Kind::missing_meta, path, {}, {}, {}, is_folder ? "folder" : "file"});
  }
  return AssetIndex(std::move(assets), std::move(walk.problems), std::move(walk.lock_paths),
                    std::move(walk.leftovers));
}

}  // namespace muster
