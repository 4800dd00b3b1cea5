// Uploads results to a distant cache while the build continues.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <utility>
#include <vector>

#include "bundler/cache/blob_store.h"
#include "registry/base/clock.h"

namespace muster {

/// Stores many blobs at the same time, without a thread for each blob. `add` does not wait for the
/// upload. An upload is a list of blobs that are stored one after another, because the value of a
/// key is useless before the content is stored. A slow server never makes the build slower: an
/// upload that would need too much memory ends at once, and `finish` waits for a limited time.
/// Several threads may use this object.
class CacheUploads {
 public:
  /// The maximum number of uploads that run at the same time.
  static constexpr unsigned kUploadsMax = 32;
  /// The maximum number of uploads that run at the same time before the server has stored its first
  /// blob. The number is small because the server may refuse all uploads.
  static constexpr unsigned kProbes = 4;
  /// The maximum total size in bytes of the blobs of all uploads that have not ended. A single
  /// upload may be larger.
  static constexpr std::uint64_t kBytesMax = std::uint64_t{256} << 20U;

  using Blobs = std::vector<std::pair<BlobKey, ByteVector>>;
  /// Receives success or the first error. An upload that is abandoned, or that would need too much
  /// memory, ends with `cancelled`.
  using Ended = std::function<void(const Result<void>&)>;

  /// `store` must outlive this object.
  explicit CacheUploads(BlobStore& store) : store_(store) {}
  /// Abandons all uploads.
  ~CacheUploads() { finish({}, {}); }
  CacheUploads(const CacheUploads&) = delete;
  CacheUploads& operator=(const CacheUploads&) = delete;

  /// Calls `ended` once, on any thread, possibly before this function returns. Requires: at least
  /// one blob.
  void add(Blobs blobs, Ended ended);
  /// Abandons the uploads that have not started.
  void give_up();
  /// Waits until all uploads have ended, but at most for `patience` and until `stop` is requested.
  /// Then abandons the remaining uploads, and returns when they have ended.
  void finish(Duration patience, const std::stop_token& stop);

 private:
  struct Upload {
    Blobs blobs;
    Ended ended;
    std::uint64_t bytes = 0;
    std::size_t stored = 0;  ///< The number of blobs that are stored.
  };

  bool has_room_for(std::uint64_t bytes) const;  ///< Requires: the caller holds the lock.
  void start_all(std::unique_lock<std::mutex>& lock);
  std::shared_ptr<Upload> next();
  void end_put(const std::shared_ptr<Upload>& upload, const Result<void>& put);

  BlobStore& store_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::stop_source abandoned_;
  std::deque<std::shared_ptr<Upload>> waiting_;  ///< The uploads that have not started.
  /// The uploads that have started and whose next blob can be stored.
  std::deque<std::shared_ptr<Upload>> ready_;
  std::uint64_t bytes_ = 0;  ///< The total size of the blobs of uploads that have not ended.
  unsigned running_ = 0;
  unsigned running_max_ = kProbes;
  bool is_starting_ = false;  ///< True while a thread is in `start_all`.
};

}  // namespace muster
