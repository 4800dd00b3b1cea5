// Parses assets, and caches the results.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "registry/project/asset_index.h"
#include "registry/yaml/reader.h"

namespace muster {

/// The bytes and the tree of one text asset. Immutable after loading.
struct SourceFile {
  AssetPath path;
  Guid guid;
  ByteVector bytes;
  yaml::Dialect dialect = yaml::Dialect::empty;
  yaml::Tree tree;
  /// The file id of the main object: Unity's 11400000, or the id in the sidecar.
  std::int64_t main_id = kDefaultMainId;
  /// The reason why `tree` is missing: an unsupported dialect, or a syntax error.
  std::optional<yaml::SyntaxError> error;
  /// The reason why `bytes` could not be read.
  std::optional<Error> read_error;

  static constexpr std::int64_t kDefaultMainId = 11400000;

  bool good() const { return !error && !read_error; }
  /// The index of the document with this file id; -1 if none exists. File id 0 means the main
  /// object, or the first document if no main object exists. A plain file has only one document,
  /// which is returned for every file id.
  int document_of(std::int64_t file_id) const;
  /// The mapping with an object's fields. In Unity's dialect, this is the value below the type's
  /// name (`MonoBehaviour:`). In plain files, it is the top mapping.
  yaml::NodeIndex fields_of(int document) const;
  /// Unity's name of an object's type, such as `MonoBehaviour`; empty in plain files.
  std::string_view type_name_of(int document) const;
};

/// The value of `class` in the top mapping of a plain file. The result is empty if the text has no
/// such key or is not YAML, because such a file may belong to another tool. Parses the text only if
/// no line begins with `class`.
std::string plain_class_in(std::string_view text);

/// Whether a file has no tree because of its encoding, its line ends, or zero bytes in its text.
bool is_foreign_text(const SourceFile& source);

/// Whether the sidecar names an importer that is not part of the engine. With such an importer, the
/// extension does not determine the content of the asset.
bool has_foreign_importer(const FileReader& files, const AssetPath& path);

/// The file id in an asset's sidecar under `mainObjectFileID`; 0 if the key is missing or the
/// sidecar cannot be read.
std::int64_t main_id_in_sidecar(const FileReader& files, const AssetPath& path);

/// True for the extensions of plain YAML.
bool is_plain_path(const AssetPath& path);

/// Parses each asset on its first use and caches the result. Safe to use from several threads. The
/// returned files live as long as the cache.
class SourceCache {
 public:
  /// The maximum size of a text file. The largest known scene has 60 MB.
  static constexpr std::uint64_t kMaxSourceBytes = 256ULL * 1024 * 1024;

  SourceCache(const FileReader& files, const AssetIndex& index) : files_(files), index_(index) {}

  const SourceFile& get(AssetNumber asset) const;
  /// The result of `plain_class_in` for an asset's text, cached. The result is empty for assets
  /// that are not plain YAML.
  const std::string& plain_class(AssetNumber asset) const;
  /// The error with which `plain_class` could not read an asset; null if there was none.
  const Error* plain_class_error(AssetNumber asset) const;
  /// The files that could not be read until now. Unsorted.
  std::vector<ReadFailure> read_failures() const;
  const AssetIndex& index() const { return index_; }
  const FileReader& files() const { return files_; }

 private:
  const FileReader& files_;
  const AssetIndex& index_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<AssetNumber, std::unique_ptr<SourceFile>> loaded_;
  mutable std::unordered_map<AssetNumber, std::string> plain_classes_;
  mutable std::unordered_map<AssetNumber, Error> plain_errors_;
};

}  // namespace muster
