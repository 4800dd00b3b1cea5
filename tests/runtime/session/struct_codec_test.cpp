// Commands and messages as bytes, between equal and different versions of a game.
#include "runtime/sync/struct_codec.h"

#include <cstring>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "runtime/session/game.h"

namespace muster {
namespace {

struct Old {
  std::int32_t count = 3;
  float speed = 0;
  bool is_on = false;
  std::uint64_t wide = 0;
  FixedText<8> name{};
};
consteval auto describe(Type<Old>) {
  return Describe<Old>("Message")
      .field<&Old::count>("count", {.minimum = -10, .maximum = 10})
      .field<&Old::speed>("speed", {.minimum = -4, .maximum = 4, .bits = 8})
      .field<&Old::is_on>("isOn")
      .field<&Old::wide>("wide")
      .field<&Old::name>("name");
}
/// A later version with another range, another order, a new field and a removed field.
struct New {
  double speed = 0;
  std::int64_t count = 0;
  std::int32_t added = 7;
};
consteval auto describe(Type<New>) {
  return Describe<New>("Message")
      .field<&New::speed>("speed")
      .field<&New::count>("count", {.minimum = -5, .maximum = 100})
      .field<&New::added>("added");
}

template <typename T>
StructEncoder encoder_of() {
  return StructEncoder({}, {description_of<T>()});
}
template <typename T>
Bytes bytes_of_value(const T& value) {
  return std::as_bytes(std::span<const T, 1>(&value, 1));
}
template <typename T>
T value_of(const ByteVector& bytes) {
  REQUIRE(bytes.size() == sizeof(T));
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

TEST_CASE("A struct is unchanged after encoding and decoding, up to its resolution",
          "[session][struct]") {
  StructEncoder encoder = encoder_of<Old>();
  StructDecoder decoder = StructDecoder::make(encoder.types(), encoder.schema()).value();
  Random random(Catch::rngSeed());
  for (int i = 0; i < 2000; ++i) {
    Old sent;
    sent.count = static_cast<std::int32_t>(random.below(21)) - 10;
    sent.speed = static_cast<float>(random.below(8001)) / 1000 - 4;
    sent.is_on = random.below(2) == 1;
    sent.wide = random.next();
    for (std::size_t k = 0; k < random.below(9); ++k) sent.name.bytes[k] = 'x';
    std::vector<std::byte> bytes;
    REQUIRE_FALSE(encoder.encode(StructType{0}, bytes_of_value(sent), bytes));
    REQUIRE(bytes.size() == decoder.byte_count(PeerStructType{0}));
    ByteVector out;
    REQUIRE(decoder.decode(PeerStructType{0}, bytes, out) == bytes.size());
    const Old got = value_of<Old>(out);
    REQUIRE(got.count == sent.count);
    REQUIRE(std::abs(got.speed - sent.speed) <= 8.0F / 255 / 2 + 1e-5F);
    REQUIRE(got.is_on == sent.is_on);
    REQUIRE(got.wide == sent.wide);
    REQUIRE(got.name == sent.name);
    // Every truncation is malformed.
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      REQUIRE(decoder.decode(PeerStructType{0}, std::span<const std::byte>(bytes).first(size),
                             out) == 0);
    }
  }
}

TEST_CASE("A struct of another version is converted field by field", "[session][struct]") {
  StructEncoder encoder = encoder_of<Old>();
  const std::vector<ComponentDescription> types = {description_of<New>()};
  StructDecoder decoder = StructDecoder::make(types, encoder.schema()).value();
  std::vector<std::byte> bytes;
  REQUIRE_FALSE(encoder.encode(StructType{0}, bytes_of_value(Old{.count = -9, .speed = 4}), bytes));
  ByteVector out;
  REQUIRE(decoder.decode(PeerStructType{0}, bytes, out) == bytes.size());
  const New got = value_of<New>(out);
  CHECK(got.speed == Approx(4));
  CHECK(got.count == -5);              // The value is clamped to the receiver's range.
  CHECK(got.added == 7);               // The default.
  CHECK(decoder.notes().size() == 3);  // isOn, wide and name are not read.
}

TEST_CASE("A value outside its range is clamped and its field is named", "[session][struct]") {
  StructEncoder encoder = encoder_of<Old>();
  std::vector<std::byte> bytes;
  const auto clamped = encoder.encode(StructType{0}, bytes_of_value(Old{.count = 11}), bytes);
  REQUIRE(clamped);
  CHECK(clamped->type == "Message");
  CHECK(clamped->field == "count");
}

TEST_CASE("A decoder knows only the name of a type that its program lacks", "[session][struct]") {
  StructEncoder encoder = encoder_of<Old>();
  const std::vector<ComponentDescription> types = {description_of<Button>()};
  StructDecoder decoder = StructDecoder::make(types, encoder.schema()).value();
  CHECK_FALSE(decoder.local_type(PeerStructType{0}));
  CHECK(decoder.name(PeerStructType{0}) == "Message");
  CHECK_FALSE(decoder.local_type(PeerStructType{1}));
  CHECK(decoder.name(PeerStructType{1}).empty());
}

TEST_CASE("A damaged list of structs of any length is refused", "[session][struct]") {
  StructEncoder encoder = encoder_of<Old>();
  const std::span<const std::byte> schema = encoder.schema();
  for (std::size_t size = 0; size < schema.size(); ++size) {
    CAPTURE(size);
    REQUIRE_FALSE(StructDecoder::make(encoder.types(), schema.first(size)));
  }
  for (std::size_t bit = 0; bit < 8 * schema.size(); ++bit) {
    std::vector<std::byte> damaged(schema.begin(), schema.end());
    damaged[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    auto decoder = StructDecoder::make(encoder.types(), damaged);
    if (!decoder || !decoder.value().local_type(PeerStructType{0})) continue;
    ByteVector out;
    const std::vector<std::byte> ones(decoder.value().byte_count(PeerStructType{0}),
                                      std::byte{0xFF});
    static_cast<void>(decoder.value().decode(PeerStructType{0}, ones, out));
    REQUIRE(out.size() == sizeof(Old));
  }
}

}  // namespace
}  // namespace muster
