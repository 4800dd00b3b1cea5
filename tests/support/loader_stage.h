// The sample build with a loader that a test advances step by step.
#pragma once

#include <cstdint>

#include "runtime/assets/bundle_loader.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/sample_build.h"

namespace muster::samples {

struct LoaderStage {
  /// With `is_manual`, loading progresses only in `executor.step`.
  explicit LoaderStage(bool is_manual = false, const LoaderOptions& options = {})
      : executor(source, store.catalog(), is_manual, store.memory()),
        loader(store, executor, options) {}

  std::uint32_t bundle_of(std::uint64_t asset) const {
    return store.catalog().bundle_of(guid(asset)).value();
  }
  BundleHandle request(std::uint64_t asset, const LoadRequest& wish = {}) {
    return loader.request(bundle_of(asset), wish);
  }
  AssetPath file(std::uint64_t asset) const {
    return AssetPath::parse("client/" + bundle_path(asset)).value();
  }

  MemoryFileSystem files = build();
  FileSystemSource source{files, AssetPath::parse("client").value()};
  BundleStore store = BundleStore::open(source).value();
  SteppedLoads executor;
  BundleLoader loader;
};

}  // namespace muster::samples
