// The cost of background loading. "load" requests all bundles at once. "load p50" and "load p99"
// load one bundle after another, and measure the time from a request until the bundle's bytes are
// available. "load cold" reads files that the kernel has dropped from its cache. The peers only
// decompress the same bytes, or read them from a zip that PhysFS has mounted.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <cassert>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>
#include <zstd.h>

#include "runtime/assets/bundle_loader.h"
#include "runtime/assets/disk_source.h"
#include "tests/bench/load_build.h"
#include "tests/bench/mounted_zip.h"
#include "tests/support/raw_read.h"
#include "tests/support/temporary_folder.h"

namespace muster {
namespace {

// Loads one bundle or a whole build, and releases it.
struct Subject {
  std::function<void(std::uint32_t)> load;
  std::function<void()> load_all;
  std::function<void()> forget;
  std::uint32_t bundles = 0;
};
using MakeSubject = std::function<Subject(const std::shared_ptr<BundleSource>&)>;

struct LoaderStage {
  LoaderStage(const std::shared_ptr<BundleSource>& from, const std::shared_ptr<MemoryPool>& memory,
              std::uint32_t threads)
      : source(from),
        store(BundleStore::open(*source, BundleStore::Catalogs::built, memory).value()) {
    if (threads == 0) {
      executor = std::make_unique<SteppedLoads>(*source, store.catalog(), false, store.memory(),
                                                store.dictionaries());
    } else {
      executor = std::make_unique<ThreadedLoads>(*source, store.catalog(), threads, store.memory(),
                                                 store.dictionaries());
    }
    // All requests are made at once, as on a loading screen.
    loader = std::make_unique<BundleLoader>(
        store, *executor, LoaderOptions{.start_budget_bytes = std::uint64_t{1} << 40U});
  }

  void finish(const BundleHandle& handle) {
    [[maybe_unused]] const LoadState state = loader->finish(handle, Time{});
    assert(state == LoadState::ready);
  }

  std::shared_ptr<BundleSource> source;
  BundleStore store;
  std::unique_ptr<LoadExecutor> executor;
  std::unique_ptr<BundleLoader> loader;
  std::vector<BundleHandle> handles;
};

// Background loading on this many threads. With 0 threads, it runs step by step.
Subject loader_subject(const std::shared_ptr<BundleSource>& source,
                       const std::shared_ptr<MemoryPool>& memory, std::uint32_t threads) {
  const auto stage = std::make_shared<LoaderStage>(source, memory, threads);
  const std::uint32_t bundles = stage->store.catalog().bundle_count();
  const auto request = [stage](std::uint32_t bundle) {
    stage->handles.push_back(stage->loader->request(bundle));
  };
  return {.load =
              [stage, request](std::uint32_t bundle) {
                request(bundle);
                stage->finish(stage->handles.back());
              },
          .load_all =
              [stage, request, bundles] {
                for (std::uint32_t i = 0; i < bundles; ++i) request(i);
                for (const BundleHandle& handle : stage->handles) stage->finish(handle);
              },
          .forget =
              [stage, bundles] {
                stage->handles.clear();
                for (std::uint32_t i = 0; i < bundles; ++i) stage->loader->reload(i);
              },
          .bundles = bundles};
}

Subject store_subject(const std::shared_ptr<BundleSource>& source) {
  const auto store = std::make_shared<BundleStore>(BundleStore::open(*source).value());
  const std::uint32_t bundles = store->catalog().bundle_count();
  return {.load = [source, store](std::uint32_t bundle) { load_bundle(*store, bundle); },
          .load_all = [store] { muster::load_all(*store); },
          .forget =
              [store, bundles] {
                for (std::uint32_t i = 0; i < bundles; ++i) store->close_bundle(i);
              },
          .bundles = bundles};
}

struct RawZstd {
  explicit RawZstd(const std::shared_ptr<BundleSource>& from) : source(from) {
    BundleStore store = BundleStore::open(*source).value();
    frames = frames_of(store, *source);
    target.resize(frames.plain_bytes);  // All bytes are kept, as in a store.
    for (std::size_t at = 0; const Frames::Frame& frame : frames.frames) {
      offsets.push_back(at);
      at += frame.plain_bytes;
    }
  }
  ~RawZstd() { ZSTD_freeDCtx(context); }
  RawZstd(const RawZstd&) = delete;
  RawZstd& operator=(const RawZstd&) = delete;

  void load_frame(std::size_t index, ZSTD_DCtx* with) {
    const auto& [frame, plain_bytes, dictionary] = frames.frames[index];
    [[maybe_unused]] const std::size_t done = ZSTD_decompress_usingDDict(
        with, target.data() + offsets[index], plain_bytes, frame.data(), frame.size(), dictionary);
    assert(done == plain_bytes);
  }
  void load(std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) load_frame(i, context);
    benchmark::ClobberMemory();
  }
  std::shared_ptr<BundleSource> source;
  Frames frames;
  std::vector<std::size_t> offsets;
  ByteVector target;
  ZSTD_DCtx* context = ZSTD_createDCtx();
};

Subject zstd_subject(const std::shared_ptr<BundleSource>& source) {
  const auto raw = std::make_shared<RawZstd>(source);
  return {.load =
              [raw](std::uint32_t bundle) {
                raw->load(raw->frames.first_frames[bundle], raw->frames.first_frames[bundle + 1]);
              },
          .load_all = [raw] { raw->load(0, raw->frames.frames.size()); },
          .forget = [] {},
          .bundles = static_cast<std::uint32_t>(raw->frames.files.size())};
}

// Decompression on two threads, one of which waits for the next bundle.
class ZstdPair {
 public:
  explicit ZstdPair(const std::shared_ptr<BundleSource>& from) : raw_(from) {}
  ~ZstdPair() {
    is_over_ = true;
    begin_.arrive_and_wait();
    other_.join();
    ZSTD_freeDCtx(other_context_);
  }
  ZstdPair(const ZstdPair&) = delete;
  ZstdPair& operator=(const ZstdPair&) = delete;

  std::uint32_t bundles() const { return static_cast<std::uint32_t>(raw_.frames.files.size()); }
  void load(std::uint32_t bundle) {
    next_ = raw_.frames.first_frames[bundle];
    last_ = raw_.frames.first_frames[bundle + 1];
    begin_.arrive_and_wait();
    work(raw_.context);
    end_.arrive_and_wait();
  }

 private:
  void work(ZSTD_DCtx* context) {
    for (std::size_t i = next_++; i < last_; i = next_++) raw_.load_frame(i, context);
  }
  void run() {
    for (begin_.arrive_and_wait(); !is_over_; begin_.arrive_and_wait()) {
      work(other_context_);
      end_.arrive_and_wait();
    }
  }

  RawZstd raw_;
  ZSTD_DCtx* other_context_ = ZSTD_createDCtx();
  std::atomic<std::size_t> next_ = 0;
  std::size_t last_ = 0;
  bool is_over_ = false;
  std::barrier<> begin_{2};
  std::barrier<> end_{2};
  std::thread other_{[this] { run(); }};
};

#ifdef MUSTER_PHYSFS

// The entries of a build's bundles as members of a zip.
struct ZippedBuild {
  std::vector<ZipMember> members;
  std::vector<std::size_t> first_members;  // For each bundle, and the end.
};

// The zip is made once, because deflating takes longer than any measurement.
ZippedBuild deflated(const BundleSource& source) {
  BundleStore store = BundleStore::open(source).value();
  ZippedBuild build;
  for (std::uint32_t i = 0; i < store.catalog().bundle_count(); ++i) {
    load_bundle(store, i);
    const BundleReader& reader = store.reader(i);
    build.first_members.push_back(build.members.size());
    for (std::uint32_t n = 0; n < reader.entry_count(); ++n) {
      const BundleEntry entry = reader.entry(n);
      build.members.push_back(
          deflated_member(store.catalog().bundle(i).name.path() + "/" + std::to_string(n),
                          store.load_from(i, entry.guid, entry.local_id).value().bytes));
    }
    store.close_bundle(i);
  }
  build.first_members.push_back(build.members.size());
  return build;
}

struct ZipStage {
  std::unique_ptr<MountedZip> zip;
  std::shared_ptr<const ZippedBuild> build;
  std::vector<ByteVector> buffers;  // One per member, because all of it is kept.
  bool is_checked = false;

  void load(std::size_t bundle) {
    for (std::size_t i = build->first_members[bundle]; i < build->first_members[bundle + 1]; ++i) {
      const Bytes plain = zip->read(build->members[i].path, buffers[i]);
      if (!is_checked) continue;
      [[maybe_unused]] const bool is_whole = zip_checksum(plain) == build->members[i].checksum;
      assert(is_whole);
    }
  }
};

// A zip of the same content. PhysFS does not check a zip's checksums; a program that needs intact
// bytes must compare them itself.
Subject physfs_subject(const std::shared_ptr<const ZippedBuild>& build, ZipStorage storage,
                       bool is_checked) {
  const auto stage = std::make_shared<ZipStage>();
  stage->zip = std::make_unique<MountedZip>(build->members, storage);
  stage->build = build;
  stage->buffers.resize(build->members.size());
  stage->is_checked = is_checked;
  const auto bundles = static_cast<std::uint32_t>(build->first_members.size() - 1);
  return {.load = [stage](std::uint32_t bundle) { stage->load(bundle); },
          .load_all =
              [stage, bundles] {
                for (std::uint32_t i = 0; i < bundles; ++i) stage->load(i);
              },
          .forget = [] {},
          .bundles = bundles};
}

// Returns a function that makes the zip at the first measurement and reuses it.
MakeSubject physfs_maker(const std::shared_ptr<std::shared_ptr<const ZippedBuild>>& lazy,
                         ZipStorage storage, bool is_checked) {
  return [lazy, storage, is_checked](const std::shared_ptr<BundleSource>& from) {
    if (*lazy == nullptr) *lazy = std::make_shared<const ZippedBuild>(deflated(*from));
    return physfs_subject(*lazy, storage, is_checked);
  };
}

#endif

void measure_all_at_once(const std::string& name, const std::shared_ptr<BundleSource>& source,
                         const MakeSubject& make) {
  benchmark::RegisterBenchmark(name.c_str(), [source, make](benchmark::State& state) {
    const Subject subject = make(source);
    subject.load_all();  // The peer's memory has been used before, too.
    subject.forget();
    for ([[maybe_unused]] const auto round : state) {
      subject.load_all();
      state.PauseTiming();
      subject.forget();
      state.ResumeTiming();
    }
  })->UseRealTime();
}

// Loading large entries in blocks of 256 KiB, one after another, 64 MB in total. The buffers of a
// smaller total would stay in a core's cache. The entries are generated at the first benchmark,
// because generating takes longer than all benchmarks.
void register_large_entries(std::size_t megabytes, Bytes content) {
  const auto lazy = std::make_shared<std::shared_ptr<BundleSource>>();
  const BundleShape shape = {.name = "",
                             .bundles = static_cast<std::uint32_t>(64 / megabytes),
                             .entry_bytes = megabytes << 20U};
  const auto measure = [&](const std::string& subject, const MakeSubject& make) {
    const MakeSubject one_by_one = [=, kept = ByteVector(content.begin(), content.end())](
                                       const std::shared_ptr<BundleSource>&) {
      if (*lazy == nullptr) *lazy = generate(shape, kept);
      Subject made = make(*lazy);
      made.load_all = [load = made.load, bundles = made.bundles] {
        for (std::uint32_t i = 0; i < bundles; ++i) load(i);
      };
      return made;
    };
    const std::string group = "runtime/load one/" + std::to_string(megabytes) + " MB/";
    measure_all_at_once(group + subject, nullptr, one_by_one);
  };
  measure("loader, 1 thread", [](const auto& from) { return loader_subject(from, nullptr, 1); });
  measure("loader, 2 threads", [](const auto& from) { return loader_subject(from, nullptr, 2); });
  measure("raw zstd", zstd_subject);
  measure("raw zstd, 2 threads", [](const auto& from) {
    const auto pair = std::make_shared<ZstdPair>(from);
    return Subject{.load = [pair](std::uint32_t bundle) { pair->load(bundle); },
                   .load_all = {},
                   .forget = [] {},
                   .bundles = pair->bundles()};
  });
}

// Measures the latency that `per_mille` of 1,000 bundles do not exceed. The time of a round is the
// time of one bundle.
void measure_one(const std::string& name, const std::shared_ptr<BundleSource>& source,
                 const MakeSubject& make, std::size_t per_mille) {
  benchmark::RegisterBenchmark(
      name.c_str(),
      [source, make, per_mille](benchmark::State& state) {
        using Clock = std::chrono::steady_clock;
        const Subject subject = make(source);
        std::vector<double> seconds(subject.bundles);
        subject.load_all();
        subject.forget();
        for ([[maybe_unused]] const auto round : state) {
          for (std::uint32_t i = 0; i < subject.bundles; ++i) {
            const Clock::time_point start = Clock::now();
            subject.load(i);
            seconds[i] = std::chrono::duration<double>(Clock::now() - start).count();
          }
          subject.forget();
          std::ranges::sort(seconds);
          state.SetIterationTime(seconds[seconds.size() * per_mille / 1000]);
        }
      })
      ->UseManualTime()
      ->Iterations(10);
}

// The files of a source on the disk.
struct WrittenBuild {
  explicit WrittenBuild(const BundleSource& source) {
    const auto put = [&](const std::string& path) {
      const auto file = source.open(path, std::uint64_t{1} << 40U);
      folder.put(path, as_text(file.value()->bytes()));
      paths.push_back(path);
    };
    put(std::string(kCatalogFile));
    const BundleStore store = BundleStore::open(source).value();
    for (std::uint32_t i = 0; i < store.catalog().bundle_count(); ++i) {
      put(store.catalog().bundle(i).name.path());
    }
  }
  void forget() const {
    for (const std::string& path : paths) forget_pages(folder.path() + "/" + path);
  }

  TemporaryFolder folder;
  std::vector<std::string> paths;
};

// A build that its first benchmark writes.
using LazyBuild = std::shared_ptr<std::unique_ptr<WrittenBuild>>;

template <typename Prepare>
void measure_cold(const std::string& name, const std::shared_ptr<MemorySource>& source,
                  const LazyBuild& lazy, Prepare prepare) {
  benchmark::RegisterBenchmark(name.c_str(), [source, lazy, prepare](benchmark::State& state) {
    if (*lazy == nullptr) *lazy = std::make_unique<WrittenBuild>(*source);
    const WrittenBuild& build = **lazy;
    const Subject subject = prepare(build);
    if (!subject.load_all) return state.SkipWithError("not available here");
    subject.load_all();
    for ([[maybe_unused]] const auto round : state) {
      state.PauseTiming();
      subject.forget();
      build.forget();
      state.ResumeTiming();
      subject.load_all();
    }
  })->UseRealTime();
}

void register_cold(const std::string& name, const std::shared_ptr<MemorySource>& source) {
  const std::string group = "runtime/load cold/" + name + "/";
  const auto lazy = std::make_shared<std::unique_ptr<WrittenBuild>>();
  for (const SourceKind kind : {SourceKind::mapped, SourceKind::pread, SourceKind::uring}) {
    measure_cold(group + "loader, " + std::string(to_string(kind)), source, lazy,
                 [kind](const WrittenBuild& build) -> Subject {
                   const auto memory = std::make_shared<MemoryPool>();
                   Result<DiskSource> opened = open_disk_source(build.folder.path(), kind, memory);
                   if (!opened) return {};
                   return loader_subject(std::move(opened.value().source), memory, 2);
                 });
  }
  measure_cold(group + "raw read", source, lazy, [](const WrittenBuild& build) -> Subject {
    return {.load = {},
            .load_all =
                [&build, buffer = std::make_shared<ByteVector>()] {
                  for (const std::string& path : build.paths) {
                    benchmark::DoNotOptimize(
                        read_raw(build.folder.path() + "/" + path, *buffer).data());
                  }
                },
            .forget = [] {},
            .bundles = 0};
  });
}

}  // namespace

void register_loader_benchmarks(const std::string& name,
                                const std::shared_ptr<MemorySource>& source) {
  const MakeSubject threaded = [](const auto& from) { return loader_subject(from, nullptr, 2); };
  const MakeSubject stepped = [](const auto& from) { return loader_subject(from, nullptr, 0); };
  register_whole_build_benchmarks(name, source, nullptr, BuildStorage::memory);
#ifdef MUSTER_PHYSFS
  const MakeSubject physfs = physfs_maker(std::make_shared<std::shared_ptr<const ZippedBuild>>(),
                                          ZipStorage::memory, false);
#endif
  for (const auto& [title, per_mille] :
       {std::pair{"runtime/load p50/", 500UL}, {"runtime/load p99/", 990UL}}) {
    const std::string group = title + name + "/";
    measure_one(group + "store", source, store_subject, per_mille);
    measure_one(group + "loader, 2 threads", source, threaded, per_mille);
    measure_one(group + "loader, stepped", source, stepped, per_mille);
    measure_one(group + "raw zstd", source, zstd_subject, per_mille);
#ifdef MUSTER_PHYSFS
    measure_one(group + "PhysFS", source, physfs, per_mille);
#endif
  }
  register_cold(name, source);
}

void register_large_entry_benchmarks(Bytes content) {
  for (const std::size_t megabytes : {64U, 4U, 2U}) register_large_entries(megabytes, content);
}

void register_whole_build_benchmarks(const std::string& name,
                                     const std::shared_ptr<BundleSource>& source,
                                     const std::shared_ptr<MemoryPool>& memory,
                                     [[maybe_unused]] BuildStorage storage) {
  const std::string group = "runtime/load/" + name + "/";
  const auto loader = [&](const std::string& subject, std::uint32_t threads) {
    measure_all_at_once(group + subject, source, [memory, threads](const auto& from) {
      return loader_subject(from, memory, threads);
    });
  };
  loader("loader, 2 threads", 2);
  loader("loader, stepped", 0);
#ifdef MUSTER_PHYSFS
  const auto lazy = std::make_shared<std::shared_ptr<const ZippedBuild>>();
  const ZipStorage zip_storage =
      storage == BuildStorage::files ? ZipStorage::file : ZipStorage::memory;
  measure_all_at_once(group + "PhysFS", source, physfs_maker(lazy, zip_storage, false));
  measure_all_at_once(group + "PhysFS and CRC", source, physfs_maker(lazy, zip_storage, true));
#endif
}

}  // namespace muster
