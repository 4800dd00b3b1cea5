#include "bundler/cache/http_blobs.h"

#include <utility>

namespace muster {
namespace {

std::string url_path_of(const BlobKey& key) {
  return "/" + std::string(folder_of(key.space)) + "/" + key.hash.to_string();
}

bool may_pass(const Result<HttpAnswer>& answer) {
  if (!answer) {
    return answer.error().code == ErrorCode::io || answer.error().code == ErrorCode::truncated;
  }
  return answer.value().status == 429 || answer.value().status >= 500;
}

bool is_success(int status) { return status >= 200 && status < 300; }

tl::unexpected<Error> refused(int status) {
  const bool is_forbidden = status == 401 || status == 403;
  return fail(is_forbidden ? ErrorCode::permission_denied : ErrorCode::io,
              "the server answers " + std::to_string(status) +
                  (is_forbidden ? ": it wants another user or password" : ""));
}

}  // namespace

template <typename Ask>
Result<HttpAnswer> HttpBlobs::ask(const Ask& ask_once, const std::stop_token& abandoned) {
  Result<HttpAnswer> answer = ask_once();
  Duration pause = kFirstPause;
  for (unsigned attempt = 1; attempt < kAttempts && may_pass(answer); ++attempt, pause *= 2) {
    transport_.wait(pause, abandoned);
    if (abandoned.stop_requested()) return fail(ErrorCode::cancelled, "no answer is needed");
    answer = ask_once();
  }
  return answer;
}

Result<std::optional<ByteVector>> HttpBlobs::get(const BlobKey& key, std::uint64_t max_bytes,
                                                 const std::stop_token& abandoned) {
  Result<HttpAnswer> answer =
      ask([&] { return transport_.get(url_path_of(key), max_bytes, abandoned); }, abandoned);
  if (!answer) return fail(answer.error());
  const int status = answer.value().status;
  if (status == 404 || status == 410) return std::optional<ByteVector>();
  if (!is_success(status)) return refused(status);
  return std::optional<ByteVector>(std::move(answer.value().body));
}

Result<void> HttpBlobs::put(const BlobKey& key, Bytes bytes) {
  const Result<HttpAnswer> answer =
      ask([&] { return transport_.put(url_path_of(key), bytes); }, {});
  if (!answer) return fail(answer.error());
  if (!is_success(answer.value().status)) return refused(answer.value().status);
  return {};
}

}  // namespace muster
