// A component with a field of every kind, for tests of code that uses descriptions.
#pragma once

#include "registry/components/describe.h"

namespace muster::samples {

enum class Stance : std::uint8_t { standing, crouching, prone };
inline constexpr std::array<std::string_view, 3> kStances = {"standing", "crouching", "prone"};

struct Recoil {
  float angle = 5;
  std::int16_t kicks = 1;
};

struct Slot {
  std::uint8_t ammo = 30;
  Recoil recoil;
};

struct Everything {
  bool flag = true;
  std::int8_t i8 = -8;
  std::uint8_t u8 = 8;
  std::int16_t i16 = -16;
  std::uint16_t u16 = 16;
  std::int32_t i32 = -32;
  std::uint32_t u32 = 32;
  std::int64_t i64 = -64;
  std::uint64_t u64 = 64;
  float exact = 0.1F;
  double wide = 0.2;
  float coarse = 0.5F;
  Vec2 v2{1, 2};
  Vec3 v3{1, 2, 3};
  Quaternion rotation;
  float heading = 350;
  FixedText<12> label{{'a', '"', 'b'}};
  EntityReference target;
  AssetReference model{{0xab, 1}};
  Stance stance = Stance::crouching;
  std::array<std::uint8_t, 4> blob{1, 2, 3, 4};
  std::array<Vec3, 2> path{};
  Recoil recoil;
  std::array<Slot, 2> slots{};
};

consteval auto describe(Type<Recoil>) {
  return Describe<Recoil>("Recoil")
      .field<&Recoil::angle>("angle", {.unit = "deg",
                                       .minimum = 0,
                                       .maximum = 90,
                                       .resolution = 0.5,
                                       .tolerance = 1,
                                       .interpolation = Interpolation::linear})
      .field<&Recoil::kicks>("kicks", {.bits = 5});
}

consteval auto describe(Type<Slot>) {
  return Describe<Slot>("Slot")
      .field<&Slot::ammo>("ammo", {.maximum = 100})
      .field<&Slot::recoil>("recoil");
}

consteval auto describe(Type<Everything>) {
  using enum Interpolation;
  return Describe<Everything>("Everything")
      .field<&Everything::flag>("flag")
      .field<&Everything::i8>("i8")
      .field<&Everything::u8>("u8")
      .field<&Everything::i16>("i16", {.interpolation = linear})
      .field<&Everything::u16>("u16")
      .field<&Everything::i32>("i32", {.minimum = -1000, .maximum = 1000, .resolution = 5})
      .field<&Everything::u32>("u32", {.unit = "tick"})
      .field<&Everything::i64>("i64", {.interpolation = linear})
      .field<&Everything::u64>("u64", {.interpolation = linear})
      .field<&Everything::exact>("exact")
      .field<&Everything::wide>("wide", {.minimum = -1, .maximum = 4, .bits = 20})
      .field<&Everything::coarse>("coarse", {.resolution = 0.25})
      .field<&Everything::v2>("v2", {.interpolation = linear})
      .field<&Everything::v3>("v3", {.unit = "m",
                                     .minimum = -2048,
                                     .maximum = 2048,
                                     .resolution = 0.001,
                                     .tolerance = 0.01,
                                     .interpolation = linear})
      .field<&Everything::rotation>("rotation", {.minimum = -1,
                                                 .maximum = 1,
                                                 .bits = 14,
                                                 .tolerance = 0.002,
                                                 .interpolation = shortest_arc})
      .field<&Everything::heading>("heading", {.unit = "deg",
                                               .minimum = 0,
                                               .maximum = 360,
                                               .resolution = 0.25,
                                               .tolerance = 0.5,
                                               .interpolation = angle})
      .field<&Everything::label>("label", {.receivers = Receivers::owner})
      .field<&Everything::target>("target")
      .field<&Everything::model>("model")
      .field<&Everything::stance>("stance", {.names = kStances})
      .field<&Everything::blob>("blob")
      .field<&Everything::path>("path", {.interpolation = linear})
      .field<&Everything::recoil>("recoil", {.receivers = Receivers::all_but_owner})
      .field<&Everything::slots>("slots", {.rollback = RollbackClass::confirmed_only});
}

template <typename T>
Bytes bytes_of(const T& value) {
  return std::as_bytes(std::span<const T, 1>(&value, 1));
}
template <typename T>
std::span<std::byte> writable_bytes_of(T& value) {
  return std::as_writable_bytes(std::span<T, 1>(&value, 1));
}

}  // namespace muster::samples
