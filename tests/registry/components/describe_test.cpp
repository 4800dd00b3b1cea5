#include "registry/components/describe.h"

#include <cstring>
#include <limits>

#include <catch2/catch.hpp>

#include "tests/support/described_samples.h"

using namespace muster;
using samples::Everything;
using samples::Slot;

TEST_CASE("Structs inside a component are described field by field", "[registry][describe]") {
  const ComponentDescription everything = description_of<Everything>();
  const FieldDescription* const angle = everything.find("recoil.angle");
  REQUIRE(angle != nullptr);
  CHECK(angle->offset_bytes == offsetof(Everything, recoil) + offsetof(samples::Recoil, angle));
  CHECK(angle->receivers == Receivers::all_but_owner);
  CHECK(angle->tolerance == 1);
  const FieldDescription* const second = everything.find("slots[1].recoil.kicks");
  REQUIRE(second != nullptr);
  CHECK(second->offset_bytes == offsetof(Everything, slots) + sizeof(Slot) +
                                    offsetof(Slot, recoil) + offsetof(samples::Recoil, kicks));
  CHECK(second->rollback == RollbackClass::confirmed_only);
  CHECK(everything.find("slots") == nullptr);
  CHECK(check(everything).has_value());
}

template <std::size_t N>
struct Rack {
  std::array<Slot, N> slots{};
};
template <std::size_t N>
consteval auto describe(Type<Rack<N>>) {
  return Describe<Rack<N>>("Rack").template field<&Rack<N>::slots>("slots");
}

TEST_CASE("The names of an array's fields do not depend on the array's length",
          "[registry][describe]") {
  CHECK(description_of<Rack<1>>().find("slots[0].ammo") != nullptr);
  CHECK(description_of<Rack<2>>().find("slots[0].ammo") != nullptr);
}

struct Sums {
  std::uint8_t two = 1 + 1;
  std::int32_t smallest = std::numeric_limits<std::int32_t>::min();
  std::int32_t below = -5 - 1;
  std::int64_t hour = 3600 - 1;
};
consteval auto describe(Type<Sums>) {
  return Describe<Sums>("Sums")
      .field<&Sums::two>("two")
      .field<&Sums::smallest>("smallest")
      .field<&Sums::below>("below", {.minimum = -6, .maximum = 0})
      .field<&Sums::hour>("hour");
}

struct HalfSet {
  constexpr HalfSet() : set(1 + 1) {}
  std::int32_t set;
  std::int32_t unset;
};
consteval auto describe(Type<HalfSet>) {
  return Describe<HalfSet>("HalfSet").field<&HalfSet::set>("set");
}

TEST_CASE("A constructor may leave fields without a description unset", "[registry][describe]") {
  CHECK(description_of<HalfSet>().find("set") != nullptr);
}

TEST_CASE("A default value may be the result of a computation", "[registry][describe]") {
  const ComponentDescription sums = description_of<Sums>();
  Sums value;
  REQUIRE(sums.default_value.size() == sizeof value);
  std::memcpy(&value, sums.default_value.data(), sizeof value);
  CHECK(value.two == 2);
  CHECK(value.smallest == INT32_MIN);
  CHECK(value.below == -6);
  CHECK(value.hour == 3599);
}

TEST_CASE("A width in bits is converted to a range and a resolution", "[registry][describe]") {
  const ComponentDescription everything = description_of<Everything>();
  const FieldDescription* const kicks = everything.find("recoil.kicks");
  CHECK(kicks->minimum == -16);
  CHECK(kicks->maximum == 15);
  CHECK(kicks->resolution == 1);
  CHECK(everything.find("wide")->resolution == 5.0 / ((1 << 20) - 1));
  CHECK(everything.find("slots[0].ammo")->resolution == 1);  // Integers have the resolution 1.
}

TEST_CASE("The names of an enumeration are unchanged after a round trip through JSON",
          "[registry][describe]") {
  const ComponentDescription everything = description_of<Everything>();
  const auto back = components_from_json(components_to_json(std::vector{everything}));
  REQUIRE(back.has_value());
  CHECK(back.value()[0].hash() == everything.hash());
  CHECK(back.value()[0].find("stance")->names ==
        std::vector<std::string>{"standing", "crouching", "prone"});
  ComponentDescription renamed = everything;
  for (FieldDescription& field : renamed.fields) {
    if (field.name == "stance") field.names.back() = "lying";
  }
  CHECK(renamed.hash() != everything.hash());
}

TEST_CASE("The hash of a description is the same on every compiler", "[registry][describe]") {
  // This hash must not change, because bundles and handshakes contain it.
  CHECK(description_of<Everything>().hash().to_string() == "dc3e9ed76f1f7cdcb30c2f5129585244");
}

TEST_CASE("A component has restricted receivers if all its fields have the same receivers",
          "[registry][describe]") {
  ComponentDescription slot = description_of<Slot>();
  CHECK(receivers_of(slot) == Receivers::everyone);
  for (FieldDescription& field : slot.fields) field.receivers = Receivers::owner;
  CHECK(receivers_of(slot) == Receivers::owner);
  slot.fields.back().receivers = Receivers::all_but_owner;
  CHECK(receivers_of(slot) == Receivers::everyone);
  slot.fields.clear();
  CHECK(receivers_of(slot) == Receivers::everyone);
}

TEST_CASE("Padding does not belong to a component", "[registry][describe]") {
  const ComponentDescription slot = description_of<Slot>();
  CHECK(described_ranges(slot) == std::vector<ByteRange>{{0, 1}, {4, 10}});
  Slot clean;
  Slot dirty;
  auto bytes = samples::writable_bytes_of(dirty);
  std::ranges::copy(samples::bytes_of(clean), bytes.begin());
  bytes[2] = std::byte{77};
  CHECK(hash_fields(slot, bytes) == hash_fields(slot, samples::bytes_of(clean)));
  bytes[0] = std::byte{77};
  CHECK(hash_fields(slot, bytes) != hash_fields(slot, samples::bytes_of(clean)));
}
