// The packages of a project, and the guids of their assets.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "registry/base/file_system.h"
#include "registry/project/package_guids.h"

namespace muster {

/// A folder that is content of a project but outside its folder.
struct OutsideFolder {
  AssetPath at;          ///< Its path in the project: `Packages/NAME`, as in the editor.
  std::string place;     ///< Its path on the disk: relative to the project's folder, or absolute.
  std::string named_by;  ///< Its origin: a package in the manifest, or `folders`.
};

/// The outside folders of a project: packages of `Packages/manifest.json` with `file:` (but not
/// those in `Packages`, nor archives), and `folders` of muster.yaml that begin with `..`. Sorted by
/// `at`. Reads the two files and ignores unreadable ones.
std::vector<OutsideFolder> outside_folders(const FileReader& files);

/// The path inside the project for a folder that muster.yaml names with `..` or as an absolute
/// path; nothing for a path inside.
std::optional<AssetPath> path_of_outside(const FileReader& files, std::string_view folder);

/// The packages in a project's manifests, and the assets of packages that are not in the project.
/// Safe to use from several threads.
class Packages {
 public:
  /// Reads `Packages/manifest.json` and `Packages/packages-lock.json`. An unreadable file names no
  /// package and is listed in `unread`.
  explicit Packages(const FileReader& files);

  /// Whether `packages-lock.json` exists. It names every package.
  bool has_lock() const { return has_lock_; }
  /// Whether the manifest or the lock names a package.
  bool has(const std::string& package) const { return named_.contains(package); }
  /// The packages that manifest and lock name, each with its version, folder or address; empty if
  /// that is not a text.
  const std::map<std::string, std::string>& named() const { return named_; }
  /// Packages in folders outside of the project that do not exist, by name, each with the setting
  /// that names it.
  const std::map<std::string, std::string>& missing() const { return missing_; }

  /// A manifest, a lock or a part of `Library/PackageCache` that could not be read.
  struct Unread {
    AssetPath path;
    Error error;
  };
  /// Complete after the last call of `find`.
  std::vector<Unread> unread() const;

  /// The asset of a package with this guid: of a common public package, or of one in
  /// `Library/PackageCache`, which is searched when a guid is in no table for the first time.
  std::optional<PackageAsset> find(const Guid& guid) const;

 private:
  /// Records the packages of a manifest or a lock, and returns its dependencies.
  nlohmann::ordered_json read_names(const AssetPath& path);
  void read_cache() const;
  void read_cached_folder(const AssetPath& folder, const std::string& package,
                          std::size_t depth) const;

  const FileReader& files_;
  bool has_lock_ = false;
  std::map<std::string, std::string> named_;  // package, its version or address
  std::map<std::string, std::string> missing_;
  mutable std::mutex mutex_;
  mutable std::vector<Unread> unread_;
  mutable std::optional<std::unordered_map<Guid, PackageAsset>> cached_;
};

}  // namespace muster
