// Small bundles, catalogs and prefabs that use every feature of their formats: what the golden
// files, the corpora and many tests are made of. Equal on every machine.
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

/// A guid whose bytes follow from `number`.
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
/// Only entries that are stored: bytes that do not depend on the release of zstd.
BundleSample stored_bundle();

/// Two components with fields of several types.
std::vector<ComponentDescription> components();

/// A small dictionary for `compressible` bytes, another one for each number, and a set that has the
/// first. Its bytes depend on the release of zstd.
ByteVector dictionary(std::uint64_t number = 0);
std::shared_ptr<const DictionarySet> dictionaries();
/// Entries that were offered the dictionary: two that use it, one that does not compress, and one
/// of several blocks.
struct DictionarySample {
  BundleSample bundle;
  std::unique_ptr<CompressionDictionary> dictionary;
};
DictionarySample dictionary_bundle();

CatalogData catalog();

/// Five entities on three levels, described and other components.
PrefabData prefab();

/// A file in Unity's dialect with every kind of value that the object form knows.
std::string_view object_source();

/// A file of the golden folder or a corpus: its path below `tests`, and its bytes.
struct SampleFile {
  std::string path;
  ByteVector bytes;
  bool depends_on_zstd = false;  ///< Holds compressed blocks: equal for one release of zstd only.
};
/// What `make_bundle_goldens` writes and the golden tests compare with.
std::vector<SampleFile> files();

/// Puts the right hash into a bundle or catalog (both keep it in bytes 16 to 31, over the bytes
/// from 32 on), so that damage elsewhere reaches the checks behind the hash.
/// Requires: at least 32 bytes.
void fix_hash(std::span<std::byte> file);

/// Overwrites bytes with a little-endian integer.
template <typename Integer>
ByteVector patched(ByteVector bytes, std::size_t offset, Integer value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    bytes.at(offset + i) = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i));
  }
  return bytes;
}

/// 32 hex digits a line.
std::string hex(Bytes bytes);

}  // namespace muster::samples
