#include "registry/base/guid.h"

#include <string>
#include <unordered_set>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"

using namespace muster;

namespace {

Guid guid_of(std::string_view text) { return Guid::parse(text).value(); }

Guid random_guid(Random& random) {
  ByteWriter bytes;
  bytes.u64(random.next());
  bytes.u64(random.next());
  return Guid::from_bytes(bytes.view());
}

}  // namespace

TEST_CASE("Guid refuses every spelling except the canonical spelling", "[registry][guid]") {
  const auto [reason, text, any_case] = GENERATE(table<const char*, std::string, bool>(
      {{"upper case", "00112233445566778899AABBCCDDEEFF", true},
       {"one upper-case digit", "00112233445566778899aabbccddeefF", true},
       {"dashes", "00112233-4455-6677-8899-aabbccddeeff", false},
       {"braces", "{00112233445566778899aabbccddeeff}", false},
       {"too short", "00112233445566778899aabbccddeef", false},
       {"too long", "00112233445566778899aabbccddeeff0", false},
       {"leading blank", " 0112233445566778899aabbccddeeff", false},
       {"not a hex digit", "g0112233445566778899aabbccddeeff", false},
       {"nothing", "", false}}));
  CAPTURE(reason);
  const auto guid = Guid::parse(text);
  REQUIRE_FALSE(guid.has_value());
  CHECK(guid.error().code == ErrorCode::malformed);
  CHECK(Guid::parse_any_case(text).has_value() == any_case);
}

TEST_CASE("Guid is converted to four words and back as in the golden vectors",
          "[registry][guid][sys-10]") {
  const auto [text, words] = GENERATE(table<std::string, WeakReferenceWords>(
      {{"00112233445566778899aabbccddeeff",
        {0x00112233, 0x66774455, static_cast<std::int32_t>(0xBBAA9988),
         static_cast<std::int32_t>(0xFFEEDDCC)}},
       {"fabf5467f72c26c49bd771f8300e01ed", {-88124313, 650442540, -126756965, -318697936}},
       {"00000000000000000000000000000000", {0, 0, 0, 0}},
       {"ffffffffffffffffffffffffffffffff", {-1, -1, -1, -1}}}));
  CAPTURE(text);
  CHECK(words_from_guid(guid_of(text)) == words);
  CHECK(guid_from_words(words).to_string() == text);
}

TEST_CASE("Guid is unchanged after a round trip through text, words and bytes",
          "[registry][guid][sys-10]") {
  const std::uint64_t seed = 20'240'601;
  Random random(seed);
  for (int i = 0; i < 10'000; ++i) {
    const Guid guid = random_guid(random);
    CAPTURE(seed, i, guid.to_string());
    REQUIRE(guid_of(guid.to_string()) == guid);
    REQUIRE(guid_from_words(words_from_guid(guid)) == guid);
    REQUIRE(Guid::from_bytes(guid.bytes()) == guid);
  }
}

TEST_CASE("Guids have the same order as their texts", "[registry][guid]") {
  Random random(7);
  for (int i = 0; i < 1000; ++i) {
    const Guid a = random_guid(random);
    const Guid b = random_guid(random);
    CHECK((a < b) == (a.to_string() < b.to_string()));
    CHECK((a <=> a) == std::strong_ordering::equal);
  }
  CHECK(Guid().is_null());
  CHECK(Guid() < guid_of("00000000000000000000000000000001"));
}

TEST_CASE("Guid's hash distributes random guids evenly", "[registry][guid]") {
  Random random(11);
  std::unordered_set<std::size_t> hashes;
  for (int i = 0; i < 10'000; ++i) hashes.insert(std::hash<Guid>{}(random_guid(random)));
  CHECK(hashes.size() == 10'000);
}

TEST_CASE("The engine's built-in resources are recognised", "[registry][guid]") {
  CHECK(is_builtin_resource(guid_of("0000000000000000e000000000000000")));
  CHECK(is_builtin_resource(guid_of("0000000000000000f000000000000000")));
  CHECK(is_builtin_resource(guid_of("0000000000000000d000000000000000")));
  CHECK_FALSE(is_builtin_resource(Guid()));
  CHECK_FALSE(is_builtin_resource(guid_of("0000000000000000e000000000000001")));
  CHECK_FALSE(is_builtin_resource(guid_of("fabf5467f72c26c49bd771f8300e01ed")));
}

TEST_CASE("Placeholder guids are distinguished from random guids", "[registry][guid]") {
  const auto text = GENERATE(as<std::string>(), "a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6",
                             "0123456789abcdef0123456789abcdef", "00000000000000000000000000000000",
                             "ffffffffffffffffffffffffffffffff", "deadbeefdeadbeefdeadbeefdeadbeef",
                             "12345678901234567890123456789012", "fedcba9876543210fedcba9876543210",
                             "d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9", "d4e5f6a7890123456789012345678901",
                             "e5f6789012345678901234567890abcd", "00000000000000000000000000000042",
                             "11111111222222223333333344444444", "a1b2c3d4e5f67890abcdef1234567890",
                             "f1e2d3c4b5a6978869504132f1e2d3c4", "10000000000000000000000000000001",
                             "aabbccddeeff00112233445566778899", "68656c6c6f5f776f726c645f5f5f6869",
                             "550e8400e29b41d4a716446655440000");
  CAPTURE(text);
  CHECK(is_likely_placeholder(guid_of(text)));
  CHECK_FALSE(is_likely_placeholder(guid_of("fabf5467f72c26c49bd771f8300e01ed")));
}

TEST_CASE("None of a million random guids looks like a placeholder", "[registry][guid]") {
  Random random(13);
  int suspicious = 0;
  for (int i = 0; i < 1'000'000; ++i)
    suspicious += is_likely_placeholder(random_guid(random)) ? 1 : 0;
  CHECK(suspicious == 0);
}
