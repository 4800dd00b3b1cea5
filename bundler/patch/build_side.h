// One of the two builds of a patch, without its bundles.
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

/// A file of a build that patches handle as a whole: the report, a catalog, a signature, a
/// dictionary.
struct LooseFile {
  AssetPath path;
  ByteVector bytes;
  ContentHash hash;
};

/// The possible loose files of a build, except dictionaries, in the order of patches.
std::vector<AssetPath> loose_file_paths();
/// The path of a dictionary of a target.
AssetPath dictionary_place(Target target, const ContentHash& hash);
/// Whether a path is the path of a dictionary of a target. A patch can name only these paths and
/// the paths of `loose_file_paths`.
bool is_dictionary_place(std::string_view path);

/// The files of a build: the loose ones with their bytes, and the bundles as listed in its
/// catalogs.
class BuildSide {
 public:
  /// Reads the existing files. Fails with `not_found` if there is neither client nor server, and
  /// with the errors of reading and opening a catalog, naming the file.
  static Result<BuildSide> read(const FileReader& files);
  /// The same for files in memory. Also fails if the dictionaries are not those of the catalogs.
  /// Requires: paths of `loose_file_paths` in that order, then dictionaries by path.
  static Result<BuildSide> of(std::vector<LooseFile> files);

  const std::vector<LooseFile>& loose() const { return loose_; }
  /// The loose files that are dictionaries.
  std::vector<const LooseFile*> dictionaries() const;
  /// Null if none exists.
  const LooseFile* find(const AssetPath& path) const;
  /// Null if the build does not have the target. Client first.
  const CatalogReader* catalog(Target target) const;
  /// Nothing if there is no bundle of this name.
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
