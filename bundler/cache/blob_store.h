// The seam between what a cache means and where it lies.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "bundler/cache/sha256.h"
#include "registry/base/result.h"

namespace muster {

/// The two name spaces of Bazel's cache protocol.
enum class BlobSpace : std::uint8_t {
  actions,  ///< `ac`: what an action made, by the hash of all that it depends on.
  content,  ///< `cas`: content by its own hash.
};
inline std::string_view folder_of(BlobSpace space) {
  return space == BlobSpace::actions ? "ac" : "cas";
}

struct BlobKey {
  BlobSpace space = BlobSpace::content;
  Sha256 hash;
};

/// A place that keeps blobs for a while. Whatever it gives may be damaged or a lie: who asks
/// compares hashes. Safe to use from several threads and processes at once.
class BlobStore {
 public:
  virtual ~BlobStore() = default;

  /// Nothing when the store lacks it. Fails with `limit_exceeded` when it has more than
  /// `max_bytes`, with `cancelled` soon after `abandoned` is requested, and with any code of the
  /// disk or the network.
  virtual Result<std::optional<ByteVector>> get(const BlobKey& key, std::uint64_t max_bytes,
                                                const std::stop_token& abandoned) = 0;
  /// Keeps a copy; whoever looks meanwhile sees all of it or nothing.
  virtual Result<void> put(const BlobKey& key, Bytes bytes) = 0;
  /// Lets go of what turned out to be damaged, where that is possible.
  virtual void remove(const BlobKey& key) = 0;
};

}  // namespace muster
