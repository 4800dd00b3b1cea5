// A cache in a folder. All checkouts and branches on a machine can share it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bundler/cache/blob_store.h"
#include "registry/base/disk_file.h"

namespace muster {

/// Stores blobs as files `ac/HH/HASH` and `cas/HH/HASH`. A file is written under another name and
/// then renamed, so that concurrent builds see only complete files. Files are not synced to the
/// disk: if a power failure damages a file, the damage is detected and the file is replaced.
/// Reading a file marks it as used.
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
  /// Removes the least recently used files until at most `max_bytes` are left. Also removes
  /// unfinished files that are older than one hour, because their writers have died. Returns the
  /// remaining content. Other builds may use the folder at the same time.
  Result<Content> trim(std::uint64_t max_bytes);

 private:
  explicit DiskBlobs(Descriptor folder) : folder_(std::move(folder)) {}

  Descriptor folder_;
};

}  // namespace muster
