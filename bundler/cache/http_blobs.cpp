#include "bundler/cache/http_blobs.h"

#include <future>
#include <memory>
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
                  (is_forbidden ? ": it requires another password or token" : ""));
}

Result<void> stored(const Result<HttpAnswer>& answer) {
  if (!answer) return fail(answer.error());
  if (!is_success(answer.value().status)) return refused(answer.value().status);
  return {};
}

Result<HttpAnswer> send_once(HttpTransport& transport, const HttpRequest& request) {
  // The promise is shared, because the thread that sets the value may still use the promise when
  // this thread continues.
  const auto promise = std::make_shared<std::promise<Result<HttpAnswer>>>();
  transport.start(request,
                  [promise](Result<HttpAnswer> answer) { promise->set_value(std::move(answer)); });
  return promise->get_future().get();
}

}  // namespace

Result<HttpAnswer> HttpBlobs::send(const HttpRequest& request) {
  Result<HttpAnswer> answer = send_once(transport_, request);
  Duration pause = kFirstPause;
  for (unsigned attempt = 1; attempt < kAttempts && may_pass(answer); ++attempt, pause *= 2) {
    transport_.wait(pause, request.abandoned);
    // The first failure is more useful to the user than the failure of another attempt.
    if (request.abandoned.stop_requested()) break;
    answer = send_once(transport_, request);
  }
  return answer;
}

Result<std::optional<ByteVector>> HttpBlobs::get(const BlobKey& key, std::uint64_t max_bytes,
                                                 const std::stop_token& abandoned) {
  Result<HttpAnswer> answer =
      send({.path = url_path_of(key), .answer_bytes_max = max_bytes, .abandoned = abandoned});
  if (!answer) return fail(answer.error());
  const int status = answer.value().status;
  if (status == 404 || status == 410) return std::optional<ByteVector>();
  if (!is_success(status)) return refused(status);
  return std::optional<ByteVector>(std::move(answer.value().body));
}

Result<void> HttpBlobs::put(const BlobKey& key, Bytes bytes) {
  return stored(send({.path = url_path_of(key), .body = ByteVector(bytes.begin(), bytes.end())}));
}

void HttpBlobs::begin_put(const BlobKey& key, ByteVector bytes, const std::stop_token& abandoned,
                          const std::function<void(Result<void>)>& done) {
  transport_.start({.path = url_path_of(key), .body = std::move(bytes), .abandoned = abandoned},
                   [done](const Result<HttpAnswer>& answer) { done(stored(answer)); });
}

}  // namespace muster
