// HTTP with libcurl.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "bundler/cache/http_blobs.h"

namespace muster {

struct CurlOptions {
  /// `http://` or `https://`, optionally with `user:password@` (or these from `~/.netrc`) and a
  /// path.
  std::string address;
  std::string bearer_token{};  ///< Sent with every request, or empty.
  std::string ca_file{};       ///< Only these certificates are trusted; empty for the system's.
  Duration connect_timeout = std::chrono::seconds(5);
  /// A download slower than `kSlowBytesPerSecond` for this long is too slow.
  Duration stall_timeout = std::chrono::seconds(10);
  std::stop_token stop{};
};

/// One thread performs all requests at once, and keeps connections open for the next ones. Uses a
/// proxy from the environment, like curl (`http_proxy`, `https_proxy`, `no_proxy`). A request takes
/// at most the two timeouts and the time for its bytes at `kSlowBytesPerSecond`. Follows no
/// redirects, so that only the server in the address gets the token.
class CurlTransport final : public HttpTransport {
 public:
  /// The minimum rate of one request. Up to 64 requests share a line, which may have only 100 KB/s.
  static constexpr std::uint64_t kSlowBytesPerSecond = 512;

  /// Fails with `invalid_argument` if the address is invalid. The library is loaded for the first
  /// request, which fails with `unsupported` if it cannot be used.
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

/// The address without the text before its last `@` (user and password), for messages.
std::string address_for_people(const std::string& address);

}  // namespace muster
