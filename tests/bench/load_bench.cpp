// The cost of the steps from a type id to entities. Loading is compared with peers that only
// decompress the same frames into memory that was used before. Resolving is compared with an array
// read and a hash probe. Spawning is compared with a copy of the same bytes. `allocations` counts
// the allocations of one round in steady state.
#include <cassert>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <benchmark/benchmark.h>
#include <zstd.h>

#include "registry/base/memory_file_system.h"
#include "registry/base/seed.h"
#include "runtime/assets/disk_source.h"
#include "runtime/assets/memory_source.h"
#include "runtime/spawn/spawner.h"
#include "tests/bench/bench.h"
#include "tests/bench/load_build.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/raw_read.h"
#include "tests/support/sample_build.h"

namespace muster {
namespace {

void set_bytes(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(bytes));
}

void measure_store(const std::string& subject, const std::shared_ptr<BundleSource>& source,
                   const std::shared_ptr<MemoryPool>& memory,
                   std::size_t (*load_all)(BundleStore&)) {
  benchmark::RegisterBenchmark(subject.c_str(), [=](benchmark::State& state) {
    BundleStore store = BundleStore::open(*source, BundleStore::Catalogs::built, memory).value();
    const auto close_all = [&store] {
      for (std::uint32_t i = 0; i < store.catalog().bundle_count(); ++i) store.close_bundle(i);
    };
    const std::size_t bytes = load_all(store);  // The peer's memory has been used before, too.
    close_all();
    for ([[maybe_unused]] const auto round : state) {
      load_all(store);
      state.PauseTiming();
      close_all();
      state.ResumeTiming();
    }
    set_bytes(state, bytes);
  })->UseRealTime();
}

// The peers. `plain` is the limit: it decompresses the frames, and uses uncompressed blocks of a
// file in memory in place, as a store does. `with_copies` also copies the uncompressed blocks, so
// that all delivered bytes are in separate memory. `with_hashes` hashes every file and its result,
// as verified loading does.
enum class ZstdPeer : std::uint8_t { plain, with_copies, with_hashes };

void measure_zstd(const std::string& subject, const std::shared_ptr<BundleSource>& source,
                  ZstdPeer peer) {
  benchmark::RegisterBenchmark(subject.c_str(), [source, peer](benchmark::State& state) {
    const bool is_hashed = peer == ZstdPeer::with_hashes;
    BundleStore store = BundleStore::open(*source).value();
    const Frames frames = frames_of(store, *source);
    ByteVector target(frames.plain_bytes);  // All bytes are kept, as in a store.
    // Each block starts at a cache line; otherwise some processors take three times as long.
    constexpr std::size_t kLineBytes = 64;
    ByteVector copies(frames.stored_bytes + kLineBytes * frames.stored.size());
    ZSTD_DCtx* const context = ZSTD_createDCtx();
    for ([[maybe_unused]] const auto round : state) {
      std::size_t at = 0;
      std::size_t copied = 0;
      for (std::size_t i = 0; i < frames.files.size(); ++i) {
        const std::size_t first_at = at;
        if (is_hashed) benchmark::DoNotOptimize(hash_bytes(frames.files[i]->bytes()));
        for (std::size_t f = frames.first_frames[i]; f < frames.first_frames[i + 1]; ++f) {
          const auto& [frame, plain_bytes, dictionary] = frames.frames[f];
          const std::size_t done = ZSTD_decompress_usingDDict(
              context, target.data() + at, plain_bytes, frame.data(), frame.size(), dictionary);
          assert(done == plain_bytes);
          at += done;
        }
        if (peer == ZstdPeer::with_copies) {
          for (std::size_t b = frames.first_stored[i]; b < frames.first_stored[i + 1]; ++b) {
            const Bytes block = frames.stored[b];
            std::memcpy(copies.data() + copied, block.data(), block.size());
            copied += (block.size() + kLineBytes - 1) & ~(kLineBytes - 1);
          }
        }
        const Bytes plain = Bytes(target).subspan(first_at, at - first_at);
        if (is_hashed) benchmark::DoNotOptimize(hash_bytes(plain));
      }
      benchmark::ClobberMemory();
    }
    ZSTD_freeDCtx(context);
    set_bytes(state, frames.plain_bytes);
  })->UseRealTime();
}

void measure_load(const std::string& name, const std::shared_ptr<BundleSource>& source,
                  const std::shared_ptr<MemoryPool>& memory = nullptr) {
  const std::string prefix = "runtime/load/" + name + "/";
  measure_store(prefix + "store", source, memory, load_all);
  measure_store(prefix + "store, one by one", source, memory, load_one_by_one);
  measure_zstd(prefix + "raw zstd", source, ZstdPeer::plain);
  measure_zstd(prefix + "raw zstd and copies", source, ZstdPeer::with_copies);
  measure_zstd(prefix + "raw zstd and hashes", source, ZstdPeer::with_hashes);
}

// Reads each file of a disk into one buffer, and decompresses the file's frames from the buffer.
void measure_read_and_zstd(const std::string& name, const std::string& folder,
                           const std::shared_ptr<BundleSource>& source) {
  const std::string subject = "runtime/load/" + name + "/read + raw zstd";
  benchmark::RegisterBenchmark(subject.c_str(), [source, folder](benchmark::State& state) {
    BundleStore store = BundleStore::open(*source).value();
    const Frames frames = frames_of(store, *source);
    std::vector<std::string> paths;
    for (std::uint32_t i = 0; i < store.catalog().bundle_count(); ++i) {
      paths.push_back(folder + "/" + store.catalog().bundle(i).name.path());
    }
    ByteVector target(frames.plain_bytes);
    ByteVector buffer;
    ZSTD_DCtx* const context = ZSTD_createDCtx();
    for ([[maybe_unused]] const auto round : state) {
      std::size_t at = 0;
      for (std::size_t i = 0; i < paths.size(); ++i) {
        const Bytes file = read_raw(paths[i], buffer);
        const std::byte* const file_begin = frames.files[i]->bytes().data();
        for (std::size_t f = frames.first_frames[i]; f < frames.first_frames[i + 1]; ++f) {
          const auto& [frame, plain_bytes, dictionary] = frames.frames[f];
          const std::size_t done = ZSTD_decompress_usingDDict(
              context, target.data() + at, plain_bytes, file.data() + (frame.data() - file_begin),
              frame.size(), dictionary);
          assert(done == plain_bytes);
          at += done;
        }
      }
      benchmark::ClobberMemory();
    }
    ZSTD_freeDCtx(context);
    set_bytes(state, frames.plain_bytes);
  })->UseRealTime();
}

// All ids in random order, so that no subject profits from the previous look-up.
std::vector<TypeId> shuffled_ids(std::uint32_t count) {
  Random random(3);
  std::vector<TypeId> ids;
  for (std::uint32_t i = 0; i < count; ++i) ids.emplace_back(i);
  for (std::size_t i = ids.size() - 1; i > 0; --i) std::swap(ids[i], ids[random.below(i + 1)]);
  return ids;
}

template <typename Resolve>
void measure_resolve(const std::string& subject, std::uint32_t count, Resolve resolve) {
  benchmark::RegisterBenchmark(
      ("runtime/resolve/type id/" + subject).c_str(), [resolve, count](benchmark::State& state) {
        const std::vector<TypeId> ids = shuffled_ids(count);
        for (const TypeId id : ids) benchmark::DoNotOptimize(resolve(id));
        const std::uint64_t before = allocation_count();
        for ([[maybe_unused]] const auto round : state) {
          for (const TypeId id : ids) benchmark::DoNotOptimize(resolve(id));
        }
        const auto rounds = static_cast<double>(state.iterations());
        state.counters["allocations"] = static_cast<double>(allocation_count() - before) / rounds;
        state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
      });
}

void register_resolve(const std::shared_ptr<MemorySource>& source, std::uint32_t count) {
  auto store = std::make_shared<BundleStore>(BundleStore::open(*source).value());
  // Keeps the source alive while the store is used.
  measure_resolve("store", count,
                  [source, store](TypeId id) { return store->resolve(RegistryIndex{0}, id); });
  measure_resolve("cached load", count, [source, store](TypeId id) {
    const ResolvedType* const resolved = store->resolve(RegistryIndex{0}, id);
    return store->load_from(resolved->bundle, resolved->guid, kMainPayload).value().bytes.data();
  });
  struct Peer {
    std::vector<Guid> guids;
    std::unordered_map<Guid, std::uint32_t> bundles;
  };
  auto peer = std::make_shared<Peer>();
  for (std::uint32_t i = 0; i < count; ++i) {
    const ResolvedType* const resolved = store->resolve(RegistryIndex{0}, TypeId(i));
    peer->guids.push_back(resolved->guid);
    peer->bundles.emplace(resolved->guid, resolved->bundle);
  }
  measure_resolve("array and probe", count, [peer](TypeId id) {
    return peer->bundles.find(peer->guids[id.value()])->second;
  });
}

// The sample build's crate: two entities, three components.
struct SpawnStage {
  MemoryFileSystem files = samples::build();
  FileSystemSource source{files, AssetPath::parse("client").value()};
  BundleStore store = BundleStore::open(source).value();
  World world{samples::game_components()};
  Spawner spawner{store, world};
};

void register_spawn() {
  constexpr std::uint32_t kCount = 10'000;
  benchmark::RegisterBenchmark("runtime/spawn/10000 prefabs/spawner", [](benchmark::State& state) {
    SpawnStage stage;
    stage.world.reserve(2 * kCount, 2 * kCount);
    const Guid crate = samples::guid(samples::kCrate);
    std::vector<EntityId> roots(kCount);
    std::uint64_t allocations = 0;
    for ([[maybe_unused]] const auto round : state) {
      const std::uint64_t before = allocation_count();
      for (EntityId& root : roots) root = stage.spawner.spawn(crate).value().root;
      allocations = allocation_count() - before;
      state.PauseTiming();
      for (const EntityId root : roots) stage.world.request_despawn(root);
      stage.world.process_despawns();
      state.ResumeTiming();
    }
    state.counters["allocations"] = static_cast<double>(allocations);
    state.SetItemsProcessed(state.iterations() * kCount);
  })->UseRealTime();
  // Copies only the components' bytes into arrays, one prefab after another.
  benchmark::RegisterBenchmark("runtime/spawn/10000 prefabs/memcpy", [](benchmark::State& state) {
    SpawnStage stage;
    const PrefabPlan& plan = *stage.spawner.prepare(samples::guid(samples::kCrate)).value();
    ByteVector target(plan.data.size() * kCount);
    for ([[maybe_unused]] const auto round : state) {
      for (std::size_t i = 0; i < kCount; ++i) {
        std::memcpy(target.data() + i * plan.data.size(), plan.data.data(), plan.data.size());
      }
      benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * kCount);
  })->UseRealTime();
}

}  // namespace

void register_load_benchmarks(const BenchOptions& options) {
  constexpr BundleShape kPrefabs = kBundleShapes[0];
  const ByteVector content = sample_game_bytes();
  for (const BundleShape& shape : kBundleShapes) {
    const auto source = generate(shape, content);
    measure_load(shape.name, source);
    register_loader_benchmarks(shape.name, source);
  }
  register_large_entry_benchmarks(content);
  register_resolve(generate(kPrefabs, content), kPrefabs.bundles);
  register_spawn();
  if (options.build.empty()) return;
  for (const std::string target : {"client", "server"}) {
    const std::string folder = options.build + "/" + target;
    // Reads files like a program does. All rounds share one pool, so that each round reuses the
    // buffers of the previous round.
    const auto memory = std::make_shared<MemoryPool>();
    const std::shared_ptr<BundleSource> source =
        open_disk_source(folder, SourceKind::automatic, memory).value().source;
    if (!BundleStore::open(*source)) continue;
    measure_load("build " + target, source, memory);
    measure_read_and_zstd("build " + target, folder, source);
    register_whole_build_benchmarks("build " + target, source, memory, BuildStorage::files);
    const std::shared_ptr<MemorySource> copy = in_memory_of(*source);
    const std::string name = "build " + target + " in memory";
    measure_load(name, copy);
    register_whole_build_benchmarks(name, copy, nullptr, BuildStorage::memory);
  }
}

}  // namespace muster
