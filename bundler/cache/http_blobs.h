// A cache on an HTTP server with Bazel's protocol. Several machines can share it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "bundler/cache/blob_store.h"
#include "registry/base/clock.h"

namespace muster {

struct HttpAnswer {
  int status = 0;
  ByteVector body;
};

struct HttpRequest {
  std::string path;
  std::optional<ByteVector> body{};    ///< The body of a `PUT`; no value for a `GET`.
  std::uint64_t answer_bytes_max = 0;  ///< The maximum size of the answer to a `GET`.
  std::stop_token abandoned{};
};

/// The interface to the network. Several threads may use an implementation at the same time.
class HttpTransport {
 public:
  using Done = std::function<void(Result<HttpAnswer>)>;

  virtual ~HttpTransport() = default;
  /// Starts a request and does not wait for it. Calls `done` once, on any thread, possibly before
  /// this function returns; `done` must not block. A request fails with `timed_out`, with
  /// `limit_exceeded` if the answer has more bytes than allowed, with `truncated` if the answer
  /// ends too early, with `cancelled` soon after it is abandoned, or with `io` if the server does
  /// not answer.
  virtual void start(HttpRequest request, Done done) = 0;
  /// Waits for `duration`. Returns early if the program stops or `abandoned` is requested.
  virtual void wait(Duration duration, const std::stop_token& abandoned) = 0;
};

/// Uses `GET` and `PUT` of `/ac/HASH` and `/cas/HASH`, like Bazel's `--remote_cache=http://...`
/// (https://bazel.build/remote/caching#http-caching). Tries again after an error that may be
/// temporary: no answer, an interrupted answer, or the status codes 429 and 5xx. Does not try again
/// after a timeout. A query that is abandoned between two attempts fails with the error of the
/// first attempt.
class HttpBlobs final : public BlobStore {
 public:
  static constexpr unsigned kAttempts = 3;
  /// The pause before the second attempt. The pause doubles before each later attempt.
  static constexpr Duration kFirstPause = std::chrono::milliseconds(100);

  /// `transport` must outlive this object.
  explicit HttpBlobs(HttpTransport& transport) : transport_(transport) {}

  Result<std::optional<ByteVector>> get(const BlobKey& key, std::uint64_t max_bytes,
                                        const std::stop_token& abandoned) override;
  Result<void> put(const BlobKey& key, Bytes bytes) override;
  void begin_put(const BlobKey& key, ByteVector bytes, const std::stop_token& abandoned,
                 const std::function<void(Result<void>)>& done) override;
  /// Does nothing, because the protocol cannot remove a blob. The next stored blob replaces the old
  /// blob.
  void remove(const BlobKey&) override {}

 private:
  Result<HttpAnswer> send(const HttpRequest& request);

  HttpTransport& transport_;
};

}  // namespace muster
