// A parsed file and the bytes it views.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "registry/project/asset_index.h"
#include "registry/yaml/reader.h"

namespace muster {

/// The bytes and the tree of one text asset. Immutable once loaded.
struct SourceFile {
  AssetPath path;
  Guid guid;
  ByteVector bytes;
  yaml::Dialect dialect = yaml::Dialect::empty;
  yaml::Tree tree;
  /// The file id of the main object: Unity's 11400000, unless the sidecar names another.
  std::int64_t main_id = kUsualMainId;
  /// Why there is no tree: the dialect is none that is read, or the syntax is wrong.
  std::optional<yaml::SyntaxError> error;
  /// Why there are no bytes.
  std::optional<Error> read_error;

  static constexpr std::int64_t kUsualMainId = 11400000;

  bool good() const { return !error && !read_error; }
  /// The index of the document with this file id, or of the only one; -1 when there is none. File
  /// id 0 asks for the main object, or the first document where there is no such object.
  int document_of(std::int64_t file_id) const;
  /// The mapping that holds an object's fields: in Unity's dialect the value below the type's name
  /// (`MonoBehaviour:`), in plain files the top mapping.
  yaml::NodeIndex fields_of(int document) const;
  /// Unity's name of an object's type, e.g. `MonoBehaviour`; empty in plain files.
  std::string_view type_name_of(int document) const;
};

/// The `class` that a plain file states in its top mapping; empty when it states none, or is no
/// YAML. Plain YAML of other tools is told from ours by this. Parses only what spells it in another
/// way than at the beginning of a line.
std::string plain_class_in(std::string_view text);

/// Whether a file has no tree because of its encoding, its line ends, or zero bytes in its text.
bool is_foreign_text(const SourceFile& source);

/// Whether the sidecar says that something else than the engine reads an asset: then its extension
/// says nothing about its content.
bool has_foreign_importer(const FileReader& files, const AssetPath& path);

/// The file id that an asset's sidecar gives its main object (`mainObjectFileID`); 0 when it says
/// none or cannot be read.
std::int64_t main_id_in_sidecar(const FileReader& files, const AssetPath& path);

/// True for the extensions of plain YAML.
bool is_plain_path(const AssetPath& path);

/// Loads and parses assets on first use and keeps them. Safe to use from several threads; the files
/// handed out live as long as the cache.
class SourceCache {
 public:
  /// Larger text files are refused: the largest real scene seen has 60 MB.
  static constexpr std::uint64_t kMaxSourceBytes = 256ULL * 1024 * 1024;

  SourceCache(const FileReader& files, const AssetIndex& index) : files_(files), index_(index) {}

  const SourceFile& get(AssetNumber asset) const;
  /// The `plain_class_in` an asset, remembered; empty for assets that are no plain YAML.
  const std::string& plain_class(AssetNumber asset) const;
  /// Why an asset's class could not be looked up by `plain_class`; null when it could.
  const Error* plain_class_error(AssetNumber asset) const;
  /// The files that could not be read so far. In no order.
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
