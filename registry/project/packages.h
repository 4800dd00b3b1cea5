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

/// A folder that belongs to a project's content but is outside the project's folder.
struct OutsideFolder {
  /// The path of the folder's assets in the project: `Packages/NAME`, as in the editor.
  AssetPath at;
  std::string disk_path;  ///< The path on the disk, absolute or relative to the project's folder.
  /// The setting that names the folder: a package in the manifest, or `folders`.
  std::string named_by;
};

/// The outside folders of a project: the `file:` packages of `Packages/manifest.json` that are
/// folders outside of `Packages`, and the `folders` of muster.yaml that begin with `..`. Sorted by
/// `at`. An unreadable file counts as empty.
std::vector<OutsideFolder> outside_folders(const FileReader& files);

/// The path in the project for a folder that muster.yaml names by a path with `..` or by an
/// absolute path; nullopt for a folder inside the project.
std::optional<AssetPath> path_of_outside(const FileReader& files, std::string_view folder);

/// The packages in a project's manifests, and the assets of packages that are not in the project.
/// Safe to use from several threads.
class Packages {
 public:
  /// Reads `Packages/manifest.json` and `Packages/packages-lock.json`. An unreadable file counts as
  /// empty and is listed in `unread`.
  explicit Packages(const FileReader& files);

  /// Whether `packages-lock.json` exists. This file names every package of the project.
  bool has_lock() const { return has_lock_; }
  /// Whether the manifest or the lock names a package.
  bool has(const std::string& package) const { return named_.contains(package); }
  /// The packages that the manifest and the lock name. The value is a package's version, folder or
  /// address; empty if the file contains no text for the package.
  const std::map<std::string, std::string>& named() const { return named_; }
  /// The packages outside the project whose folder does not exist. Maps the name of the package to
  /// its folder's path on the disk.
  const std::map<std::string, std::string>& missing() const { return missing_; }

  /// A manifest, a lock or a part of `Library/PackageCache` that could not be read.
  struct Unread {
    AssetPath path;
    Error error;
  };
  /// The unreadable files. A call of `find` can add files to the list.
  std::vector<Unread> unread() const;

  /// The asset with this guid in a common public package or in `Library/PackageCache`; nullopt if
  /// neither contains it. Reads `Library/PackageCache` on the first call with a guid that is not in
  /// the table of public packages.
  std::optional<PackageAsset> find(const Guid& guid) const;

 private:
  /// Records the packages of a manifest or lock. Returns the section `dependencies`.
  nlohmann::ordered_json read_names(const AssetPath& path);
  void read_cache() const;
  void read_cached_folder(const AssetPath& folder, const std::string& package,
                          std::size_t depth) const;

  const FileReader& files_;
  bool has_lock_ = false;
  std::map<std::string, std::string> named_;  // The version or address of each package.
  std::map<std::string, std::string> missing_;
  mutable std::mutex mutex_;
  mutable std::vector<Unread> unread_;
  mutable std::optional<std::unordered_map<Guid, PackageAsset>> cached_;
};

}  // namespace muster
