// Three programs, one after the other: `git rev-parse` tells the commit, the project's place in it
// and where Git LFS keeps its objects, `git ls-tree` all files with their sizes, and one `git
// cat-file --batch` hands out contents for as long as the files are used.
#include "bundler/cli/git_files.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <optional>

#include "bundler/cli/child_process.h"
#include "bundler/cli/edges.h"

namespace muster::cli {
namespace {

/// A repository with a million files has about 100 MB of names.
constexpr std::size_t kListBytesMax = 1ULL << 30U;
constexpr std::size_t kAnswerBytesMax = 1U << 16U;
constexpr std::size_t kRevisionBytesMax = 4096;
/// Git LFS itself takes nothing larger for one of its pointers.
constexpr std::uint64_t kPointerBytesMax = 1024;

// What a hook's environment says of another repository, or of another place, is not meant.
std::vector<std::string> git(const std::string& project, std::vector<std::string> arguments) {
  std::vector<std::string> all = {"env"};
  for (const char* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX",
                           "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"}) {
    all.insert(all.end(), {"-u", name});
  }
  all.insert(all.end(), {"git", "--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false",
                         "-c", "core.hooksPath=/dev/null", "-C", project});
  all.insert(all.end(), std::make_move_iterator(arguments.begin()),
             std::make_move_iterator(arguments.end()));
  return all;
}

struct Answer {
  std::string text;
  int code = 0;
};

Result<Answer> ask(const std::string& project, std::vector<std::string> arguments,
                   std::size_t max_bytes) {
  auto child = ChildProcess::start(git(project, std::move(arguments)));
  if (!child) return fail(child.error());
  auto text = child.value().read_rest(max_bytes);
  if (!text) return fail(text.error());
  Answer answer{std::move(text).value(), child.value().wait()};
  if (answer.code == 127) return fail(ErrorCode::io, "'git' cannot be run; is it installed?");
  return answer;
}

std::string_view without_newline(std::string_view text) {
  return text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;
}

Result<void> check_revision(const std::string& revision) {
  const bool has_control = std::ranges::any_of(
      revision, [](char c) { return static_cast<unsigned char>(c) < 0x20U || c == '\x7F'; });
  if (revision.empty() || revision.size() > kRevisionBytesMax || revision.starts_with('-') ||
      has_control) {
    return fail(ErrorCode::invalid_argument, "'" + revision + "' cannot name a Git revision");
  }
  return {};
}

bool is_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

struct Blob {
  std::string id;
  std::uint64_t bytes = 0;
};

// Where Git LFS keeps the content that a pointer stands for; nothing when this is no pointer.
std::optional<AssetPath> lfs_object_of(std::string_view text) {
  constexpr std::string_view kKey = "\noid sha256:";
  constexpr std::size_t kDigits = 64;
  const std::size_t at = text.find(kKey);
  if (!text.starts_with("version https://git-lfs.github.com/spec/v1\n") ||
      at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string digits(text.substr(at + kKey.size(), kDigits));
  if (digits.size() != kDigits || !is_hex(digits)) return std::nullopt;
  return AssetPath().child(digits.substr(0, 2)).child(digits.substr(2, 2)).child(digits);
}

class GitFiles final : public FileSystem {
 public:
  /// `lfs` is the store of Git LFS, or null.
  GitFiles(ChildProcess contents, std::map<AssetPath, Blob> blobs, std::unique_ptr<FileSystem> lfs)
      : contents_(std::move(contents)), blobs_(std::move(blobs)), lfs_(std::move(lfs)) {
    folders_[AssetPath()];
    for (const auto& [path, blob] : blobs_) add_to_folder(path, FileKind::file);
    for (auto& [folder, entries] : folders_) {
      std::ranges::sort(entries, {}, &DirectoryEntry::name);
    }
  }

  Result<FileInfo> stat(const AssetPath& path) const override {
    FileInfo info;
    if (const auto blob = blobs_.find(path); blob != blobs_.end()) {
      if (const auto object = object_behind(path, blob->second)) return lfs_->stat(*object);
      info.size_bytes = blob->second.bytes;
      return info;
    }
    if (!folders_.contains(path)) return missing(path);
    info.kind = FileKind::folder;
    return info;
  }

  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override {
    const auto found = folders_.find(folder);
    if (found == folders_.end()) return missing(folder);
    return found->second;
  }

  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override {
    const auto blob = blobs_.find(path);
    if (blob == blobs_.end()) return missing(path);
    if (const auto object = object_behind(path, blob->second)) {
      return lfs_->read(*object, offset, max_bytes, buffer);
    }
    return read_blob(path, blob->second, offset, max_bytes, buffer);
  }

  Result<void> write(const AssetPath& path, Bytes /*bytes*/) override { return refuse(path); }
  Result<void> commit(std::span<const Move> moves) override {
    return moves.empty() ? Result<void>() : refuse(moves.front().to);
  }
  Result<void> remove(const AssetPath& path) override { return refuse(path); }

 private:
  static tl::unexpected<Error> missing(const AssetPath& path) {
    return fail(ErrorCode::not_found, "'" + path.text() + "' is not in that revision");
  }
  static Result<void> refuse(const AssetPath& path) {
    return fail(ErrorCode::permission_denied, "'" + path.text() + "' is of an old revision");
  }

  // Nothing when the blob is the content itself, or the store lacks it.
  std::optional<AssetPath> object_behind(const AssetPath& path, const Blob& blob) const {
    if (lfs_ == nullptr || blob.bytes > kPointerBytesMax) return std::nullopt;
    ByteVector buffer;
    const auto bytes = read_blob(path, blob, 0, kPointerBytesMax, buffer);
    if (!bytes) return std::nullopt;
    auto object = lfs_object_of(as_text(bytes.value()));
    if (object && !lfs_->stat(*object)) object.reset();
    return object;
  }

  Result<Bytes> read_blob(const AssetPath& path, const Blob& blob, std::uint64_t offset,
                          std::uint64_t max_bytes, ByteVector& buffer) const {
    const std::scoped_lock lock(mutex_);
    if (auto asked = contents_.write(blob.id + "\n"); !asked) return fail(asked.error());
    const auto header = contents_.read_line();  // "ID blob SIZE"
    if (!header) return fail(header.error());
    if (header.value() != blob.id + " blob " + std::to_string(blob.bytes)) {
      return fail(ErrorCode::io, "Git cannot read '" + path.text() + "': " + header.value());
    }
    const auto size = static_cast<std::size_t>(blob.bytes);
    content_.resize(size + 1);  // with the newline that ends it
    if (auto got = contents_.read_exactly(content_); !got) return fail(got.error());
    const auto begin = static_cast<std::size_t>(std::min<std::uint64_t>(offset, size));
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(max_bytes, size - begin));
    if (buffer.size() < part) buffer.resize(part);
    std::ranges::copy(Bytes(content_).subspan(begin, part), buffer.begin());
    return Bytes(buffer).first(part);
  }

  // With its folders, once each.
  void add_to_folder(const AssetPath& path, FileKind kind) {
    const AssetPath folder = path.parent();
    const bool is_new = !folders_.contains(folder);
    folders_[folder].push_back({std::string(path.name()), kind, false});
    if (is_new) add_to_folder(folder, FileKind::folder);
  }

  mutable std::mutex mutex_;
  mutable ChildProcess contents_;
  mutable ByteVector content_;
  std::map<AssetPath, Blob> blobs_;
  std::map<AssetPath, std::vector<DirectoryEntry>> folders_;
  std::unique_ptr<FileSystem> lfs_;
};

// "MODE blob ID  SIZE\tPATH\0" for each.
Result<std::map<AssetPath, Blob>> read_tree(std::string_view text) {
  std::map<AssetPath, Blob> blobs;
  while (!text.empty()) {
    const std::string_view record = text.substr(0, text.find('\0'));
    text.remove_prefix(std::min(text.size(), record.size() + 1));
    const std::size_t tab = record.find('\t');
    if (tab == std::string_view::npos) return fail(ErrorCode::malformed, "Git lists no tree");
    if (!record.starts_with("100")) continue;  // a link or a submodule
    const std::string_view head = record.substr(0, tab);
    const std::size_t id_at = head.find(' ', head.find(' ') + 1) + 1;
    const std::string_view id = head.substr(id_at, head.find(' ', id_at) - id_at);
    const std::string_view size = head.substr(head.rfind(' ') + 1);
    Blob blob{std::string(id), 0};
    const auto read = std::from_chars(size.data(), size.data() + size.size(), blob.bytes);
    const auto path = AssetPath::parse(record.substr(tab + 1));
    if (read.ec != std::errc() || !path) continue;  // no path that a project can have
    blobs.emplace(path.value(), std::move(blob));
  }
  return blobs;
}

// Null when there is none.
std::unique_ptr<FileSystem> lfs_store_of(const std::string& project) {
  const auto common =
      ask(project, {"rev-parse", "--path-format=absolute", "--git-common-dir"}, kAnswerBytesMax);
  if (!common || common.value().code != 0) return nullptr;
  auto store = open_folder(std::string(without_newline(common.value().text)) + "/lfs/objects");
  return store ? std::move(store).value() : nullptr;
}

}  // namespace

Result<std::unique_ptr<FileSystem>> open_revision(const std::string& project,
                                                  const std::string& revision) {
  if (auto good = check_revision(revision); !good) return fail(good.error());
  const auto prefix = ask(project, {"rev-parse", "--show-prefix"}, kAnswerBytesMax);
  if (!prefix) return fail(prefix.error());
  if (prefix.value().code != 0) {
    return fail(ErrorCode::not_found, "'" + project + "' is in no Git repository");
  }
  const auto commit =
      ask(project, {"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"},
          kAnswerBytesMax);
  if (!commit) return fail(commit.error());
  const std::string id(without_newline(commit.value().text));
  const bool is_id = id.size() >= 40 && is_hex(id);
  if (commit.value().code != 0 || !is_id) {
    return fail(ErrorCode::not_found,
                "'" + revision + "' is neither a build nor a revision of the Git repository of '" +
                    project + "'");
  }
  const std::string folder(without_newline(prefix.value().text));
  const auto root =
      ask(project, {"rev-parse", "--verify", "--quiet", id + ":" + folder}, kAnswerBytesMax);
  if (!root) return fail(root.error());
  if (root.value().code != 0) {
    return fail(ErrorCode::not_found, "revision '" + revision + "' has no folder '" + folder + "'");
  }
  const std::string root_id(without_newline(root.value().text));
  const auto tree =
      ask(project, {"ls-tree", "-r", "-z", "-l", "--full-tree", root_id}, kListBytesMax);
  if (!tree) return fail(tree.error());
  if (tree.value().code != 0) return fail(ErrorCode::io, "Git cannot list '" + revision + "'");
  auto blobs = read_tree(tree.value().text);
  if (!blobs) return fail(blobs.error());
  auto contents = ChildProcess::start(git(project, {"cat-file", "--batch"}));
  if (!contents) return fail(contents.error());
  return std::make_unique<GitFiles>(std::move(contents).value(), std::move(blobs).value(),
                                    lfs_store_of(project));
}

}  // namespace muster::cli
