// Tests that uploads run in parallel in the background, and that an upload is abandoned if a build
// would wait for it.
#include "bundler/cache/cache_uploads.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>

#include <catch2/catch.hpp>

#include "bundler/cache/build_cache.h"
#include "tests/bundler/cache/memory_blobs.h"

namespace muster {
namespace {

// A server that answers only when the test allows it. Counts all requests and the maximum of
// simultaneous requests.
class PausedServer final : public BlobStore {
 public:
  Result<std::optional<ByteVector>> get(const BlobKey& key, std::uint64_t max_bytes,
                                        const std::stop_token& abandoned) override {
    return blobs.get(key, max_bytes, abandoned);
  }
  Result<void> put(const BlobKey&, Bytes) override {
    return fail(ErrorCode::io, "one request at a time");
  }
  void remove(const BlobKey&) override {}
  void begin_put(const BlobKey& key, ByteVector bytes, const std::stop_token& abandoned,
                 const std::function<void(Result<void>)>& done) override {
    ++requests;
    if (abandoned.stop_requested()) return done(fail(ErrorCode::cancelled, "abandoned"));
    const std::size_t number = requests;
    running.push_back({number, key, std::move(bytes), done, nullptr});
    at_once_max = std::max(at_once_max, running.size());
    running.back().on_abandoned = std::make_unique<std::stop_callback<std::function<void()>>>(
        abandoned, [this, number] { answer(number, fail(ErrorCode::cancelled, "abandoned")); });
  }

  void answer_first() {
    const Request& first = running.front();
    Result<void> put;
    if (refuses) {
      put = fail(ErrorCode::io, "the server answers 405");
    } else {
      put = blobs.put(first.key, first.bytes);
    }
    answer(first.number, put);
  }
  void answer_all() {
    while (!running.empty()) answer_first();
  }

  MemoryBlobs blobs;
  bool refuses = false;
  std::size_t requests = 0;
  std::size_t at_once_max = 0;

 private:
  struct Request {
    std::size_t number = 0;
    BlobKey key;
    ByteVector bytes;
    std::function<void(Result<void>)> done;
    std::unique_ptr<std::stop_callback<std::function<void()>>> on_abandoned;
  };

  void answer(std::size_t number, const Result<void>& result) {
    const auto found = std::ranges::find(running, number, &Request::number);
    const Request request = std::move(*found);
    running.erase(found);
    request.done(result);
  }

  std::vector<Request> running;
};

ContentHash key_of(std::size_t number) { return hash_bytes(as_bytes(std::to_string(number))); }

ByteVector result_of(std::size_t number, std::size_t bytes) {
  return ByteVector(bytes, static_cast<std::byte>(number));
}

// The cache entries of a bundle and of its questions, as builds store them.
std::vector<CacheEntry> bundle_entries(std::size_t number) {
  std::vector<CacheEntry> entries;
  entries.push_back({key_of(2 * number), result_of(number, kInlinedBytesMax + 1)});
  entries.push_back({key_of(2 * number + 1), result_of(number, 40)});
  return entries;
}

}  // namespace

TEST_CASE("A build does not wait for its uploads: 32 run at once, and each bundle needs 3 requests",
          "[cache]") {
  PausedServer server;
  BuildCache cache({{.store = &server, .name = "server", .is_far = true}});
  for (std::size_t i = 0; i < 100; ++i) cache.store(bundle_entries(i));
  CHECK(server.at_once_max == CacheUploads::kProbes);
  CHECK(cache.counters(0).stored == 0);
  server.answer_first();
  CHECK(server.at_once_max == CacheUploads::kUploadsMax);
  server.answer_all();
  CHECK(server.at_once_max == CacheUploads::kUploadsMax);
  CHECK(server.requests == 300);
  cache.finish({}, {});
  CHECK(cache.counters(0).stored == 100);
  CHECK(cache.counters(0).bytes_out == 100 * (kInlinedBytesMax + 41));
  CHECK(cache.notes().empty());
  BuildCache other({{.store = &server, .name = "server", .is_far = true}});
  for (std::size_t i = 0; i < 100; ++i) {
    CHECK(other.find(key_of(2 * i)) == result_of(i, kInlinedBytesMax + 1));
    CHECK(other.find(key_of(2 * i + 1)) == result_of(i, 40));
  }
  CHECK(server.blobs.gets == 300);
}

TEST_CASE("A name is uploaded after its content", "[cache]") {
  PausedServer server;
  BuildCache cache({{.store = &server, .name = "server", .is_far = true}});
  cache.store(bundle_entries(1));
  for (const std::size_t stored : {1U, 2U, 3U}) {
    server.answer_first();
    CHECK(server.blobs.blobs.size() == stored);
    CHECK(cache.find(key_of(2)).has_value() == (stored >= 2));
    CHECK(cache.find(key_of(3)).has_value() == (stored == 3));
  }
}

TEST_CASE("Uploads that would make a build wait are abandoned, counted and reported once",
          "[cache]") {
  PausedServer server;
  BuildCache cache({{.store = &server, .name = "server", .is_far = true}});
  for (std::size_t i = 0; i < 100; ++i) cache.store(bundle_entries(i));
  for (int i = 0; i < 90; ++i) server.answer_first();
  const std::uint64_t stored = cache.counters(0).stored;
  const std::size_t requests = server.requests;
  REQUIRE(stored > 0);
  cache.finish({}, {});
  CHECK(server.requests == requests);
  CHECK(cache.counters(0).stored == stored);
  CHECK(cache.counters(0).not_stored == 100 - stored);
  CHECK(cache.counters(0).failures == 0);
  CHECK(cache.notes() ==
        std::vector<std::string>{std::to_string(100 - stored) +
                                 " of 100 results were not uploaded to the cache server: the build "
                                 "would have had to wait"});
  cache.store(bundle_entries(100));
  CHECK(cache.counters(0).not_stored == 101 - stored);
}

TEST_CASE("A server that refuses uploads receives only a few uploads", "[cache]") {
  PausedServer server;
  server.refuses = true;
  BuildCache cache({{.store = &server, .name = "server", .is_far = true}});
  for (std::size_t i = 0; i < 100; ++i) cache.store(bundle_entries(i));
  server.answer_all();
  CHECK(server.at_once_max == CacheUploads::kProbes);
  CHECK(server.requests < 10);
  cache.store(bundle_entries(100));
  CHECK(server.requests < 10);
  CHECK(cache.counters(0).stored == 0);
  const std::vector<std::string> notes = cache.notes();
  REQUIRE(notes.size() == 2);
  CHECK(notes[0] == "the cache server was given up: the server answers 405");
  CHECK(notes[1].ends_with(" were not uploaded to the cache server"));
}

TEST_CASE("A server that refused uploads is not used again when an earlier upload succeeds",
          "[cache]") {
  PausedServer server;
  BuildCache cache({{.store = &server, .name = "server", .is_far = true}});
  for (std::size_t i = 0; i < 4; ++i) cache.store(key_of(i), result_of(i, 1));
  server.refuses = true;
  for (unsigned i = 0; i < BuildCache::kFailuresMax; ++i) server.answer_first();
  server.refuses = false;
  server.answer_all();
  CHECK(cache.counters(0).stored == 1);
  CHECK_FALSE(cache.stores(CacheReach::far));
  cache.store(key_of(4), result_of(4, 1));
  CHECK(server.requests == 4);
}

TEST_CASE("Uploads that wait for a slow server use bounded memory", "[cache]") {
  PausedServer server;
  CacheUploads uploads(server);
  const BlobKey key{BlobSpace::content, {}};
  const auto is_accepted = [&](std::uint64_t bytes) {
    const auto is_refused = std::make_shared<bool>(false);
    uploads.add({{key, ByteVector(static_cast<std::size_t>(bytes))}},
                [is_refused](const Result<void>& put) {
                  *is_refused = !put && put.error().code == ErrorCode::cancelled;
                });
    return !*is_refused;
  };
  CHECK(is_accepted(CacheUploads::kBytesMax + 1));
  CHECK_FALSE(is_accepted(1));
  server.answer_all();
  CHECK(is_accepted(1000));
  CHECK_FALSE(is_accepted(CacheUploads::kBytesMax - 999));
  CHECK(is_accepted(CacheUploads::kBytesMax - 1000));
  CHECK_FALSE(is_accepted(1));
  server.answer_all();
  CHECK(server.requests == 3);
}

TEST_CASE("A store that answers at once stores any number of uploads", "[cache]") {
  MemoryBlobs server;
  BuildCache cache({{.store = &server, .name = "server", .is_far = true}});
  constexpr std::size_t kCount = 20'000;  // A recursion of this depth would overflow the stack.
  std::vector<CacheEntry> entries;
  for (std::size_t i = 0; i < kCount; ++i) entries.push_back({key_of(i), result_of(i, 1)});
  cache.store(std::move(entries));
  CHECK(server.puts == static_cast<int>(kCount));
  CHECK(cache.counters(0).stored == 1);
}

}  // namespace muster
