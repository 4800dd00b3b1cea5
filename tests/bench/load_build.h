// Builds to load in benchmarks, and what their peers need of them.
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

/// Everything that the bundler makes of the sample game for clients: the plain bytes of its
/// entries, one after another, each asset once. Shorter than two of a bundle's blocks, longer than
/// one.
ByteVector sample_game_bytes();

/// One bundle per asset, all of them in one registry: pieces of `content`, which is started again
/// when it ends. No block has the same piece twice.
std::shared_ptr<MemorySource> generate(const BundleShape& shape, Bytes content);

/// A copy of a build's files: what loading costs without the disk.
std::shared_ptr<MemorySource> in_memory_of(const BundleSource& source);

/// Every block of a build, bundle by bundle: zstd frames, and those that are stored as they are.
/// Whoever has a bundle in memory can use the latter where they lie, and a store does; others have
/// to copy them.
struct Frames {
  std::vector<std::unique_ptr<HeldFile>> files;
  struct Frame {
    Bytes bytes;
    std::size_t plain_bytes = 0;
    const ZSTD_DDict_s* dictionary = nullptr;  ///< As the store has digested it.
  };
  std::vector<Frame> frames;
  std::vector<std::size_t> first_frames;  ///< Of each bundle, and the end.
  std::size_t plain_bytes = 0;            ///< Of the frames.
  std::vector<Bytes> stored;
  std::vector<std::size_t> first_stored;  ///< Of each bundle, and the end.
  std::size_t stored_bytes = 0;
  std::shared_ptr<const DictionarySet> dictionaries;
};
Frames frames_of(BundleStore& store, const BundleSource& source);

/// Opens a bundle and reads all of its entries. Returns their bytes.
std::size_t load_bundle(BundleStore& store, std::uint32_t bundle);
/// All bundles, each as `load_bundle` does. Returns their bytes.
std::size_t load_one_by_one(BundleStore& store);
/// The same, asked for together.
std::size_t load_all(BundleStore& store);

/// Background loading: throughput and latencies, from memory and from a cold disk.
void register_loader_benchmarks(const std::string& name,
                                const std::shared_ptr<MemorySource>& source);
/// Large entries one by one, on one thread and on two. `content` as for `generate`.
void register_large_entry_benchmarks(Bytes content);
/// Of a build, everything at once. `memory` is the source's own, or null.
enum class BuildPlace : std::uint8_t { files, memory };
void register_whole_build_benchmarks(const std::string& name,
                                     const std::shared_ptr<BundleSource>& source,
                                     const std::shared_ptr<MemoryPool>& memory, BuildPlace place);

}  // namespace muster
