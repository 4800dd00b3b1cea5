// Builds by chance, and chance edits of them: what patches are tried on. Equal seeds give equal
// builds.
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

/// A build as its content; `files` gives its output.
struct BuildModel {
  std::map<Target, std::vector<ModelBundle>> targets;
  int number = 0;  ///< In the report.
  bool is_signed = false;
  /// The dictionary of objects and prefabs; 0 for none, else one of `kDictionaries`.
  std::uint64_t dictionary = 0;
  static constexpr std::uint64_t kDictionaries = 2;

  /// A few bundles for each side, which share some of what they hold.
  static BuildModel random(Random& random);
  /// One change: of bytes, of what is there, of where it is, of how it is packed.
  void edit(Random& random);
  MemoryFileSystem files() const;

 private:
  ModelEntry new_entry(Random& random) const;
  void edit_bundle(ModelBundle& bundle, Random& random) const;
};

}  // namespace muster::samples
