#include "bundler/cache/http_blobs.h"

#include <deque>
#include <vector>

#include <catch2/catch.hpp>

#include "bundler/cache/curl_transport.h"

namespace muster {
namespace {

// Returns prepared answers, one per request, and records the requests.
class ScriptedTransport final : public HttpTransport {
 public:
  void start(HttpRequest request, Done done) override {
    done(next(request.body ? "PUT " + request.path + " " + std::string(as_text(*request.body))
                           : "GET " + request.path));
  }
  void wait(Duration duration, const std::stop_token&) override { waited.push_back(duration); }

  std::deque<Result<HttpAnswer>> answers;
  std::vector<std::string> requests;
  std::vector<Duration> waited;

 private:
  Result<HttpAnswer> next(std::string request) {
    requests.push_back(std::move(request));
    REQUIRE_FALSE(answers.empty());
    Result<HttpAnswer> answer = std::move(answers.front());
    answers.pop_front();
    return answer;
  }
};

HttpAnswer answer(int status, std::string_view text = {}) {
  const Bytes bytes = as_bytes(text);
  return {.status = status, .body = {bytes.begin(), bytes.end()}};
}

const BlobKey kKey{BlobSpace::actions, sha256(as_bytes("abc"))};
const std::string kPath = "/ac/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

}  // namespace

TEST_CASE("Blobs are requested and stored under Bazel's paths", "[cache]") {
  ScriptedTransport transport;
  HttpBlobs blobs(transport);
  transport.answers = {answer(200, "made"), answer(404), answer(201)};
  const auto got = blobs.get(kKey, 100, {});
  REQUIRE(got.has_value());
  CHECK(as_text(*got.value()) == "made");
  CHECK_FALSE(blobs.get(kKey, 100, {}).value().has_value());
  CHECK(blobs.put({BlobSpace::content, kKey.hash}, as_bytes("abc")).has_value());
  CHECK(transport.requests == std::vector<std::string>{"GET " + kPath, "GET " + kPath,
                                                       "PUT /cas" + kPath.substr(3) + " abc"});
  CHECK(transport.waited.empty());
}

TEST_CASE("Temporary failures are retried after increasing delays", "[cache]") {
  for (const Result<HttpAnswer>& trouble :
       {Result<HttpAnswer>(fail(ErrorCode::io, "refused")),
        Result<HttpAnswer>(fail(ErrorCode::truncated, "broke off")),
        Result<HttpAnswer>(answer(503)), Result<HttpAnswer>(answer(429))}) {
    ScriptedTransport transport;
    HttpBlobs blobs(transport);
    transport.answers = {trouble, trouble, answer(200, "made")};
    CHECK(blobs.get(kKey, 100, {}).value().has_value());
    CHECK(transport.waited ==
          std::vector<Duration>{std::chrono::milliseconds(100), std::chrono::milliseconds(200)});
    transport.answers = {trouble, trouble, trouble};
    CHECK_FALSE(blobs.put(kKey, {}).has_value());
  }
}

TEST_CASE("Slow and permanent failures are not retried", "[cache]") {
  for (const Result<HttpAnswer>& trouble :
       {Result<HttpAnswer>(fail(ErrorCode::timed_out, "slow")),
        Result<HttpAnswer>(fail(ErrorCode::cancelled, "stop")),
        Result<HttpAnswer>(fail(ErrorCode::limit_exceeded, "long")),
        Result<HttpAnswer>(answer(403)), Result<HttpAnswer>(answer(400))}) {
    ScriptedTransport transport;
    HttpBlobs blobs(transport);
    transport.answers = {trouble, trouble};
    CHECK_FALSE(blobs.get(kKey, 100, {}).has_value());
    CHECK_FALSE(blobs.put(kKey, {}).has_value());
    CHECK(transport.answers.empty());
    CHECK(transport.waited.empty());
  }
}

TEST_CASE("A query that is abandoned during the wait for a retry has the error of its last attempt",
          "[cache]") {
  ScriptedTransport transport;
  HttpBlobs blobs(transport);
  transport.answers = {fail(ErrorCode::io, "refused")};
  std::stop_source abandoned;
  abandoned.request_stop();
  const auto got = blobs.get(kKey, 100, abandoned.get_token());
  REQUIRE_FALSE(got.has_value());
  CHECK(got.error().message == "refused");
  CHECK(transport.requests.size() == 1);
}

TEST_CASE("An address is printed without its password", "[cache]") {
  CHECK(address_without_credentials("http://me:secret@cache:8080/x") == "http://cache:8080/x");
  CHECK(address_without_credentials("http://me:sec/r@et@cache/x") == "http://cache/x");
  CHECK(address_without_credentials("me:secret@cache") == "cache");
  CHECK(address_without_credentials("http://cache") == "http://cache");
}

TEST_CASE("An invalid address, or one without a server, gives a clear error", "[cache]") {
  const auto wrong = CurlTransport::open({.address = "ftp://me:secret@cache"});
  REQUIRE_FALSE(wrong.has_value());
  CHECK(wrong.error().message.find("secret") == std::string::npos);
  CHECK(CurlTransport::open({.address = "HTTP://cache"}).has_value());
  auto transport = CurlTransport::open({.address = "http://127.0.0.1:1/"});
  REQUIRE(transport.has_value());
  HttpBlobs blobs(*transport.value());
  const auto got = blobs.get(kKey, 10, {});
  REQUIRE_FALSE(got.has_value());
  CHECK(got.error().code == ErrorCode::io);
  CHECK(got.error().message.find("127.0.0.1") != std::string::npos);
}

}  // namespace muster
