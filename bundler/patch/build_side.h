// One of the two builds of a patch, looked at without its bundles.
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

/// A file of a build that patches handle whole: the report, a catalog, a signature, a dictionary.
struct LooseFile {
  AssetPath path;
  ByteVector bytes;
  ContentHash hash;
};

/// The loose files that a build may have besides dictionaries, in the order in which patches hold
/// them.
std::vector<AssetPath> loose_file_paths();
/// Where a dictionary of a target is.
AssetPath dictionary_place(Target target, const ContentHash& hash);
/// Whether a path is that of a dictionary of some target. With the paths above, nothing else is
/// ever read or written by that name.
bool is_dictionary_place(std::string_view path);

/// The files of a build: the loose ones with their bytes, and what its catalogs say of the rest.
class BuildSide {
 public:
  /// Reads what is there. Fails with `not_found` when there is neither client nor server, and as
  /// reading and opening a catalog do, naming the file.
  static Result<BuildSide> read(const FileReader& files);
  /// The same of files in hand. Fails also when the dictionaries are not those of the catalogs.
  /// Requires: paths of `loose_file_paths` in that order, then dictionaries by their paths.
  static Result<BuildSide> of(std::vector<LooseFile> files);

  const std::vector<LooseFile>& loose() const { return loose_; }
  /// Those of them that are dictionaries.
  std::vector<const LooseFile*> dictionaries() const;
  /// Null when there is none.
  const LooseFile* find(const AssetPath& path) const;
  /// Null when the build lacks the target. Client first.
  const CatalogReader* catalog(Target target) const;
  /// Null when it has none of this name.
  std::optional<CatalogBundle> find(Target target, const BundleName& name) const;

 private:
  Result<void> open_catalogs();
  Result<void> check_dictionaries() const;

  std::vector<LooseFile> loose_;
  std::array<std::optional<CatalogReader>, 2> catalogs_;
};

/// A bundle's place in the output.
AssetPath bundle_path(Target target, const BundleName& name);

}  // namespace muster
