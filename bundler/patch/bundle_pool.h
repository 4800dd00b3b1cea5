// The bundles from which a patch copies unchanged content.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <vector>

#include "bundler/patch/build_side.h"
#include "registry/base/file_system.h"
#include "runtime/bundle/bundle_reader.h"

namespace muster {

/// Reads a bundle that was made before: one of the new build when a patch is created, a staged one
/// when it is applied. Like `read_whole`.
using ReadMade = std::function<Result<Bytes>(const AssetPath& path, std::uint64_t max_bytes,
                                             ByteVector& buffer)>;

/// All bundles of the base by number (the client's in the order of its catalog, then the server's),
/// followed by the bundles made so far, in order. Opens them on request, checks size and hash in
/// their catalog, and keeps a few open. One thread at a time.
class BundlePool {
 public:
  /// Requires: all arguments outlive this object.
  BundlePool(const FileReader& base_files, const BuildSide& base, ReadMade read_made);

  std::size_t size() const { return places_.size(); }
  /// The sum of the sizes of the base's bundles.
  std::uint64_t base_bytes() const { return base_bytes_; }
  const AssetPath& path(std::size_t number) const { return places_[number].path; }
  /// Appends a bundle to the pool.
  void add(const AssetPath& path, const CatalogBundle& bundle);

  /// A bundle's reader and bytes, valid until the next call. Fails with `hash_mismatch` if it
  /// differs from its catalog, or with reading errors. Requires: `number < size()`.
  struct Opened {
    BundleReader reader;
    Bytes bytes;
  };
  Result<Opened> open(std::size_t number);

 private:
  struct Place {
    AssetPath path;
    ContentHash hash;
    std::uint64_t file_bytes = 0;
    bool is_made = false;
    bool is_checked = false;
  };
  struct Held {
    std::size_t number = 0;
    ByteVector bytes;
  };
  Result<void> load(Place& place, ByteVector& buffer) const;

  const FileReader* base_files_;
  ReadMade read_made_;
  std::vector<Place> places_;
  std::uint64_t base_bytes_ = 0;
  std::list<Held> held_;  ///< Most recently used first.
};

/// Reads a bundle of a build and compares it with its catalog. Fails like `BundlePool::open`.
Result<Bytes> read_bundle(const FileReader& files, const AssetPath& path,
                          const CatalogBundle& bundle, ByteVector& buffer);

}  // namespace muster
