// A parsed file and the bytes that it views.
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
  /// The file id of the main object: Unity's 11400000, unless the sidecar names another.
  std::int64_t main_id = kUsualMainId;
  /// The reason why there is no tree: an unsupported dialect, or a syntax error.
  std::optional<yaml::SyntaxError> error;
  /// The reason why there are no bytes.
  std::optional<Error> read_error;

  static constexpr std::int64_t kUsualMainId = 11400000;

  bool good() const { return !error && !read_error; }
  /// The index of the document with this file id, or of the only document; -1 if none exists.
  /// File id 0 means the main object, or the first document if there is no main object.
  int document_of(std::int64_t file_id) const;
  /// The mapping with an object's fields: in Unity's dialect the value below the type's name
  /// (`MonoBehaviour:`), in plain files the top mapping.
  yaml::NodeIndex fields_of(int document) const;
  /// Unity's name of an object's type, such as `MonoBehaviour`; empty in plain files.
  std::string_view type_name_of(int document) const;
};

/// The `class` in the top mapping of a plain file; empty if none exists, or if it is not YAML. It
/// distinguishes our files from YAML of other tools. Parses only files whose `class` is not spelled
/// at the beginning of a line.
std::string plain_class_in(std::string_view text);

/// Whether a file has no tree because of its encoding, its line ends, or zero bytes in its text.
bool is_foreign_text(const SourceFile& source);

/// Whether the sidecar names an importer other than the engine's; then the extension does not
/// determine the content.
bool has_foreign_importer(const FileReader& files, const AssetPath& path);

/// The file id of an asset's main object in its sidecar (`mainObjectFileID`); 0 if none exists or
/// the sidecar cannot be read.
std::int64_t main_id_in_sidecar(const FileReader& files, const AssetPath& path);

/// True for the extensions of plain YAML.
bool is_plain_path(const AssetPath& path);

/// Loads and parses assets on first use and keeps them. Safe to use from several threads. The
/// returned files live as long as the cache.
class SourceCache {
 public:
  /// Larger text files are refused: the largest real scene seen has 60 MB.
  static constexpr std::uint64_t kMaxSourceBytes = 256ULL * 1024 * 1024;

  SourceCache(const FileReader& files, const AssetIndex& index) : files_(files), index_(index) {}

  const SourceFile& get(AssetNumber asset) const;
  /// The `plain_class_in` an asset, cached; empty for assets that are not plain YAML.
  const std::string& plain_class(AssetNumber asset) const;
  /// The reason why `plain_class` could not read an asset; null if it could.
  const Error* plain_class_error(AssetNumber asset) const;
  /// The files that could not be read so far. Unordered.
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
