// Small bundles, catalogs and prefabs that use every feature of their formats, for golden files,
// corpora and tests. The samples are equal on every machine.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bundler/cook/prefab_data.h"
#include "bundler/dictionaries/dictionary_training.h"
#include "bundler/pack/bundle_writer.h"
#include "bundler/pack/catalog_data.h"

namespace muster::samples {

/// Returns a guid derived from `number`.
Guid guid(std::uint64_t number);

/// Returns `size` bytes that compress about as well as text.
ByteVector compressible(std::size_t size, std::uint64_t seed);
/// Returns `size` bytes that do not compress.
ByteVector noise(std::size_t size, std::uint64_t seed);

/// A bundle with entries of every kind: empty, tiny, compressible, noise, several blocks.
struct BundleSample {
  std::vector<ByteVector> plain;
  std::vector<PackEntry> entries;
  PackOptions options;
};
BundleSample bundle();
/// A bundle without compression, so that its bytes do not depend on zstd's release.
BundleSample stored_bundle();

/// Two components with fields of several types.
std::vector<ComponentDescription> components();

/// Returns a small dictionary for `compressible` bytes, different for each number. `dictionaries`
/// contains dictionary 0. The bytes depend on zstd's release.
ByteVector dictionary(std::uint64_t number = 0);
std::shared_ptr<const DictionarySet> dictionaries();
/// A bundle that is packed with the dictionary: two entries use it, one is incompressible, and one
/// has several blocks.
struct DictionarySample {
  BundleSample bundle;
  std::unique_ptr<CompressionDictionary> dictionary;
};
DictionarySample dictionary_bundle();

CatalogData catalog();

/// A prefab of five entities on three levels, with described and other components.
PrefabData prefab();

/// A file in Unity's dialect with every kind of value that an object can contain.
std::string_view object_source();

/// The path of a golden file or corpus file below `tests`, and its bytes.
struct SampleFile {
  std::string path;
  ByteVector bytes;
  /// True if the file contains compressed blocks, which are equal only for one release of zstd.
  bool depends_on_zstd = false;
};
/// Returns the files that `make_bundle_goldens` writes and that the golden tests compare.
std::vector<SampleFile> files();

/// Corrects the hash of a damaged bundle or catalog, so that the later checks of a reader are
/// tested. In both formats, bytes 16 to 31 are the hash of the bytes from 32 on. Requires: at least
/// 32 bytes.
void fix_hash(std::span<std::byte> file);

/// Overwrites bytes with a little-endian integer.
template <typename Integer>
ByteVector patched(ByteVector bytes, std::size_t offset, Integer value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    bytes.at(offset + i) = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i));
  }
  return bytes;
}

/// Returns hexadecimal text, with 32 digits per line.
std::string hex(Bytes bytes);

}  // namespace muster::samples
