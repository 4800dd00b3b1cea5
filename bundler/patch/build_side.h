// The old or the new build of a patch, without its bundles.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "registry/base/content_hash.h"
#include "registry/base/file_system.h"
#include "runtime/bundle/catalog_reader.h"

namespace muster {

/// A file of a build that a patch handles as a whole: the report, a catalog, a signature or a
/// dictionary.
struct LooseFile {
  AssetPath path;
  ByteVector bytes;
  ContentHash hash;
};

/// The paths of all loose files that a build can have, except dictionaries, in the order that
/// patches use.
std::vector<AssetPath> loose_file_paths();
/// The path of a dictionary of a target.
AssetPath target_dictionary_path(Target target, const ContentHash& hash);
/// Whether a path is the path of a dictionary of a target. A patch may name only such paths and the
/// paths of `loose_file_paths`.
bool is_dictionary_path(std::string_view path);

/// The files of a build: the loose files with their bytes, and the bundles as listed in the
/// catalogs.
class BuildSide {
 public:
  /// Reads the loose files of a build. Fails with `not_found` if the build has neither a client nor
  /// a server. If a file cannot be read, or a catalog cannot be opened, fails with the code of that
  /// failure. The message names the file.
  static Result<BuildSide> read(const FileReader& files);
  /// Like `read`, for files in memory. Also fails if the dictionaries are not the dictionaries of
  /// the catalogs. Requires: `files` begins with the files whose paths are in
  /// `loose_file_paths`, in that order. The dictionaries follow, sorted by path.
  static Result<BuildSide> of(std::vector<LooseFile> files);

  const std::vector<LooseFile>& loose() const { return loose_; }
  /// The dictionaries among the loose files.
  std::vector<const LooseFile*> dictionaries() const;
  /// The loose file at a path; null if it does not exist.
  const LooseFile* find(const AssetPath& path) const;
  /// The catalog of a target; null if the build does not have the target.
  const CatalogReader* catalog(Target target) const;
  /// The bundle of a target with this name; no value if there is no such bundle.
  std::optional<CatalogBundle> find(Target target, const BundleName& name) const;

 private:
  Result<void> open_catalogs();
  Result<void> check_dictionaries() const;

  std::vector<LooseFile> loose_;
  std::array<std::optional<CatalogReader>, 2> catalogs_;
};

/// The path of a bundle in the output.
AssetPath bundle_path(Target target, const BundleName& name);

}  // namespace muster
