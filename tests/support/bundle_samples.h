// Small bundles, catalogs and prefabs that use every feature of their formats. Golden files,
// corpora and many tests use them. They are equal on every machine.
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

/// A guid derived from `number`.
Guid guid(std::uint64_t number);

/// `size` bytes that compress about as well as text.
ByteVector compressible(std::size_t size, std::uint64_t seed);
/// `size` bytes that do not compress.
ByteVector noise(std::size_t size, std::uint64_t seed);

/// Entries of every kind: empty, tiny, compressible, noise, several blocks.
struct BundleSample {
  std::vector<ByteVector> plain;
  std::vector<PackEntry> entries;
  PackOptions options;
};
BundleSample bundle();
/// Entries that are stored without compression, so that the bytes do not depend on zstd's release.
BundleSample stored_bundle();

/// Two components with fields of several types.
std::vector<ComponentDescription> components();

/// A small dictionary for `compressible` bytes, a different one per number. The set contains the
/// first. The bytes depend on zstd's release.
ByteVector dictionary(std::uint64_t number = 0);
std::shared_ptr<const DictionarySet> dictionaries();
/// Entries that were offered the dictionary: two that use it, one incompressible, and one of
/// several blocks.
struct DictionarySample {
  BundleSample bundle;
  std::unique_ptr<CompressionDictionary> dictionary;
};
DictionarySample dictionary_bundle();

CatalogData catalog();

/// Five entities on three levels, with described and other components.
PrefabData prefab();

/// A file in Unity's dialect with every kind of value of the object form.
std::string_view object_source();

/// A golden file or corpus file: its path below `tests`, and its bytes.
struct SampleFile {
  std::string path;
  ByteVector bytes;
  bool depends_on_zstd = false;  ///< Contains compressed blocks, so it is equal only for one
                                 ///< release of zstd.
};
/// The files that `make_bundle_goldens` writes and that the golden tests compare.
std::vector<SampleFile> files();

/// Corrects the hash of a bundle or catalog, so that damage elsewhere reaches the checks behind the
/// hash. Both formats keep it in bytes 16 to 31, over the bytes from 32 on. Requires: at least 32
/// bytes.
void fix_hash(std::span<std::byte> file);

/// Overwrites bytes with a little-endian integer.
template <typename Integer>
ByteVector patched(ByteVector bytes, std::size_t offset, Integer value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    bytes.at(offset + i) = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i));
  }
  return bytes;
}

/// Hexadecimal text, 32 digits per line.
std::string hex(Bytes bytes);

}  // namespace muster::samples
