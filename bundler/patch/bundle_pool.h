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

/// Reads a bundle that was made earlier. When a patch is created, this is a bundle of the new
/// build. When a patch is applied, this is a staged bundle. The arguments are the same as for
/// `read_whole`.
using ReadMade = std::function<Result<Bytes>(const AssetPath& path, std::uint64_t max_bytes,
                                             ByteVector& buffer)>;

/// Numbers the bundles from which content can be copied: first the client's bundles of the base in
/// the order of the catalog, then the server's bundles of the base, and then the bundles that were
/// made, in the order in which they were made. Opens a bundle on request, compares its size and
/// hash with its catalog, and keeps a few bundles open. One thread may use the pool at a time.
class BundlePool {
 public:
  /// All arguments must outlive this object.
  BundlePool(const FileReader& base_files, const BuildSide& base, ReadMade read_made);

  std::size_t size() const { return bundles_.size(); }
  /// The total size of the bundles of the base.
  std::uint64_t base_bytes() const { return base_bytes_; }
  const AssetPath& path(std::size_t number) const { return bundles_[number].path; }
  /// Appends a bundle to the pool.
  void add(const AssetPath& path, const CatalogBundle& bundle);

  /// Opens a bundle; its reader and bytes are valid until the next call. `open` fails with
  /// `hash_mismatch` if the bundle differs from its catalog. If the bundle cannot be read, `open`
  /// fails with the code of that failure. Requires: `number < size()`.
  struct Opened {
    BundleReader reader;
    Bytes bytes;
  };
  Result<Opened> open(std::size_t number);

 private:
  struct PooledBundle {
    AssetPath path;
    ContentHash hash;
    std::uint64_t file_bytes = 0;
    bool is_made = false;
    bool is_checked = false;
  };
  struct CachedFile {
    std::size_t number = 0;
    ByteVector bytes;
  };
  Result<void> load(PooledBundle& bundle, ByteVector& buffer) const;

  const FileReader* base_files_;
  ReadMade read_made_;
  std::vector<PooledBundle> bundles_;
  std::uint64_t base_bytes_ = 0;
  std::list<CachedFile> cache_;  ///< The open bundles, the most recently used first.
};

/// Reads a bundle of a build and compares it with its catalog. Fails like `BundlePool::open`.
Result<Bytes> read_bundle(const FileReader& files, const AssetPath& path,
                          const CatalogBundle& bundle, ByteVector& buffer);

}  // namespace muster
