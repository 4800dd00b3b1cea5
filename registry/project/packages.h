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

/// A folder that is content of a project and lies elsewhere.
struct OutsideFolder {
  AssetPath at;          ///< Its path in the project: `Packages/NAME`, as the editor has it.
  std::string place;     ///< Where it lies: relative to the project's folder, or absolute.
  std::string named_by;  ///< What names it: a package in the manifest, or `folders`.
};

/// The folders that a project takes from elsewhere: packages of `Packages/manifest.json` with
/// `file:` (but not those in `Packages`, nor archives), and `folders` of muster.yaml that begin
/// with
/// `..`. Sorted by `at`. Reads the two files; what cannot be read names nothing here.
std::vector<OutsideFolder> outside_folders(const FileReader& files);

/// The path in the project of what `folders` of muster.yaml names with `..` or as an absolute path;
/// nothing for a path inside.
std::optional<AssetPath> path_of_outside(const FileReader& files, std::string_view folder);

/// What a project's manifests say of packages, and the assets of those that are not in the project.
/// Safe to use from several threads.
class Packages {
 public:
  /// Reads `Packages/manifest.json` and `Packages/packages-lock.json`. A file that cannot be read
  /// names no package and is listed in `unread`.
  explicit Packages(const FileReader& files);

  /// Whether the lock is there, which names every package.
  bool has_lock() const { return has_lock_; }
  /// Whether the manifest or the lock names a package.
  bool has(const std::string& package) const { return named_.contains(package); }
  /// The packages that are to be taken from elsewhere and are not there, by name: what says so.
  const std::map<std::string, std::string>& missing() const { return missing_; }

  /// A manifest, a lock or a part of `Library/PackageCache` that could not be read.
  struct Unread {
    AssetPath path;
    Error error;
  };
  /// Complete when no more guids are asked for.
  std::vector<Unread> unread() const;

  /// The asset of a package that has this guid: of a common public one, or of one in
  /// `Library/PackageCache`, which is looked through when the first guid is in no table.
  std::optional<PackageAsset> find(const Guid& guid) const;

 private:
  /// Notes the packages of a manifest or a lock, and returns its dependencies.
  nlohmann::ordered_json read_names(const AssetPath& path);
  void read_cache() const;
  void read_cached_folder(const AssetPath& folder, const std::string& package,
                          std::size_t depth) const;

  const FileReader& files_;
  bool has_lock_ = false;
  std::map<std::string, std::string> named_;  // package, what is said of it
  std::map<std::string, std::string> missing_;
  mutable std::mutex mutex_;
  mutable std::vector<Unread> unread_;
  mutable std::optional<std::unordered_map<Guid, PackageAsset>> cached_;
};

}  // namespace muster
