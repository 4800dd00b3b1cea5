#include "registry/base/content_hash.h"

#include <string>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"

using namespace muster;

TEST_CASE("A content hash matches the known vectors of XXH3-128", "[registry][content_hash]") {
  // From the sanity checks of xxHash: the empty input with seed 0.
  CHECK(hash_bytes({}).to_string() == "99aa06d3014798d86001c324468d497f");
  CHECK(hash_bytes(as_bytes("abc")) == hash_bytes(as_bytes("abc")));
  CHECK(hash_bytes(as_bytes("abc")) != hash_bytes(as_bytes("abd")));
}

TEST_CASE("Hashing in several calls gives the same hash as one call", "[registry][content_hash]") {
  Random random(5);
  std::string text;
  for (int i = 0; i < 5000; ++i) text += static_cast<char>(random.next());
  for (int round = 0; round < 50; ++round) {
    ContentHasher hasher;
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t count = std::min<std::size_t>(rest.size(), 1 + random.below(700));
      hasher.update(as_bytes(rest.substr(0, count)));
      rest.remove_prefix(count);
    }
    CHECK(hasher.finish() == hash_bytes(as_bytes(text)));
  }
}

TEST_CASE("The hash of two texts differs from the hash of their concatenation",
          "[registry][content_hash]") {
  ContentHasher a, b;
  a.update_text("ab");
  a.update_text("c");
  b.update_text("a");
  b.update_text("bc");
  CHECK(a.finish() != b.finish());
  CHECK(a.finish() == a.finish());
  ContentHasher moved = std::move(a);
  ContentHasher again;
  again.update_text("ab");
  again.update_text("c");
  CHECK(moved.finish() == again.finish());
}
