// A cache in a folder, shared by all checkouts and branches of a machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bundler/cache/blob_store.h"
#include "registry/base/disk_file.h"

namespace muster {

/// Blobs as files `ac/HH/HASH` and `cas/HH/HASH`. A file is written under another name and renamed,
/// so that concurrent builds see complete files. It is not made durable: a file that a power
/// failure damages is detected and replaced. Reading a file marks it as used.
class DiskBlobs final : public BlobStore {
 public:
  /// Opens or creates the folder. Fails with `permission_denied`, `no_space` or `io`.
  static Result<std::unique_ptr<DiskBlobs>> open(const std::string& path);

  Result<std::optional<ByteVector>> get(const BlobKey& key, std::uint64_t max_bytes,
                                        const std::stop_token& abandoned) override;
  Result<void> put(const BlobKey& key, Bytes bytes) override;
  void remove(const BlobKey& key) override;

  /// The current content of the folder.
  struct Content {
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
  };
  /// Removes the least recently used files until at most `max_bytes` are left, and files that dead
  /// writers left more than an hour ago. Returns the remaining content. Other builds may continue
  /// meanwhile.
  Result<Content> trim(std::uint64_t max_bytes);

 private:
  explicit DiskBlobs(Descriptor folder) : folder_(std::move(folder)) {}

  Descriptor folder_;
};

}  // namespace muster
