// The cost of a project as a whole: finding its sidecars, scanning its references, building it. The
// peers do the same with common tools: `find | xargs cat | grep`, and zstd over the same source
// bytes with the same level and number of threads.
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <zstd.h>

#include "bundler/build/target_build.h"
#include "registry/base/disk_file_system.h"
#include "registry/base/seed.h"
#include "tests/bench/bench.h"

namespace muster {
namespace {

constexpr unsigned kJobs = 2;
constexpr std::uint64_t kAssetBytesMax = 4ULL << 30U;

std::string temporary_folder() {
  std::string name = "/tmp/muster-bench-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  return name;
}

struct Folder {
  std::string path = temporary_folder();
  Folder() = default;
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    const std::string command = "rm -rf '" + path + "'";
    if (std::system(command.c_str()) != 0) return;
  }
};

void run_shell(benchmark::State& state, const std::string& command) {
  for ([[maybe_unused]] const auto round : state) {
    if (std::system(command.c_str()) != 0) state.SkipWithError("the command failed");
  }
}

// A project of N sidecars, written at the first measurement.
class MetaProject {
 public:
  explicit MetaProject(std::size_t count) : count_(count) {}

  const std::string& path() {
    if (!folder_) write();
    return folder_->path;
  }

 private:
  void write() {
    folder_ = std::make_unique<Folder>();
    auto files = DiskFileSystem::open(folder_->path);
    Random random(1);
    for (std::size_t i = 0; files && i < count_; ++i) {
      std::string guid;
      for (int digit = 0; digit < 32; ++digit) guid += "0123456789abcdef"[random.below(16)];
      const std::string name =
          "Assets/" + std::to_string(i % 100) + "/asset" + std::to_string(i) + ".png";
      const std::string meta = "fileFormatVersion: 2\nguid: " + guid +
                               "\nTextureImporter:\n  externalObjects: {}\n"
                               "  serializedVersion: 9\n  userData: \n  assetBundleName: \n";
      const bool written =
          files.value().write(AssetPath::parse(name).value(), {}).has_value() &&
          files.value().write(AssetPath::parse(name + ".meta").value(), as_bytes(meta)).has_value();
      if (!written) std::abort();
    }
  }

  std::size_t count_;
  std::unique_ptr<Folder> folder_;
};

void register_index(std::size_t count) {
  const auto project = std::make_shared<MetaProject>(count);
  const std::string group = "index/" + std::to_string(count) + " metas/";
  benchmark::RegisterBenchmark((group + "build_asset_index").c_str(),
                               [project](benchmark::State& state) {
                                 const auto disk = DiskFileSystem::open(project->path());
                                 const auto config = load_config(disk.value());
                                 for ([[maybe_unused]] const auto round : state) {
                                   auto index =
                                       build_asset_index(disk.value(), config.value(), kJobs, {});
                                   benchmark::DoNotOptimize(index.has_value());
                                 }
                               })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark(
      (group + "find+grep").c_str(),
      [project](benchmark::State& state) {
        run_shell(state, "find '" + project->path() +
                             "' -name '*.meta' -print0 | xargs -0 cat | grep '^guid' > /dev/null");
      })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

// A project that is opened once for all its benchmarks.
struct Opened {
  std::unique_ptr<DiskFileSystem> files;
  std::unique_ptr<Project> project;
};

std::shared_ptr<Opened> open_project(const std::string& path) {
  auto files = DiskFileSystem::open(path);
  if (!files) return nullptr;
  auto opened = std::make_shared<Opened>();
  opened->files = std::make_unique<DiskFileSystem>(std::move(files).value());
  auto project = Project::open(*opened->files, kJobs, {});
  if (!project) return nullptr;
  opened->project = std::move(project).value();
  return opened;
}

void register_scan(const std::string& name, const std::string& path) {
  const std::string group = "project/" + name + "/";
  benchmark::RegisterBenchmark((group + "open").c_str(),
                               [path](benchmark::State& state) {
                                 for ([[maybe_unused]] const auto round : state) {
                                   benchmark::DoNotOptimize(open_project(path));
                                 }
                               })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
  // Finds the same as `open`: every sidecar's guid, and every reference in the text assets.
  const std::string command =
      "rg -j2 -N --no-ignore '^guid: ' -g '*.meta' '" + path +
      "' > /dev/null && rg -j2 -N --no-ignore -o 'guid: [0-9a-f]{32}' -g "
      "'*.{prefab,unity,asset,mat,meta,controller,anim,vfx,playable,mask,yaml}' '" +
      path + "' > /dev/null";
  if (std::system("command -v rg > /dev/null") != 0) return;
  benchmark::RegisterBenchmark((group + "ripgrep").c_str(),
                               [command](benchmark::State& state) { run_shell(state, command); })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

bool build_once(const Opened& opened, const std::string& out) {
  auto files = DiskFileSystem::open_or_create(out);
  if (!files) return false;
  auto output = OutputFolder::open_for_build(files.value());
  if (!output) return false;
  SilentReporter reporter;
  const SteadyClock clock;
  StagedBundles bundles(output.value());
  const BuildEdges edges{bundles, reporter, clock, {}};
  const std::vector<ComponentDescription> components;
  std::vector<CookProblem> problems;
  for (const Target target : {Target::client, Target::server}) {
    const auto built =
        build_target(*opened.project, target, components, {.jobs = kJobs}, edges, problems);
    if (!built) return false;
  }
  return output.value().stage(AssetPath().child("build.json"), as_bytes("{}")).has_value() &&
         output.value().publish().has_value();
}

// All source bytes of both targets: the input of zstd, to which the build is compared.
ByteVector payload_of(const Project& project) {
  ByteVector payload;
  ByteVector buffer;
  const std::vector<std::uint64_t> sizes(project.index().assets().size(), 0);
  for (const Target target : {Target::client, Target::server}) {
    const BundlePlan plan =
        plan_bundles(project, {.target = target, .layout = Layout::shared}, sizes);
    for (const PlannedBundle& bundle : plan.bundles) {
      for (const AssetNumber asset : bundle.assets) {
        const auto bytes =
            read_whole(project.files(), project.index().at(asset).path, kAssetBytesMax, buffer);
        if (bytes) payload.insert(payload.end(), bytes.value().begin(), bytes.value().end());
      }
    }
  }
  return payload;
}

void compress_all(benchmark::State& state, const ByteVector& payload) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(),
                                                                        &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kDefaultLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_nbWorkers, static_cast<int>(kJobs));
  ByteVector out(ZSTD_compressBound(payload.size()));
  for ([[maybe_unused]] const auto round : state) {
    const std::size_t size =
        ZSTD_compress2(context.get(), out.data(), out.size(), payload.data(), payload.size());
    if (ZSTD_isError(size) != 0) state.SkipWithError("zstd failed");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(payload.size()));
}

void register_build(const std::string& name, const std::string& path) {
  const std::string group = "build/" + name + "/";
  benchmark::RegisterBenchmark(
      (group + "cold build").c_str(),
      [path](benchmark::State& state) {
        const Folder folder;
        int number = 0;
        for ([[maybe_unused]] const auto round : state) {
          const auto fresh = open_project(path);
          if (!fresh || !build_once(*fresh, folder.path + "/" + std::to_string(number++))) {
            state.SkipWithError("the build failed");
          }
        }
      })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark((group + "zstd -T2").c_str(),
                               [path](benchmark::State& state) {
                                 const auto opened = open_project(path);
                                 if (opened) compress_all(state, payload_of(*opened->project));
                               })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

void register_build_benchmarks(const BenchOptions& options) {
  register_index(10000);
  register_scan("arena", MUSTER_SOURCE_DIR "/content/arena");
  register_build("arena", MUSTER_SOURCE_DIR "/content/arena");
  if (options.project.empty()) return;
  register_scan("project", options.project);
  register_build("project", options.project);
}

}  // namespace muster
