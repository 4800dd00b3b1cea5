#include "bundler/cache/build_cache.h"

#include <algorithm>

#include <catch2/catch.hpp>

#include "registry/base/parallel.h"
#include "tests/bundler/cache/memory_blobs.h"

namespace muster {
namespace {

ContentHash key_of(std::string_view text) { return hash_bytes(as_bytes(text)); }

ByteVector bytes_of(std::string_view text) {
  const Bytes bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("SHA-256 matches the vectors of its standard", "[cache]") {
  // FIPS 180-4's examples.
  CHECK(sha256({}).to_string() ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256(as_bytes("abc")).to_string() ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(Sha256::parse(sha256(as_bytes("abc")).to_string()) == sha256(as_bytes("abc")));
  CHECK_FALSE(Sha256::parse("abc").has_value());
  CHECK_FALSE(Sha256::parse(std::string(64, 'A')).has_value());
}

TEST_CASE("An action's result is encoded as protobuf", "[cache]") {
  const ActionResult result{.content = sha256(as_bytes("abc")), .content_bytes = 300};
  const ByteVector bytes = encode(result);
  // output_files { path: "result" digest { hash: "ba78..." size_bytes: 300 } }
  const std::string expected = std::string("\x12\x4f") + "\x0a\x06result" + "\x12\x45" +
                               "\x0a\x40" + result.content.to_string() + "\x10\xac\x02";
  CHECK(as_text(bytes) == expected);
  const auto parsed = parse_action_result(bytes);
  REQUIRE(parsed.has_value());
  CHECK(parsed->content == result.content);
  CHECK(parsed->content_bytes == 300);
  CHECK_FALSE(parsed->inlined.has_value());
  // Fields of other writers: exit_code (4), stdout_raw (5) and a fixed64.
  ByteVector more = bytes;
  for (const char c : std::string("\x20\x01\x2a\x02ok\x31"
                                  "12345678")) {
    more.push_back(static_cast<std::byte>(c));
  }
  CHECK(parse_action_result(more).has_value());
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    CHECK_FALSE(parse_action_result(Bytes(bytes).first(cut)).has_value());
  }
  ByteVector twice = bytes;
  twice.insert(twice.end(), bytes.begin(), bytes.end());
  CHECK_FALSE(parse_action_result(twice).has_value());
  ActionResult small = result;
  small.content_bytes = 3;
  small.inlined = bytes_of("abc");
  const std::string inlined = std::string("\x12\x53") + "\x0a\x06result" + "\x12\x44" + "\x0a\x40" +
                              result.content.to_string() + "\x10\x03" + "\x2a\x03" + "abc";
  CHECK(as_text(encode(small)) == inlined);
  CHECK(parse_action_result(encode(small)).value().inlined == bytes_of("abc"));
  small.inlined = ByteVector();
  CHECK(parse_action_result(encode(small)).value().inlined == ByteVector());
}

TEST_CASE("A result is found under its own key only", "[cache]") {
  MemoryBlobs folder;
  BuildCache cache({{.store = &folder, .name = "folder"}});
  CHECK_FALSE(cache.find(key_of("crate")).has_value());
  cache.store(key_of("crate"), bytes_of("cooked crate"));
  cache.store(key_of("nothing"), {});
  CHECK(cache.find(key_of("crate")) == bytes_of("cooked crate"));
  CHECK(cache.find(key_of("nothing")) == ByteVector());
  CHECK_FALSE(cache.find(key_of("barrel")).has_value());
  const CacheCounters counters = cache.counters(0);
  CHECK(counters.hits == 2);
  CHECK(counters.misses == 2);
  CHECK(counters.stored == 2);
  CHECK(counters.bytes_in == 12);
  CHECK(cache.notes().empty());
}

TEST_CASE("A result that only the server has is stored in the folder", "[cache]") {
  MemoryBlobs folder;
  MemoryBlobs server;
  BuildCache elsewhere({{.store = &server, .name = "server"}});
  elsewhere.store(key_of("crate"), bytes_of("cooked crate"));
  BuildCache cache({{.store = &folder, .name = "folder"},
                    {.store = &server, .name = "server", .is_writable = false}});
  CHECK(cache.find(key_of("crate")) == bytes_of("cooked crate"));
  const int gets = server.gets;
  CHECK(cache.find(key_of("crate")) == bytes_of("cooked crate"));
  CHECK(server.gets == gets);
  const int put = server.puts;
  cache.store(key_of("barrel"), bytes_of("cooked barrel"));
  CHECK(server.puts == put);
  CHECK(folder.blobs.size() == 2);
}

TEST_CASE("Damaged data in a cache is detected, removed and stored again", "[cache]") {
  const bool is_inlined = GENERATE(true, false);
  const ByteVector result =
      is_inlined ? bytes_of("cooked crate") : ByteVector(kInlinedBytesMax + 1, std::byte{7});
  MemoryBlobs good;
  BuildCache({{.store = &good, .name = "good"}}).store(key_of("crate"), result);
  REQUIRE(good.blobs.size() == (is_inlined ? 1 : 2));
  for (const auto& [name, bytes] : good.blobs) {
    const std::size_t step = bytes.size() < 1000 ? 1 : bytes.size() / 8;
    for (std::size_t at = 0; at <= bytes.size();
         at += at == bytes.size() ? 1 : std::min(step, bytes.size() - at)) {
      CAPTURE(name, at);
      MemoryBlobs folder;
      folder.blobs = good.blobs;
      BuildCache cache({{.store = &folder, .name = "folder"}});
      ByteVector& damaged = folder.blobs[name];
      if (at == damaged.size()) {
        damaged.push_back(std::byte{0});
      } else {
        damaged[at] ^= std::byte{1};
      }
      const auto found = cache.find(key_of("crate"));
      // The result is found if the damaged byte is in the path, which is not used.
      if (found) {
        CHECK(*found == result);
        continue;
      }
      CHECK(cache.counters(0).hits == 0);
      CHECK(cache.counters(0).misses == 1);
      cache.store(key_of("crate"), result);
      CHECK(cache.find(key_of("crate")) == result);
    }
    MemoryBlobs without;
    without.blobs = good.blobs;
    without.blobs.erase(name);
    BuildCache cache({{.store = &without, .name = "without"}});
    CHECK_FALSE(cache.find(key_of("crate")).has_value());
  }
}

TEST_CASE("A value that cannot be parsed is damaged, and the next level is queried", "[cache]") {
  MemoryBlobs folder;
  MemoryBlobs server;
  BuildCache({{.store = &folder, .name = "folder"}}).store(key_of("crate"), bytes_of("another"));
  BuildCache({{.store = &server, .name = "server"}}).store(key_of("crate"), bytes_of("crate"));
  BuildCache cache({{.store = &folder, .name = "folder"}, {.store = &server, .name = "server"}});
  const auto parse = [](Bytes value) { return as_text(value) == "crate"; };
  CHECK(cache.find(key_of("crate"), CacheReach::all, {}, {}, parse) == bytes_of("crate"));
  CHECK(cache.counters(0).hits == 0);
  CHECK(cache.counters(0).damaged == 1);
  CHECK(cache.counters(1).hits == 1);
  CHECK(cache.notes() == std::vector<std::string>{"1 answer of the cache folder could not be used; "
                                                  "the content was built instead"});
  CHECK(cache.find(key_of("crate"), CacheReach::near, {}, {}, parse) == bytes_of("crate"));
}

TEST_CASE("If all requests to a cache fail, even a few, the build reports the cache and the reason",
          "[cache]") {
  MemoryBlobs server;
  server.fails = true;
  BuildCache cache({{.store = &server, .name = "server"}});
  CHECK_FALSE(cache.find(key_of("crate")).has_value());
  CHECK(cache.notes() ==
        std::vector<std::string>{"the cache server was given up: it does not answer"});
}

TEST_CASE("A cache that fails repeatedly is no longer used, and is reported", "[cache]") {
  MemoryBlobs folder;
  MemoryBlobs server;
  server.fails = true;
  BuildCache cache(
      {{.store = &folder, .name = "folder"}, {.store = &server, .name = "http://server"}});
  for (int i = 0; i < 10; ++i) {
    const ContentHash key = key_of(std::to_string(i));
    CHECK_FALSE(cache.find(key).has_value());
    cache.store(key, bytes_of("x"));
    CHECK(cache.find(key) == bytes_of("x"));
  }
  CHECK(server.gets == 3);
  CHECK(server.puts == 3);
  REQUIRE(cache.notes().size() == 1);
  CHECK(cache.notes()[0].starts_with("the cache http://server was given up: it "));
}

TEST_CASE("A read-only cache is still queried", "[cache]") {
  class ReadOnlyBlobs final : public BlobStore {
   public:
    Result<std::optional<ByteVector>> get(const BlobKey& key, std::uint64_t max_bytes,
                                          const std::stop_token&) override {
      return blobs.get(key, max_bytes, {});
    }
    Result<void> put(const BlobKey&, Bytes) override {
      ++puts;
      return fail(ErrorCode::io, "the server answers 405");
    }
    void remove(const BlobKey&) override {}
    MemoryBlobs blobs;
    int puts = 0;
  };
  ReadOnlyBlobs server;
  BuildCache({{.store = &server.blobs, .name = "its owner"}}).store(key_of("a"), bytes_of("x"));
  BuildCache cache({{.store = &server, .name = "server"}});
  for (int i = 0; i < 10; ++i) {
    CHECK_FALSE(cache.find(key_of(std::to_string(i))).has_value());
    cache.store(key_of(std::to_string(i)), {});
    CHECK(cache.find(key_of("a")) == bytes_of("x"));
  }
  CHECK(server.puts == 3);
}

TEST_CASE("A cache that times out is no longer used", "[cache]") {
  class SlowBlobs final : public BlobStore {
   public:
    Result<std::optional<ByteVector>> get(const BlobKey&, std::uint64_t,
                                          const std::stop_token&) override {
      ++gets;
      return fail(ErrorCode::timed_out, "no answer within 10 s");
    }
    Result<void> put(const BlobKey&, Bytes) override { return {}; }
    void remove(const BlobKey&) override {}
    int gets = 0;
  };
  SlowBlobs server;
  BuildCache cache({{.store = &server, .name = "server"}});
  for (int i = 0; i < 3; ++i) CHECK_FALSE(cache.find(key_of("a")).has_value());
  CHECK(server.gets == 1);
}

TEST_CASE("Occasional failures do not disable a cache", "[cache]") {
  MemoryBlobs server;
  BuildCache cache({{.store = &server, .name = "server"}});
  cache.store(key_of("crate"), bytes_of("x"));
  for (int i = 0; i < 10; ++i) {
    server.fails = true;
    CHECK_FALSE(cache.find(key_of("crate")).has_value());
    CHECK_FALSE(cache.find(key_of("crate")).has_value());
    server.fails = false;
    CHECK(cache.find(key_of("crate")).has_value());
  }
  CHECK(cache.notes() ==
        std::vector<std::string>{"the cache server failed sometimes: it does not answer"});
}

TEST_CASE("Several threads use one cache", "[cache]") {
  MemoryBlobs folder;
  BuildCache cache({{.store = &folder, .name = "folder"}});
  std::atomic<int> wrong = 0;
  parallel_for(400, 4, {}, [&](std::size_t i, unsigned) {
    const std::string text = std::to_string(i % 40);
    const auto found = cache.find(key_of(text));
    if (found && *found != bytes_of(text)) ++wrong;
    if (!found) cache.store(key_of(text), bytes_of(text));
  });
  CHECK(wrong == 0);
  for (int i = 0; i < 40; ++i) CHECK(cache.find(key_of(std::to_string(i))).has_value());
}

}  // namespace muster
