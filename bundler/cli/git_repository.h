// Queries one Git repository.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bundler/cli/child_process.h"
#include "registry/base/asset_path.h"

namespace muster::cli {

/// One entry of a tree. The content of a link is its target.
struct GitEntry {
  enum class Kind : std::uint8_t { file, link, submodule };
  Kind kind = Kind::file;
  std::string id;  ///< The id of the blob, or of the commit of a submodule.
  /// The size; no value if it is unknown, because a partial clone does not have every blob.
  std::optional<std::uint64_t> bytes;
  /// True if a partial clone does not have the blob, so that reading it requires a request to the
  /// server.
  bool is_absent = false;
};
using GitTree = std::map<AssetPath, GitEntry>;

/// The repository of a folder, and one commit of this repository. One thread may use this object at
/// a time.
class GitRepository {
 public:
  /// Opens `folder` at `revision`. Fails like `open_revision`.
  static Result<std::unique_ptr<GitRepository>> open(const std::string& folder,
                                                     const std::string& revision);

  /// Lists all files below the folder. In a partial clone, also fetches the missing blobs of text
  /// files.
  Result<GitTree> list();
  /// Reads the content of a blob. The result is valid until the next call.
  Result<Bytes> read(const GitEntry& entry, const std::string& path);
  /// The size of a blob.
  Result<std::uint64_t> size_of(const GitEntry& entry, const std::string& path);
  /// Whether the folder is the top of its repository.
  bool is_top() const { return prefix_.empty(); }
  /// The path of the folder in its repository, with `/` at the end; empty at the top.
  const std::string& prefix() const { return prefix_; }
  /// The id of the commit from which files are read.
  const std::string& commit() const { return commit_; }
  /// The absolute path of the work tree; empty for a bare repository, or if Git fails.
  std::string work_tree() const;
  /// Whether Git excludes a file of the work tree from every commit, because the file is ignored
  /// and not in the index. `path` is relative to the folder.
  bool ignores(const std::string& path) const;
  /// The folder that all work trees of the repository share; empty if Git does not return it.
  std::string common_folder() const;

 private:
  GitRepository(std::string folder, std::string prefix, std::string commit, std::string root)
      : folder_(std::move(folder)),
        prefix_(std::move(prefix)),
        commit_(std::move(commit)),
        root_(std::move(root)) {}
  std::optional<std::string> promisor() const;
  Result<void> bring(GitTree& tree, const std::string& remote);
  Result<std::string> query_object(std::optional<ChildProcess>& process, const char* option,
                                   const GitEntry& entry, const std::string& path);

  std::string folder_;
  std::string prefix_;
  std::string commit_;
  std::string root_;  ///< The id of the folder's tree.
  std::optional<ChildProcess> contents_;
  std::optional<ChildProcess> sizes_;
  ByteVector content_;
};

}  // namespace muster::cli
