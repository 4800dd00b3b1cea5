// Builds for loading benchmarks, and their data for the peers.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/assets/bundle_store.h"
#include "runtime/assets/memory_source.h"

namespace muster {

struct BundleShape {
  const char* name;
  std::uint32_t bundles;
  std::size_t entry_bytes;
};

inline constexpr std::array<BundleShape, 3> kBundleShapes = {{
    {.name = "2000 of 3 KB", .bundles = 2000, .entry_bytes = 3000},
    {.name = "200 of 64 KB", .bundles = 200, .entry_bytes = 64UL << 10U},
    {.name = "40 of 1 MB", .bundles = 40, .entry_bytes = 1UL << 20U},
}};

/// The plain bytes of all entries that the bundler makes of the sample game for clients, each asset
/// once. The result is longer than one block of a bundle, and shorter than two blocks.
ByteVector sample_game_bytes();

/// Generates a build with one bundle per asset and one registry. The assets are pieces of
/// `content`, which is repeated if it is too short. No two blocks have the same bytes.
std::shared_ptr<MemorySource> generate(const BundleShape& shape, Bytes content);

/// A copy of a build's files, to load without the disk.
std::shared_ptr<MemorySource> in_memory_of(const BundleSource& source);

/// Every block of a build, bundle by bundle: zstd frames and uncompressed blocks.
struct Frames {
  std::vector<std::unique_ptr<BundleFile>> files;
  struct Frame {
    Bytes bytes;
    std::size_t plain_bytes = 0;
    const ZSTD_DDict_s* dictionary = nullptr;  ///< The store's prepared dictionary.
  };
  std::vector<Frame> frames;
  std::vector<std::size_t> first_frames;  ///< One per bundle, then the end.
  std::size_t plain_bytes = 0;            ///< Bytes of the frames after decompression.
  std::vector<Bytes> stored;
  std::vector<std::size_t> first_stored;  ///< One per bundle, then the end.
  std::size_t stored_bytes = 0;
  std::shared_ptr<const DictionarySet> dictionaries;
};
Frames frames_of(BundleStore& store, const BundleSource& source);

/// Opens a bundle and reads all of its entries. Returns their bytes.
std::size_t load_bundle(BundleStore& store, std::uint32_t bundle);
/// Loads all bundles, each like `load_bundle`. Returns their bytes.
std::size_t load_one_by_one(BundleStore& store);
/// Loads all bundles, requested together. Returns their bytes.
std::size_t load_all(BundleStore& store);

/// Background loading: throughput and latencies, from memory and from a cold disk.
void register_loader_benchmarks(const std::string& name,
                                const std::shared_ptr<MemorySource>& source);
/// Loading large entries one by one, on one thread and on two threads. `content` is as for
/// `generate`.
void register_large_entry_benchmarks(Bytes content);
/// Loads all of a build at once. `memory` is the memory pool of the source, or null.
enum class BuildStorage : std::uint8_t { files, memory };
void register_whole_build_benchmarks(const std::string& name,
                                     const std::shared_ptr<BundleSource>& source,
                                     const std::shared_ptr<MemoryPool>& memory,
                                     BuildStorage storage);

}  // namespace muster
