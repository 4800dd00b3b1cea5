// Loads a whole build from memory in a loop, to count its instructions. `count_round` is measured.
// Its count depends on the compiler and the processor's family, not on other work of the machine.
//
//     valgrind --tool=callgrind --toggle-collect='muster::count_round(*'
//       load_rounds OUT/client loader 20
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <zstd.h>

#include "runtime/assets/bundle_loader.h"
#include "runtime/assets/disk_source.h"
#include "tests/bench/load_build.h"

namespace muster {

struct Stage {
  explicit Stage(const char* folder)
      : source(in_memory_of(*open_disk_source(folder, SourceKind::pread).value().source)),
        store(BundleStore::open(*source).value()),
        executor(*source, store.catalog(), false, store.memory(), store.dictionaries()),
        frames_store(BundleStore::open(*source).value()),
        frames(frames_of(frames_store, *source)),
        target(frames.plain_bytes) {}
  ~Stage() { ZSTD_freeDCtx(context); }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  std::shared_ptr<MemorySource> source;
  BundleStore store;
  SteppedLoads executor;
  BundleStore frames_store;
  Frames frames;
  ByteVector target;
  ZSTD_DCtx* context = ZSTD_createDCtx();
};

void load_zstd(Stage& stage) {
  std::size_t at = 0;
  for (const auto& [frame, plain_bytes, dictionary] : stage.frames.frames) {
    at += ZSTD_decompress_usingDDict(stage.context, stage.target.data() + at, plain_bytes,
                                     frame.data(), frame.size(), dictionary);
  }
  assert(at == stage.frames.plain_bytes);
}

void load_by_loader(BundleLoader& loader, std::vector<BundleHandle>& handles) {
  for (std::uint32_t i = 0; i < loader.store().catalog().bundle_count(); ++i) {
    handles.push_back(loader.request(i));
  }
  for (const BundleHandle& handle : handles) {
    [[maybe_unused]] const LoadState state = loader.finish(handle, Time{});
    assert(state == LoadState::ready);
  }
}

[[gnu::noinline]] void count_round(Stage& stage, BundleLoader& loader,
                                   std::vector<BundleHandle>& handles, std::string_view method) {
  if (method == "store") {
    load_all(stage.store);
  } else if (method == "one-by-one") {
    load_one_by_one(stage.store);
  } else if (method == "loader") {
    load_by_loader(loader, handles);
  } else {
    load_zstd(stage);
  }
}

}  // namespace muster

int main(int argc, char** argv) {
  using namespace muster;  // NOLINT(google-build-using-namespace): the whole program is here
  if (argc != 4) {
    std::fputs("usage: load_rounds TARGET-FOLDER store|one-by-one|loader|zstd ROUNDS\n", stderr);
    return 2;
  }
  Stage stage(argv[1]);
  BundleLoader loader(stage.store, stage.executor, {.start_budget_bytes = std::uint64_t{1} << 40U});
  std::vector<BundleHandle> handles;
  const std::string_view method = argv[2];
  for (int round = std::atoi(argv[3]); round > 0; --round) {
    count_round(stage, loader, handles, method);
    handles.clear();
    for (std::uint32_t i = 0; i < stage.store.catalog().bundle_count(); ++i) {
      if (method == "loader") {
        loader.reload(i);
      } else {
        stage.store.close_bundle(i);
      }
    }
  }
  return 0;
}
