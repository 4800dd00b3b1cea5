// Sends HTTP requests with libcurl.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "bundler/cache/http_blobs.h"

namespace muster {

struct CurlOptions {
  /// An address that begins with `http://` or `https://`. The address may contain `user:password@`
  /// and a path. Without a user, user and password come from `~/.netrc`.
  std::string address;
  std::string bearer_token{};  ///< A token that is sent with every request; may be empty.
  std::string ca_file{};       ///< A file with certificates, which are then the only trusted
                               ///< certificates; empty to trust the certificates of the system.
  Duration connect_timeout = std::chrono::seconds(5);
  /// A download fails if it is slower than `kSlowBytesPerSecond` for this time.
  Duration stall_timeout = std::chrono::seconds(10);
  std::stop_token stop{};
};

/// Performs all requests on one thread, and keeps connections open for later requests. Uses the
/// proxy of the environment variables that curl uses (`http_proxy`, `https_proxy`, `no_proxy`). The
/// maximum duration of a request is the sum of the two timeouts and of the time for its bytes at
/// `kSlowBytesPerSecond`. Follows no redirects, so that only the server in the address receives the
/// token.
class CurlTransport final : public HttpTransport {
 public:
  /// The minimum rate of one request. The rate is low because up to 64 requests may share a
  /// connection of only 100 KB/s.
  static constexpr std::uint64_t kSlowBytesPerSecond = 512;

  /// Fails with `invalid_argument` if the address is invalid. The first request loads libcurl, and
  /// fails with `unsupported` if libcurl cannot be used.
  static Result<std::unique_ptr<CurlTransport>> open(CurlOptions options);
  /// Ends all requests with `cancelled`.
  ~CurlTransport() override;

  void start(HttpRequest request, Done done) override;
  void wait(Duration duration, const std::stop_token& abandoned) override;

 private:
  class Loop;
  explicit CurlTransport(CurlOptions options);

  const CurlOptions options_;
  std::unique_ptr<Loop> loop_;
};

/// The address without user and password (the text before its last `@`), for messages.
std::string address_without_credentials(const std::string& address);

}  // namespace muster
