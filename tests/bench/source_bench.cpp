// The cost of reading a build's files into a process, through the sources, and with `open` and
// `read` into one buffer. Each file is hashed before its first use, as in a store. PhysFS reads the
// same files from an uncompressed zip. "cold" files are read after the kernel has dropped them from
// its cache.
#include <array>
#include <cassert>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "registry/base/content_hash.h"
#include "registry/base/disk_file_system.h"
#include "runtime/assets/disk_source.h"
#include "tests/bench/bench.h"
#include "tests/bench/mounted_zip.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/raw_read.h"
#include "tests/support/temporary_folder.h"

namespace muster {
namespace {

struct FileShape {
  const char* name;
  std::size_t files;
  std::size_t bytes;
};

// Random files, because bundles contain compressed data.
struct Files {
  explicit Files(const FileShape& shape) : total_bytes(shape.files * shape.bytes) {
    for (std::size_t i = 0; i < shape.files; ++i) {
      const std::string name = "bundles/" + std::to_string(i) + ".mbundle";
      folder.put(name, as_text(samples::noise(shape.bytes, i)));
      names.push_back(name);
    }
    for (const std::string& name : names) {
      requests.push_back({.path = name, .max_bytes = shape.bytes});
    }
  }
  std::string full_path(const std::string& name) const { return folder.path() + "/" + name; }
  void forget() const {
    for (const std::string& name : names) forget_pages(full_path(name));
  }

  TemporaryFolder folder;
  std::vector<std::string> names;
  std::vector<OpenRequest> requests;  ///< Requests with views of the names.
  std::size_t total_bytes;
};

enum class Cache : std::uint8_t { warm, cold };

// Files that the first benchmark generates. The files exist until the last benchmark has run.
class LazyFiles {
 public:
  explicit LazyFiles(const FileShape& shape) : shape_(shape) {}
  const Files& get() {
    if (!files_) files_ = std::make_unique<Files>(shape_);
    return *files_;
  }
  const char* name() const { return shape_.name; }

 private:
  FileShape shape_;
  std::unique_ptr<Files> files_;
};

// `prepare` makes the input of `read_all` from the files.
template <typename Prepare>
void measure(const std::shared_ptr<LazyFiles>& lazy, Cache cache, const std::string& subject,
             Prepare prepare) {
  const std::string group =
      std::string("runtime/source/") + lazy->name() + (cache == Cache::cold ? ", cold/" : "/");
  const auto run = [lazy, cache, prepare](benchmark::State& state) {
    const Files& files = lazy->get();
    auto read_all = prepare(files);
    if (!read_all) {
      state.SkipWithError("not available here");
      return;
    }
    read_all();  // The first use of memory is not measured.
    for ([[maybe_unused]] const auto round : state) {
      if (cache == Cache::cold) {
        state.PauseTiming();
        files.forget();
        state.ResumeTiming();
      }
      read_all();
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(files.total_bytes));
  };
  benchmark::RegisterBenchmark((group + subject).c_str(), run)->UseRealTime();
}

void read_through(const BundleSource& source, const Files& files) {
  const auto opened = source.open_all(files.requests);
  for (const auto& file : opened) {
    assert(file.has_value());
    benchmark::DoNotOptimize(hash_bytes(file.value()->bytes()));
  }
}

using ReadAll = std::function<void()>;

void measure_sources(const std::shared_ptr<LazyFiles>& lazy, Cache cache) {
  for (const SourceKind kind : {SourceKind::mapped, SourceKind::pread, SourceKind::uring}) {
    measure(lazy, cache, std::string(to_string(kind)), [kind](const Files& files) -> ReadAll {
      // Uses a pool, as a store does, because allocating new memory would cost more than reading
      // into it.
      Result<DiskSource> opened =
          open_disk_source(files.folder.path(), kind, std::make_shared<MemoryPool>());
      if (!opened) return nullptr;
      const std::shared_ptr<BundleSource> source = std::move(opened.value().source);
      return [source, &files] { read_through(*source, files); };
    });
  }
  measure(lazy, cache, "FileSystem", [](const Files& files) -> ReadAll {
    const auto disk =
        std::make_shared<DiskFileSystem>(DiskFileSystem::open(files.folder.path()).value());
    return [disk, &files] { read_through(FileSystemSource(*disk), files); };
  });
  measure(lazy, cache, "raw read", [](const Files& files) -> ReadAll {
    return [&files, buffer = ByteVector()]() mutable {
      for (const std::string& name : files.names) {
        benchmark::DoNotOptimize(hash_bytes(read_raw(files.full_path(name), buffer)));
      }
    };
  });
}

#ifdef MUSTER_PHYSFS

void measure_physfs(const std::shared_ptr<LazyFiles>& lazy) {
  measure(lazy, Cache::warm, "PhysFS", [](const Files& files) -> ReadAll {
    std::vector<ZipMember> members;
    ByteVector read;
    for (const std::string& name : files.names) {
      members.push_back(stored_member(name, read_raw(files.full_path(name), read)));
    }
    const auto zip = std::make_shared<MountedZip>(members);
    return [zip, &files, buffer = ByteVector()]() mutable {
      for (const std::string& name : files.names) {
        benchmark::DoNotOptimize(hash_bytes(zip->read(name, buffer)));
      }
    };
  });
}

#else

void measure_physfs(const std::shared_ptr<LazyFiles>& /*lazy*/) {}

#endif

}  // namespace

void register_source_benchmarks(const BenchOptions& /*options*/) {
  constexpr std::array<FileShape, 3> kShapes = {{
      {.name = "2000 of 3 KB", .files = 2000, .bytes = 3000},
      {.name = "200 of 64 KB", .files = 200, .bytes = 64UL << 10U},
      {.name = "40 of 1 MB", .files = 40, .bytes = 1UL << 20U},
  }};
  for (const FileShape& shape : kShapes) {
    const auto lazy = std::make_shared<LazyFiles>(shape);
    measure_sources(lazy, Cache::warm);
    measure_physfs(lazy);
    measure_sources(lazy, Cache::cold);
  }
}

}  // namespace muster
