// Components of servers and clients of adjacent versions of a game.
#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "registry/components/describe.h"
#include "runtime/replication/receiving_plan.h"
#include "runtime/replication/wire_schema.h"
#include "tests/support/described_samples.h"

namespace muster {
namespace {

/// A component in three versions of a game.
struct ArmourBefore {
  float points = 50;
  std::uint8_t plates = 2;
  FixedText<4> maker{{'o', 'l', 'd'}};
  Quaternion pose;
  std::int32_t weight = 9;
};
struct ArmourNow {
  float points = 60;
  std::int16_t plates = 3;
  FixedText<8> maker{{'n', 'o', 'w'}};
  Quaternion pose;
  Vec3 position{1, 1, 1};
  std::array<std::uint8_t, 2> slots{7, 7};
  EntityReference holder{5};
};
struct ArmourAfter {
  double points = 70;
  float plates = 4;
  FixedText<8> maker{{'n', 'e', 'w'}};
  Quaternion pose;
  Vec3 position{2, 2, 2};
  std::array<std::uint8_t, 4> slots{8, 8, 8, 8};
  std::int32_t holder = 6;
  bool is_hot = true;
};

consteval auto describe(Type<ArmourBefore>) {
  return Describe<ArmourBefore>("Armour")
      .field<&ArmourBefore::points>("points", {.minimum = 0, .maximum = 100, .resolution = 1})
      .field<&ArmourBefore::plates>("plates")
      .field<&ArmourBefore::maker>("maker")
      .field<&ArmourBefore::pose>("pose")
      .field<&ArmourBefore::weight>("weight");
}
consteval auto describe(Type<ArmourNow>) {
  return Describe<ArmourNow>("Armour")
      .field<&ArmourNow::points>("points", {.minimum = 0, .maximum = 200, .resolution = 0.5})
      .field<&ArmourNow::plates>("plates", {.minimum = -10, .maximum = 100, .resolution = 1})
      .field<&ArmourNow::maker>("maker")
      .field<&ArmourNow::pose>("pose", {.resolution = 0.001})
      .field<&ArmourNow::position>("position",
                                   {.minimum = -100, .maximum = 100, .resolution = 0.01})
      .field<&ArmourNow::slots>("slots")
      .field<&ArmourNow::holder>("holder");
}
consteval auto describe(Type<ArmourAfter>) {
  return Describe<ArmourAfter>("Armour")
      .field<&ArmourAfter::points>("points")
      .field<&ArmourAfter::plates>("plates", {.resolution = 0.5})
      .field<&ArmourAfter::maker>("maker")
      .field<&ArmourAfter::pose>("pose", {.resolution = 0.01})
      .field<&ArmourAfter::position>("position", {.resolution = 0.1})
      .field<&ArmourAfter::slots>("slots")
      .field<&ArmourAfter::holder>("holder")
      .field<&ArmourAfter::is_hot>("isHot");
}

/// Returns the component of a client of version `Client`, from the values of a server of another
/// version.
template <typename Client>
struct Received {
  Client value;
  std::vector<std::string> notes;
};

template <typename Client>
Received<Client> receive(const ComponentDescription& sent, Bytes component, Client value = Client{},
                         SeenBy seen_by = SeenBy::others) {
  const ReplicationSchema schema{.components = {wire_schema(sent)},
                                 .types = {{.id = TypeId(1), .components = {SchemaComponent{0}}}}};
  REQUIRE(find_fault(schema) == nullptr);
  std::vector<std::int64_t> values(schema.value_count(SchemaType{0}));
  to_wire(sent, component, values);
  const ComponentDescription here = description_of<Client>();
  const World world(std::span(&here, 1));
  ReceivingPlan plan(schema, world);
  for (const ReceivingPlan::Part& part : plan.parts(SchemaType{0})) {
    for (ReceivedField& field : plan.component(part).fields) {
      if (!is_received(field.receivers, seen_by)) continue;
      field.conversion.apply(
          std::span(values).subspan(part.first_value + field.first_value, field.value_count),
          samples::writable_bytes_of(value));
    }
  }
  return {value, {plan.notes().begin(), plan.notes().end()}};
}

template <typename Server, typename Client>
void check_pair(std::size_t notes) {
  Server sent;
  sent.points = 42;
  sent.plates = 6;
  sent.maker = {{'a', 'c', 'm'}};
  sent.pose = {0.6F, 0, 0, 0.8F};
  if constexpr (requires { sent.position; }) sent.position = {3, -4, 5};
  if constexpr (requires { sent.slots; }) sent.slots.fill(1);
  if constexpr (requires { sent.holder.network_id; }) sent.holder = {77};
  if constexpr (requires { sent.holder = 1; }) sent.holder = 88;
  const Received<Client> received =
      receive<Client>(description_of<Server>(), samples::bytes_of(sent));
  const Client& got = received.value;
  const Client fresh;
  CHECK(static_cast<double>(got.points) == 42);
  CHECK(static_cast<double>(got.plates) == 6);
  CHECK(got.maker.view() == "acm");
  CHECK(std::abs(got.pose.x - 0.6F) < 0.01F);
  CHECK(std::abs(got.pose.w - 0.8F) < 0.01F);
  if constexpr (requires { got.position; }) {
    const bool is_sent = requires { sent.position; };
    const Vec3 expected = is_sent ? Vec3{3, -4, 5} : fresh.position;
    CHECK(std::abs(got.position.x - expected.x) < 0.1F);
    CHECK(std::abs(got.position.y - expected.y) < 0.1F);
    CHECK(std::abs(got.position.z - expected.z) < 0.1F);
  }
  if constexpr (requires { got.slots; }) {
    for (std::size_t i = 0; i < got.slots.size(); ++i) {
      bool is_sent = false;
      if constexpr (requires { sent.slots; }) is_sent = i < sent.slots.size();
      CHECK(got.slots[i] == (is_sent ? 1 : fresh.slots[i]));
    }
  }
  if constexpr (requires { got.holder; }) {
    if constexpr (std::is_same_v<Server, Client>) {
      CHECK(got.holder == sent.holder);
    } else {
      CHECK(got.holder == fresh.holder);
    }
  }
  if constexpr (requires { got.weight; }) CHECK(got.weight == fresh.weight);
  if constexpr (requires { got.is_hot; }) CHECK(got.is_hot);
  CAPTURE(received.notes);
  CHECK(received.notes.size() == notes);
}

/// Returns a value of type `From` after it was received as a field of type `To`.
template <typename From, typename To>
To converted(From sent, const FieldTraits& from, To kept, void (*change)(FieldDescription&)) {
  struct Server {
    From value{};
  };
  struct Client {
    To value{};
  };
  const auto described = []<typename T>(const FieldTraits& traits, T) {
    ComponentDescription component{.name = "One",
                                   .size_bytes = sizeof(T),
                                   .alignment_bytes = alignof(T),
                                   .fields = {},
                                   .default_value = ByteVector(sizeof(T))};
    FieldDescription& field = component.fields.emplace_back();
    field.name = "value";
    field.type = describe_detail::field_type<T>();
    field.element_bytes = sizeof(T);
    field.minimum = traits.minimum;
    field.maximum = traits.maximum;
    field.resolution = traits.resolution;
    return component;
  };
  const ComponentDescription server = described(from, sent);
  ComponentDescription client = described({}, kept);
  change(client.fields[0]);
  const World world(std::span(&client, 1));
  const ReplicationSchema schema{.components = {wire_schema(server)},
                                 .types = {{.id = TypeId(1), .components = {SchemaComponent{0}}}}};
  ReceivingPlan plan(schema, world);
  std::vector<std::int64_t> values(schema.value_count(SchemaType{0}));
  to_wire(server, samples::bytes_of(sent), values);
  if (plan.parts(SchemaType{0}).empty()) return kept;
  plan.component(plan.parts(SchemaType{0})[0])
      .fields[0]
      .conversion.apply(values, samples::writable_bytes_of(kept));
  return kept;
}
template <typename From, typename To>
To converted(From sent, To kept) {
  return converted<From, To>(sent, {}, kept, [](FieldDescription&) {});
}

}  // namespace

TEST_CASE("Adjacent versions convert each other's components", "[runtime][replication][sys-39]") {
  check_pair<ArmourBefore, ArmourBefore>(0);
  check_pair<ArmourBefore, ArmourNow>(1);  // `weight` was removed
  check_pair<ArmourBefore, ArmourAfter>(1);
  check_pair<ArmourNow, ArmourBefore>(3);  // three fields are new
  check_pair<ArmourNow, ArmourNow>(0);
  check_pair<ArmourNow, ArmourAfter>(1);  // `holder` has another meaning
  check_pair<ArmourAfter, ArmourBefore>(4);
  check_pair<ArmourAfter, ArmourNow>(2);
  check_pair<ArmourAfter, ArmourAfter>(0);
}

TEST_CASE("Numbers are converted to other numbers within their precision",
          "[runtime][replication][sys-38]") {
  CHECK(converted<float, std::int8_t>(12.6F, 0) == 13);
  CHECK(converted<float, std::int8_t>(-1000, 0) == -128);
  CHECK(converted<float, std::uint16_t>(std::numeric_limits<float>::quiet_NaN(), 5) == 0);
  CHECK(converted<double, float>(1e300, 0) == std::numeric_limits<float>::max());
  CHECK(converted<std::int64_t, std::uint64_t>(-1, 5) == 0);
  CHECK(converted<std::uint64_t, std::int64_t>(~std::uint64_t{0}, 5) ==
        std::numeric_limits<std::int64_t>::max());
  CHECK(converted<std::uint64_t, std::uint32_t>(1ULL << 40, 5) == 0xFFFFFFFF);
  constexpr std::int64_t kOdd = (std::int64_t{1} << 60) + 1;
  CHECK(converted<std::int64_t, std::uint64_t>(kOdd, 0) == static_cast<std::uint64_t>(kOdd));
  CHECK(converted<std::int32_t, float>(-7, 0) == -7);
  // The value is clamped to the range of the receiver's field.
  const auto narrow = [](FieldDescription& field) { field.maximum = 10, field.resolution = 1; };
  CHECK(converted<std::int32_t, std::int32_t>(55, {}, 0, narrow) == 10);
  // The sent steps count from the server's minimum.
  CHECK(converted<float, double>(-2.5F, {.minimum = -5, .maximum = 5, .resolution = 0.25}, 0,
                                 [](FieldDescription&) {}) == -2.5);
}

TEST_CASE("A value of another kind is unchanged", "[runtime][replication]") {
  CHECK(converted<bool, std::int32_t>(true, 9) == 9);
  CHECK(converted<std::int32_t, bool>(1, false) == false);
  CHECK(converted<Vec2, Vec3>({1, 2}, {9, 9, 9}) == Vec3{9, 9, 9});
  CHECK(converted<EntityReference, std::int32_t>({3}, 9) == 9);
  CHECK(converted<AssetReference, AssetReference>({{1, 2}}, {}) == AssetReference{{1, 2}});
  // The receiver has no name for the value 2, so the field keeps its value.
  static const auto names = [](FieldDescription& field) { field.names = {"one", "two"}; };
  CHECK(converted<std::uint8_t, std::uint8_t>(1, {}, 0, names) == 1);
  CHECK(converted<std::uint8_t, std::uint8_t>(2, {}, 0, names) == 0);
}

TEST_CASE("Fields with equal names and different meanings are ignored",
          "[runtime][replication][sys-38]") {
  const auto converts = [](const FieldDescription& server, const FieldDescription& client) {
    std::string why;
    return FieldConversion::make(wire_schema(server), client, why).has_value() ? "" : why;
  };
  SECTION("enumerations must have the same names in the same order") {
    FieldDescription stance;
    stance.name = "stance";
    stance.type = FieldType::uint8;
    stance.element_bytes = 1;
    stance.names = {"stand", "crouch", "prone"};
    FieldDescription other = stance;
    CHECK(converts(stance, other).empty());
    other.names = {"stand", "crouch", "prone", "swim"};
    CHECK(converts(stance, other).empty());
    // If the receiver has no name for a sent value, the field keeps its value.
    CHECK(converts(other, stance).empty());
    other.names = {"stand", "prone", "crouch"};
    CHECK_FALSE(converts(stance, other).empty());
    other.names = {"stand", "swim", "crouch", "prone"};
    CHECK_FALSE(converts(stance, other).empty());
    other.names = {};
    CHECK(converts(stance, other).empty());  // An enumeration without names is converted by number.
    CHECK(converts(other, stance).empty());
  }
  SECTION("a tick is not converted to another number") {
    FieldDescription tick;
    tick.name = "at";
    tick.type = FieldType::uint32;
    tick.element_bytes = 4;
    FieldDescription other = tick;
    tick.unit = "tick";
    CHECK(converts(tick, tick).empty());
    CHECK_FALSE(converts(tick, other).empty());
    CHECK_FALSE(converts(other, tick).empty());
    other.type = FieldType::int64;
    other.element_bytes = 8;
    other.unit = "tick";
    CHECK(converts(tick, other).empty());
  }
  SECTION("an angle is not converted to another unit") {
    FieldDescription degrees;
    degrees.name = "yaw";
    degrees.type = FieldType::float32;
    degrees.element_bytes = 4;
    degrees.unit = "deg";
    degrees.maximum = 360;
    degrees.resolution = 0.1;
    degrees.interpolation = Interpolation::angle;
    FieldDescription finer = degrees;
    finer.resolution = 0.01;
    CHECK(converts(degrees, finer).empty());
    FieldDescription radians = degrees;
    radians.unit = "rad";
    radians.maximum = 6.2832;
    radians.resolution = 0.001;
    CHECK_FALSE(converts(degrees, radians).empty());
    CHECK_FALSE(converts(radians, degrees).empty());
  }
}

TEST_CASE("Texts are cut between characters", "[runtime][replication]") {
  FixedText<8> sent;
  const std::string_view text = "ab\xC3\xA4\xE2\x82\xAC";
  std::ranges::copy(text, sent.bytes.begin());
  using Longer = FixedText<12>;
  CHECK(converted<FixedText<8>, Longer>(sent, {{'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x'}}) ==
        Longer{{'a', 'b', '\xC3', '\xA4', '\xE2', '\x82', '\xAC'}});
  CHECK(converted<FixedText<8>, FixedText<6>>(sent, {}).view() == text.substr(0, 4));
  CHECK(converted<FixedText<8>, FixedText<3>>(sent, {}).view() == "ab");
}

TEST_CASE("A malicious schema causes no errors", "[runtime][replication]") {
  const ComponentDescription here = description_of<ArmourNow>();
  const World world(std::span(&here, 1));
  std::uint64_t bits = 1;
  const auto random = [&] { return bits = bits * 6364136223846793005ULL + 1442695040888963407ULL; };
  int understood = 0;
  for (int round = 0; round < 20000; ++round) {
    FieldSchema field = wire_schema(here.fields[random() % here.fields.size()]);
    if (random() % 2 == 0) field.type = static_cast<std::uint8_t>(random() >> 58U);
    if (random() % 3 == 0) field.value_count = static_cast<std::uint32_t>(random() >> 59U) + 1;
    if (random() % 4 == 0) field.low = static_cast<std::int64_t>(random());
    if (random() % 4 == 0) field.high = static_cast<std::int64_t>(random());
    if (random() % 4 == 0)
      field.resolution = std::ldexp(1.0, static_cast<int>(random() >> 53U) - 1020);
    if (random() % 4 == 0)
      field.minimum = std::ldexp(-1.0, static_cast<int>(random() >> 53U) - 1025);
    if (random() % 4 == 0) field.kind = static_cast<LaneKind>(random() >> 61U);
    const ReplicationSchema schema{
        .components = {{.name = "Armour", .fields = {field}}},
        .types = {{.id = TypeId(1), .components = {SchemaComponent{0}}}}};
    if (find_fault(schema) != nullptr) continue;
    ReceivingPlan plan(schema, world);
    if (plan.parts(SchemaType{0}).empty()) continue;
    ++understood;
    ArmourNow value;
    std::vector<std::int64_t> values(field.value_count);
    for (std::int64_t& one : values) one = static_cast<std::int64_t>(random());
    plan.component(plan.parts(SchemaType{0})[0])
        .fields[0]
        .conversion.apply(values, samples::writable_bytes_of(value));
  }
  CHECK(understood > 1000);
}

TEST_CASE("Components that this end does not have are ignored, and reported",
          "[runtime][replication][sys-39]") {
  const ComponentDescription here = description_of<ArmourNow>();
  const World world(std::span(&here, 1));
  ComponentSchema unknown{.name = "Wings", .fields = {{.name = "span"}}};
  ComponentSchema forged = wire_schema(here);
  forged.name = "x/Armour";
  ComponentSchema link{.name = "PrefabLink", .fields = {{.name = "stage"}}};
  const ReplicationSchema schema{
      .components = {unknown, forged, link, wire_schema(here)},
      .types = {{.id = TypeId(4), .components = {SchemaComponent{0}, SchemaComponent{3}}},
                {.id = TypeId(5), .components = {SchemaComponent{2}, SchemaComponent{1}}}}};
  const ReceivingPlan plan(schema, world);
  CHECK(plan.notes().size() == 3);
  REQUIRE(plan.parts(SchemaType{0}).size() == 1);
  CHECK(plan.parts(SchemaType{0})[0].first_value == 1);
  CHECK(plan.value_count(SchemaType{0}) == 1 + wire_schema(here).value_count());
  CHECK(plan.parts(SchemaType{1}).empty());
  CHECK(plan.type_id(SchemaType{1}) == TypeId(5));
}

}  // namespace muster
