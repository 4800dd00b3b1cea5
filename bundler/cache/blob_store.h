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
  actions,  ///< `ac`: the result of an action, by the hash of all its dependencies.
  content,  ///< `cas`: content, by its own hash.
};
inline std::string_view folder_of(BlobSpace space) {
  return space == BlobSpace::actions ? "ac" : "cas";
}

struct BlobKey {
  BlobSpace space = BlobSpace::content;
  Sha256 hash;
};

/// A storage that keeps blobs for some time. Its results may be damaged or forged, so the caller
/// compares hashes. Safe to use from several threads and processes at once.
class BlobStore {
 public:
  virtual ~BlobStore() = default;

  /// Nothing if the store does not have it. Fails with `limit_exceeded` if it has more than
  /// `max_bytes`, with `cancelled` soon after `abandoned` is requested, and with any error of the
  /// disk or the network.
  virtual Result<std::optional<ByteVector>> get(const BlobKey& key, std::uint64_t max_bytes,
                                                const std::stop_token& abandoned) = 0;
  /// Stores a copy; concurrent readers see all of it or nothing.
  virtual Result<void> put(const BlobKey& key, Bytes bytes) = 0;
  /// Begins to store, and calls `done` once, on any thread, possibly before it returns. If
  /// `abandoned` is requested, `done` soon gets `cancelled`. A failure is final: the store does not
  /// try again.
  virtual void begin_put(const BlobKey& key, ByteVector bytes, const std::stop_token& abandoned,
                         const std::function<void(Result<void>)>& done) {
    done(abandoned.stop_requested() ? Result<void>(fail(ErrorCode::cancelled, "not needed"))
                                    : put(key, bytes));
  }
  /// Removes a damaged blob, if possible.
  virtual void remove(const BlobKey& key) = 0;
};

}  // namespace muster
