// A cache behind HTTP, shared by machines: Bazel's protocol.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "bundler/cache/blob_store.h"
#include "registry/base/clock.h"

namespace muster {

struct HttpAnswer {
  int status = 0;
  ByteVector body;
};

/// The seam to the network. Safe to use from several threads at once.
class HttpTransport {
 public:
  virtual ~HttpTransport() = default;
  /// Fails with `timed_out`, with `limit_exceeded` when the answer has more than `max_bytes`, with
  /// `truncated` when it ends early, with `cancelled`, or with `io` when nobody answers.
  virtual Result<HttpAnswer> get(const std::string& path, std::uint64_t max_bytes,
                                 const std::stop_token& abandoned) = 0;
  virtual Result<HttpAnswer> put(const std::string& path, Bytes bytes) = 0;
  /// Waits, but ends early when the program is to stop or `abandoned` is requested.
  virtual void wait(Duration duration, const std::stop_token& abandoned) = 0;
};

/// `GET` and `PUT` of `/ac/HASH` and `/cas/HASH`, as Bazel's `--remote_cache=http://...` does
/// (https://bazel.build/remote/caching#http-caching). What may be over in a moment is tried again:
/// nobody answered, the answer broke off, or the server says so (429 and 5xx). What took long
/// already is not.
class HttpBlobs final : public BlobStore {
 public:
  static constexpr unsigned kAttempts = 3;
  /// Before the second attempt; twice as long before each further one.
  static constexpr Duration kFirstPause = std::chrono::milliseconds(100);

  /// `transport` must outlive this.
  explicit HttpBlobs(HttpTransport& transport) : transport_(transport) {}

  Result<std::optional<ByteVector>> get(const BlobKey& key, std::uint64_t max_bytes,
                                        const std::stop_token& abandoned) override;
  Result<void> put(const BlobKey& key, Bytes bytes) override;
  /// The protocol knows no such wish; what is stored next replaces what is there.
  void remove(const BlobKey&) override {}

 private:
  template <typename Ask>
  Result<HttpAnswer> ask(const Ask& ask_once, const std::stop_token& abandoned);

  HttpTransport& transport_;
};

}  // namespace muster
