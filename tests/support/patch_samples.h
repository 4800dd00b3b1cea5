// Random builds and random edits of them, for patch tests. Equal seeds give equal builds.
#pragma once

#include <map>
#include <vector>

#include "bundler/pack/bundle_writer.h"
#include "registry/base/memory_file_system.h"
#include "registry/base/seed.h"
#include "registry/base/type_id.h"
#include "runtime/bundle/bundle_name.h"

namespace muster::samples {

struct ModelEntry {
  Guid guid{};
  std::int64_t local_id = kMainPayload;
  EntryKind kind = EntryKind::raw;
  ByteVector plain;
};
struct ModelBundle {
  BundleName name{};
  PackOptions options;
  std::vector<ModelEntry> entries;
};

/// The content of a build. `files` returns the output files.
struct BuildModel {
  std::map<Target, std::vector<ModelBundle>> targets;
  int number = 0;  ///< A number in the report.
  bool is_signed = false;
  /// The dictionary of objects and prefabs, one of `kDictionaries`; 0 for none.
  std::uint64_t dictionary = 0;
  static constexpr std::uint64_t kDictionaries = 2;

  /// Returns a few bundles for each side, with partly equal contents.
  static BuildModel random(Random& random);
  /// Makes one random change of bytes, content, location or packing.
  void edit(Random& random);
  MemoryFileSystem files() const;

 private:
  ModelEntry new_entry(Random& random) const;
  void edit_bundle(ModelBundle& bundle, Random& random) const;
};

}  // namespace muster::samples
