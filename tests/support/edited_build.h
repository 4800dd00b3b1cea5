// The sample build's client after an edit of its content, for reload tests.
#pragma once

#include "runtime/assets/bundle_loader.h"
#include "tests/support/sample_build.h"

namespace muster::samples {

struct EditedBuild {
  explicit EditedBuild(const SampleValues& values) : files(built(values)) {}

  MemoryFileSystem files;
  FileSystemSource source{files, AssetPath::parse("client").value()};
  BundleStore store = BundleStore::open(source).value();
  SteppedLoads executor{source, store.catalog()};
  BundleLoader loader{store, executor, {}};

 private:
  static MemoryFileSystem built(const SampleValues& values) {
    MemoryFileSystem files;
    build_target(files, {.values = values});
    return files;
  }
};

}  // namespace muster::samples
