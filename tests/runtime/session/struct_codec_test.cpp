// Commands and messages as bytes, between equal and different versions of a game.
#include "runtime/sync/struct_codec.h"

#include <array>
#include <cstring>
#include <limits>

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

struct Heading {
  float yaw = 0;
};
consteval auto describe(Type<Heading>) {
  return Describe<Heading>("Heading").field<&Heading::yaw>("yaw",
                                                           {.unit = "deg",
                                                            .minimum = -180,
                                                            .maximum = 180,
                                                            .resolution = 0.5,
                                                            .interpolation = Interpolation::angle});
}
enum class Mood : std::uint8_t { calm, alert, angry };
constexpr std::array<std::string_view, 3> kMoods = {"calm", "alert", "angry"};
struct Named {
  Mood mood = Mood::alert;
};
consteval auto describe(Type<Named>) {
  return Describe<Named>("Message").field<&Named::mood>("mood", {.names = kMoods});
}
struct Numbered {
  float mood = 0;
};
consteval auto describe(Type<Numbered>) {
  return Describe<Numbered>("Message").field<&Numbered::mood>("mood");
}

TEST_CASE("A number without a name is never received", "[session][struct]") {
  const float number = GENERATE(2.6F, 3.0F, 200.0F);
  CAPTURE(number);
  StructEncoder encoder = encoder_of<Numbered>();
  const std::vector<ComponentDescription> types = {description_of<Named>()};
  auto decoder = StructDecoder::make(types, encoder.schema());
  REQUIRE(decoder);
  std::vector<std::byte> bytes;
  CHECK_FALSE(encoder.encode(StructType{0}, bytes_of_value(Numbered{number}), bytes));
  ByteVector received;
  REQUIRE(decoder.value().decode(PeerStructType{0}, bytes, received) == bytes.size());
  CHECK(value_of<Named>(received).mood == Mood::alert);
}

enum class Only : std::uint8_t { one };
constexpr std::array<std::string_view, 1> kOnly = {"one"};
template <std::size_t kCount>
struct Ones {
  std::array<Only, kCount> all{};
};
template <std::size_t kCount>
consteval auto describe(Type<Ones<kCount>>) {
  return Describe<Ones<kCount>>("Ones").template field<&Ones<kCount>::all>("all", {.names = kOnly});
}

TEST_CASE("A struct that every peer would refuse is refused before it is sent",
          "[session][struct]") {
  const auto check = [](const ComponentDescription& type) {
    return static_cast<bool>(check_structs(std::span(&type, 1)));
  };
  const auto make = [](const ComponentDescription& type) {
    const StructEncoder encoder({}, {type});
    return static_cast<bool>(StructDecoder::make(std::span(&type, 1), encoder.schema()));
  };
  const ComponentDescription fits = description_of<Ones<16>>();
  const ComponentDescription exceeds = description_of<Ones<17>>();
  CHECK(check(fits));
  CHECK(make(fits));
  CHECK_FALSE(check(exceeds));
  CHECK_FALSE(make(exceeds));
}

TEST_CASE("An angle that only turns bring into its range is not clamped", "[session][struct]") {
  struct Row {
    float yaw;
    bool is_clamped;
  };
  const auto row = GENERATE(Row{190, false}, Row{-900, false},
                            Row{std::numeric_limits<float>::infinity(), true});
  CAPTURE(row.yaw);
  StructEncoder encoder = encoder_of<Heading>();
  std::vector<std::byte> bytes;
  const auto clamped = encoder.encode(StructType{0}, bytes_of_value(Heading{row.yaw}), bytes);
  CHECK(clamped.has_value() == row.is_clamped);
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
