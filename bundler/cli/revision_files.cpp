// Keeps the tree of the project's folder in memory. The tree of a submodule is added at the first
// request for one of its files. Links are resolved name by name within the repository, as the
// kernel does. If a link leads to a file outside the folder, that file has a path below `.git`,
// because a tree cannot contain this name.
#include "bundler/cli/revision_files.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "bundler/cli/edges.h"
#include "bundler/cli/git_repository.h"

namespace muster::cli {
namespace {

/// The maximum size of a pointer file of Git LFS.
constexpr std::uint64_t kGitPointerBytesMax = 1024;
/// The maximum number of links on one path, as in Linux.
constexpr int kLinksMax = 40;
/// The size that is assumed for a blob that was not fetched. A Git LFS pointer is always smaller.
constexpr std::uint64_t kAbsentBytes = 1ULL << 20U;
/// The maximum size of the path in a link, as in Linux.
constexpr std::uint64_t kLinkBytesMax = 4096;

// The path of the content in the store of Git LFS; no value if the text is not a pointer.
std::optional<AssetPath> lfs_object_of(std::string_view text) {
  constexpr std::string_view kKey = "\noid sha256:";
  constexpr std::size_t kDigits = 64;
  const std::size_t at = text.find(kKey);
  if (!text.starts_with("version https://git-lfs.github.com/spec/v1\n") ||
      at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string digits(text.substr(at + kKey.size(), kDigits));
  const bool is_hex = std::ranges::all_of(
      digits, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (digits.size() != kDigits || !is_hex) return std::nullopt;
  return AssetPath().child(digits.substr(0, 2)).child(digits.substr(2, 2)).child(digits);
}

// Files outside the project's folder have paths below this path.
AssetPath outer_folder() { return AssetPath().child(".git"); }

struct Source {
  std::unique_ptr<GitRepository> repository;
  std::unique_ptr<FileSystem> lfs;  ///< The store of Git LFS; null if there is no store.
};

struct Entry {
  GitEntry git;
  Source* source = nullptr;
};

class GitFiles final : public RevisionFiles {
 public:
  explicit GitFiles(std::string project) : project_(std::move(project)) { folders_[AssetPath()]; }

  /// Adds all files of a repository below the path `at`.
  Result<void> add(std::unique_ptr<GitRepository> repository, const AssetPath& at) const {
    auto tree = repository->list();
    if (!tree) return fail(tree.error());
    auto source = std::make_unique<Source>();
    const std::string common = repository->common_folder();
    auto store = open_folder(common + "/lfs/objects");
    if (!common.empty() && store) source->lfs = std::move(store).value();
    source->repository = std::move(repository);
    for (auto& [path, entry] : tree.value()) {
      const AssetPath full_path =
          at.empty() ? path : AssetPath::parse(at.text() + "/" + path.text()).value();
      add_to_folder(full_path);
      if (entry.kind == GitEntry::Kind::submodule) folders_[full_path];
      entries_.emplace(full_path, Entry{std::move(entry), source.get()});
    }
    sources_.push_back(std::move(source));
    return {};
  }

  Result<FileInfo> stat(const AssetPath& path) const override {
    const std::scoped_lock lock(mutex_);
    const Found own = find(path, false);
    if (own.error) return fail(*own.error);
    FileInfo info = info_of(own);
    const auto entry = entries_.find(own.path);
    if (own.kind == Reach::there && entry != entries_.end() &&
        entry->second.git.kind == GitEntry::Kind::link) {
      const Found target = find(path, true);
      if (target.error) return fail(*target.error);
      info = info_of(target);
      if (target.kind == Reach::there && !exists(target.path)) info.kind = FileKind::broken_link;
      info.is_link = true;
      if (info.kind == FileKind::file) info.target = target.path;
      return info;
    }
    if (own.kind == Reach::there && exists(own.path)) return info;
    return missing(path);
  }

  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override {
    const std::scoped_lock lock(mutex_);
    const Found found = find(folder, true);
    if (found.error) return fail(*found.error);
    if (auto mounted = mount(found.path); !mounted) return fail(mounted.error());
    const auto listed = folders_.find(found.path);
    if (found.kind != Reach::there || listed == folders_.end()) return missing(folder);
    std::vector<DirectoryEntry> entries;
    for (const std::string& name : listed->second) {
      const AssetPath path = found.path.child(name);
      DirectoryEntry entry{name, FileKind::folder, false};
      const auto known = entries_.find(path);
      if (known != entries_.end() && known->second.git.kind == GitEntry::Kind::file) {
        entry.kind = FileKind::file;
      } else if (known != entries_.end() && known->second.git.kind == GitEntry::Kind::link) {
        const Found target = find(path, true);
        entry.is_link = true;
        entry.kind = info_of(target).kind;
        if (target.error || (target.kind == Reach::there && !exists(target.path))) {
          entry.kind = FileKind::broken_link;
        }
      }
      entries.push_back(std::move(entry));
    }
    std::ranges::sort(entries, {}, &DirectoryEntry::name);
    return entries;
  }

  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override {
    const std::scoped_lock lock(mutex_);
    const Found found = find(path, true);
    if (found.error) return fail(*found.error);
    const auto entry = entries_.find(found.path);
    if (found.kind == Reach::outside) {
      return fail(ErrorCode::permission_denied,
                  "'" + path.text() + "': a link in its path leads out of the folder");
    }
    if (found.kind != Reach::there || entry == entries_.end() ||
        entry->second.git.kind != GitEntry::Kind::file) {
      return missing(path);
    }
    if (const auto object = object_behind(entry->second, found.path)) {
      return entry->second.source->lfs->read(*object, offset, max_bytes, buffer);
    }
    const auto bytes = read_blob(entry->second, found.path);
    if (!bytes) return fail(bytes.error());
    const std::size_t size = bytes.value().size();
    const auto begin = static_cast<std::size_t>(std::min<std::uint64_t>(offset, size));
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(max_bytes, size - begin));
    if (buffer.size() < part) buffer.resize(part);
    std::ranges::copy(bytes.value().subspan(begin, part), buffer.begin());
    return Bytes(buffer).first(part);
  }

  std::optional<Error> failure() const override {
    const std::scoped_lock lock(mutex_);
    return failure_;
  }

  bool ignores(const AssetPath& path) const override {
    const std::scoped_lock lock(mutex_);
    return sources_.front()->repository->ignores(path.text());
  }

  bool leads_out_of_project(const AssetPath& path) const override {
    const std::scoped_lock lock(mutex_);
    const auto entry = entries_.find(path);
    if (entry == entries_.end() || entry->second.git.kind != GitEntry::Kind::link) return false;
    const Found target = find(path, true);
    return target.kind == Reach::there && target.path.is_within(outer_folder()) &&
           exists(target.path);
  }

  void leave_unread(std::set<AssetPath> links) override {
    const std::scoped_lock lock(mutex_);
    unread_links_ = std::move(links);
  }

 private:
  enum class Reach : std::uint8_t { there, outside, broken };
  // The target of a path after following all links. The target may be missing.
  struct Found {
    Reach kind = Reach::there;
    AssetPath path;
    std::optional<Error> error;
  };

  static tl::unexpected<Error> missing(const AssetPath& path) {
    return fail(ErrorCode::not_found, "'" + path.text() + "' is not in that revision");
  }
  bool exists(const AssetPath& path) const {
    return folders_.contains(path) || entries_.contains(path);
  }

  Error note(Error error) const {
    if (!failure_) failure_ = error;
    return error;
  }

  // Adds the files of a submodule.
  Result<void> mount(const AssetPath& path) const {
    const auto entry = entries_.find(path);
    if (entry == entries_.end() || entry->second.git.kind != GitEntry::Kind::submodule) return {};
    const std::string commit = entry->second.git.id;
    const std::string prefix = outer_folder().text() + "/";
    const std::string folder = path.text().starts_with(prefix)
                                   ? work_tree() + "/" + path.text().substr(prefix.size())
                                   : project_ + "/" + path.text();
    auto repository = GitRepository::open(folder, commit);
    const bool is_own = repository && repository.value()->is_top();
    Result<void> added = fail(ErrorCode::not_found, "it is not checked out");
    if (is_own) {
      entries_.erase(path);
      added = add(std::move(repository).value(), path);
    } else if (!repository && repository.error().code != ErrorCode::not_found) {
      added = fail(repository.error());
    } else if (!repository && open_folder(folder + "/.git/..")) {
      added = fail(ErrorCode::not_found, "its repository here lacks that commit");
    }
    if (added) return added;
    return fail(note(
        {added.error().code, "'" + path.text() + "' is a submodule at commit " + commit +
                                 ", which cannot be read: " + added.error().message +
                                 "; run 'git submodule update --init', and 'git fetch' in it"}));
  }

  Found find(const AssetPath& path, bool follows_last) const {
    Found found;
    std::deque<std::string> rest = parts_of(path.text());
    int links = 0;
    while (!rest.empty()) {
      const std::string name = std::move(rest.front());
      rest.pop_front();
      if (name == "..") {
        auto above = parent_of(found.path);
        if (!above) return {Reach::broken, {}, above.error()};
        if (!above.value()) return {Reach::outside, {}, {}};
        found.path = std::move(*above.value());
        continue;
      }
      if (auto mounted = mount(found.path); !mounted) return {Reach::broken, {}, mounted.error()};
      const AssetPath next = without_detour(found.path.child(name));
      const auto entry = entries_.find(next);
      const bool is_link =
          entry != entries_.end() && entry->second.git.kind == GitEntry::Kind::link;
      if (!is_link || (rest.empty() && !follows_last)) {
        found.path = next;
        continue;
      }
      if (unread_links_.contains(next)) return {Reach::outside, {}, {}};
      if (++links > kLinksMax) return {Reach::broken, {}, {}};
      const auto target = read_blob(entry->second, next);
      if (!target) return {Reach::broken, {}, target.error()};
      const std::string text(as_text(target.value()).substr(0, kLinkBytesMax));
      std::deque<std::string> ahead = parts_of(text);
      if (text.starts_with('/')) {
        const auto inside = path_in_work_tree(text);
        if (!inside) return {Reach::outside, {}, {}};
        if (auto opened = add_outer_files(); !opened) return {Reach::broken, {}, opened.error()};
        found.path = outer_folder();
        ahead = parts_of(*inside);
      }
      rest.insert(rest.begin(), ahead.begin(), ahead.end());
    }
    return found;
  }

  const std::string& work_tree() const {
    if (!work_tree_) work_tree_ = sources_.front()->repository->work_tree();
    return *work_tree_;
  }

  // The path in the repository for an absolute path; no value if the path is not in the work tree.
  std::optional<std::string> path_in_work_tree(const std::string& path) const {
    const std::string& top = work_tree();
    if (top.empty()) return std::nullopt;
    if (path == top || path.starts_with(top + "/")) return path.substr(top.size());
    const auto real = resolved(
        path);  // Resolves links, because Git returns the path of the work tree without links.
    if (!real || !real.value().starts_with(top + "/")) return std::nullopt;
    return real.value().substr(top.size());
  }

  // The folder that contains a path; no value at the top of the repository.
  Result<std::optional<AssetPath>> parent_of(const AssetPath& path) const {
    if (path == outer_folder()) return std::optional<AssetPath>();
    if (!path.empty()) return std::optional(path.parent());
    if (sources_.front()->repository->is_top()) return std::optional<AssetPath>();
    if (auto opened = add_outer_files(); !opened) return fail(opened.error());
    return std::optional(project_in_outer_folder().parent());
  }

  // The path of the project's folder below `outer_folder()`.
  AssetPath project_in_outer_folder() const {
    AssetPath path = outer_folder();
    for (const std::string& name : parts_of(sources_.front()->repository->prefix())) {
      path = path.child(name);
    }
    return path;
  }

  // Returns `path`, with one exception: returns the empty path if `path` leads out of the project's
  // folder and back to this folder.
  AssetPath without_detour(AssetPath path) const {
    if (!has_outer_files_ || path != project_in_outer_folder()) return path;
    return {};
  }

  // Adds the files of the repository that are outside the project's folder.
  Result<void> add_outer_files() const {
    if (has_outer_files_) return {};
    const GitRepository& own = *sources_.front()->repository;
    auto whole = GitRepository::open(work_tree(), own.commit());
    if (!whole) return fail(note(whole.error()));
    if (auto added = add(std::move(whole).value(), outer_folder()); !added) {
      return fail(note(added.error()));
    }
    has_outer_files_ = true;
    return {};
  }

  static std::deque<std::string> parts_of(std::string_view text) {
    std::deque<std::string> parts;
    while (!text.empty()) {
      const std::string_view part = text.substr(0, text.find('/'));
      text.remove_prefix(std::min(text.size(), part.size() + 1));
      if (!part.empty() && part != ".") parts.emplace_back(part);
    }
    return parts;
  }

  // The kind and the size of a file. A blob of unknown size gets a size that is too large for a
  // pointer.
  FileInfo info_of(const Found& found) const {
    FileInfo info;
    if (found.kind == Reach::outside) info.kind = FileKind::outside_link;
    if (found.kind == Reach::broken) info.kind = FileKind::broken_link;
    if (found.kind != Reach::there) return info;
    const auto entry = entries_.find(found.path);
    if (entry == entries_.end() || entry->second.git.kind == GitEntry::Kind::submodule) {
      info.kind = FileKind::folder;
      info.identity = std::hash<std::string>{}(found.path.text()) | 1U;
      return info;
    }
    if (entry->second.git.kind == GitEntry::Kind::link) return info;
    info.size_bytes = kAbsentBytes;
    if (entry->second.git.is_absent) return info;
    if (const auto object = object_behind(entry->second, found.path)) {
      const auto stored = entry->second.source->lfs->stat(*object);
      if (stored) info.size_bytes = stored.value().size_bytes;
      return info;
    }
    const auto size = size_of(entry->second, found.path);
    if (size) info.size_bytes = size.value();
    return info;
  }

  // The path of the content in the store of Git LFS. No value if the blob is not a pointer, or if
  // the store does not have the content.
  std::optional<AssetPath> object_behind(const Entry& entry, const AssetPath& path) const {
    if (entry.source->lfs == nullptr || entry.git.is_absent) return std::nullopt;
    const auto size = size_of(entry, path);
    if (!size || size.value() > kGitPointerBytesMax) return std::nullopt;
    const auto bytes = read_blob(entry, path);
    if (!bytes) return std::nullopt;
    auto object = lfs_object_of(as_text(bytes.value()));
    if (object && !entry.source->lfs->stat(*object)) object.reset();
    return object;
  }

  Result<std::uint64_t> size_of(const Entry& entry, const AssetPath& path) const {
    auto size = entry.source->repository->size_of(entry.git, path.text());
    if (!size) return fail(note(size.error()));
    return size;
  }

  Result<Bytes> read_blob(const Entry& entry, const AssetPath& path) const {
    auto bytes = entry.source->repository->read(entry.git, path.text());
    if (!bytes) return fail(note(bytes.error()));
    return bytes;
  }

  // Adds the path and the folders above it to the lists of names.
  void add_to_folder(const AssetPath& path) const {
    if (path == outer_folder()) return;
    const AssetPath folder = path.parent();
    const bool is_new = !folders_.contains(folder);
    folders_[folder].push_back(std::string(path.name()));
    if (is_new) add_to_folder(folder);
  }

  mutable std::mutex mutex_;
  const std::string project_;
  // The following members grow when a submodule is opened.
  mutable std::vector<std::unique_ptr<Source>> sources_;
  mutable std::map<AssetPath, Entry> entries_;
  /// The names in each folder, each name once.
  mutable std::map<AssetPath, std::vector<std::string>> folders_;
  mutable std::optional<Error> failure_;
  std::set<AssetPath> unread_links_;
  mutable bool has_outer_files_ = false;
  mutable std::optional<std::string> work_tree_;
};

}  // namespace

Result<std::unique_ptr<RevisionFiles>> open_revision(const std::string& project,
                                                     const std::string& revision) {
  auto repository = GitRepository::open(project, revision);
  if (!repository) return fail(repository.error());
  auto files = std::make_unique<GitFiles>(project);
  if (auto added = files->add(std::move(repository).value(), AssetPath()); !added) {
    return fail(added.error());
  }
  return std::unique_ptr<RevisionFiles>(std::move(files));
}

}  // namespace muster::cli
