// The interface between the cache and its storage.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

#include "bundler/cache/sha256.h"
#include "registry/base/result.h"

namespace muster {

/// The two name spaces of Bazel's cache protocol.
enum class BlobSpace : std::uint8_t {
  actions,  ///< `ac`: the result of an action. The key is the hash of all dependencies of the
            ///< action.
  content,  ///< `cas`: content. The key is the hash of the content.
};
inline std::string_view folder_of(BlobSpace space) {
  return space == BlobSpace::actions ? "ac" : "cas";
}

struct BlobKey {
  BlobSpace space = BlobSpace::content;
  Sha256 hash;
};

/// A storage for blobs, which may remove blobs at any time. A returned blob can be damaged or
/// forged, so the caller must compare hashes. Several threads and processes may use this object at
/// the same time.
class BlobStore {
 public:
  virtual ~BlobStore() = default;

  /// Reads a blob; returns no value if the store does not have it. Fails with `limit_exceeded` if
  /// the blob has more than `max_bytes`, with `cancelled` soon after `abandoned` is requested, and
  /// with any error of the disk or the network.
  virtual Result<std::optional<ByteVector>> get(const BlobKey& key, std::uint64_t max_bytes,
                                                const std::stop_token& abandoned) = 0;
  /// Stores a copy of the bytes. A concurrent reader sees either the whole blob or no blob.
  virtual Result<void> put(const BlobKey& key, Bytes bytes) = 0;
  /// Begins to store a blob. Calls `done` once, on any thread, possibly before this function
  /// returns. If `abandoned` is requested, `done` soon gets `cancelled`. The store does not try
  /// again after a failure.
  virtual void begin_put(const BlobKey& key, ByteVector bytes, const std::stop_token& abandoned,
                         const std::function<void(Result<void>)>& done) {
    done(abandoned.stop_requested() ? Result<void>(fail(ErrorCode::cancelled, "not needed"))
                                    : put(key, bytes));
  }
  /// Removes a damaged blob, if possible.
  virtual void remove(const BlobKey& key) = 0;
};

}  // namespace muster
