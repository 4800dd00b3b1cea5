// A cache behind HTTP, shared by machines, with Bazel's protocol.
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
  std::optional<ByteVector> body{};    ///< Sent with `PUT`; without it the method is `GET`.
  std::uint64_t answer_bytes_max = 0;  ///< For `GET`.
  std::stop_token abandoned{};
};

/// The interface to the network. Safe to use from several threads at once.
class HttpTransport {
 public:
  using Done = std::function<void(Result<HttpAnswer>)>;

  virtual ~HttpTransport() = default;
  /// Starts a request, without a thread of its own. Calls `done` once, on any thread, possibly
  /// before it returns; `done` does not block. A request fails with `timed_out`, with
  /// `limit_exceeded` if the answer has more bytes than allowed, with `truncated` if it ends early,
  /// with `cancelled` soon after it is abandoned, or with `io` if the server does not answer.
  virtual void start(HttpRequest request, Done done) = 0;
  /// Waits; returns early if the program stops or `abandoned` is requested.
  virtual void wait(Duration duration, const std::stop_token& abandoned) = 0;
};

/// `GET` and `PUT` of `/ac/HASH` and `/cas/HASH`, like Bazel's `--remote_cache=http://...`
/// (https://bazel.build/remote/caching#http-caching). Retries short-lived errors: no answer, an
/// interrupted answer, or the status codes 429 and 5xx. Errors that took long are not retried. A
/// query that is abandoned between two attempts fails with the error of the first.
class HttpBlobs final : public BlobStore {
 public:
  static constexpr unsigned kAttempts = 3;
  /// The pause before the second attempt; doubled before each further one.
  static constexpr Duration kFirstPause = std::chrono::milliseconds(100);

  /// `transport` must outlive this object.
  explicit HttpBlobs(HttpTransport& transport) : transport_(transport) {}

  Result<std::optional<ByteVector>> get(const BlobKey& key, std::uint64_t max_bytes,
                                        const std::stop_token& abandoned) override;
  Result<void> put(const BlobKey& key, Bytes bytes) override;
  void begin_put(const BlobKey& key, ByteVector bytes, const std::stop_token& abandoned,
                 const std::function<void(Result<void>)>& done) override;
  /// The protocol has no removal; the next stored blob replaces the old one.
  void remove(const BlobKey&) override {}

 private:
  Result<HttpAnswer> ask(const HttpRequest& request);

  HttpTransport& transport_;
};

}  // namespace muster
