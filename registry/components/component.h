// The description of a component. Cooking, wire schema, interpolation, comparison, rollback and
// inspection all use it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/bytes.h"
#include "registry/base/content_hash.h"
#include "registry/base/result.h"

namespace muster {

/// Two numbers, in the field's unit.
struct Vec2 {
  float x = 0, y = 0;
  friend bool operator==(const Vec2&, const Vec2&) = default;
};
/// Three numbers, in the field's unit.
struct Vec3 {
  float x = 0, y = 0, z = 0;
  friend bool operator==(const Vec3&, const Vec3&) = default;
};
/// A rotation; identity by default.
struct Quaternion {
  float x = 0, y = 0, z = 0, w = 1;
  friend bool operator==(const Quaternion&, const Quaternion&) = default;
};
/// Text of at most `Capacity` bytes of UTF-8, up to the first zero, so that a component is plain
/// data. The bytes after that zero are not part of the text, but checksums include them: set them
/// to zero.
template <std::size_t Capacity>
struct FixedText {
  std::array<char, Capacity> bytes{};
  std::string_view view() const {
    const std::string_view all(bytes.data(), bytes.size());
    return all.substr(0, all.find('\0'));
  }
  friend bool operator==(const FixedText& left, const FixedText& right) {
    return left.view() == right.view();
  }
};
enum class NetworkId : std::uint32_t;  // Defined in registry/base/network_id.h.

/// A reference to an entity by its network id; -1 is none.
struct EntityReference {
  std::int32_t network_id = -1;
  /// Requires: not none.
  constexpr NetworkId id() const { return NetworkId{static_cast<std::uint32_t>(network_id)}; }
  friend bool operator==(const EntityReference&, const EntityReference&) = default;
};
constexpr EntityReference reference_to(NetworkId id) { return {static_cast<std::int32_t>(id)}; }
/// A weak reference to an asset inside a component.
struct AssetReference {
  std::array<std::uint8_t, 16> guid{};
  friend bool operator==(const AssetReference&, const AssetReference&) = default;
};

/// The type of a field's values. The numbers are part of the bundle format.
enum class FieldType : std::uint8_t {
  boolean = 0,
  int8 = 1,
  uint8 = 2,
  int16 = 3,
  uint16 = 4,
  int32 = 5,
  uint32 = 6,
  int64 = 7,
  uint64 = 8,
  float32 = 9,
  float64 = 10,
  vec2 = 11,
  vec3 = 12,
  quaternion = 13,
  text = 14,
  entity = 15,
  asset = 16,
};

/// The clients that receive a field.
enum class Receivers : std::uint8_t { everyone = 0, owner = 1, all_but_owner = 2 };
/// How a client computes values between two states.
enum class Interpolation : std::uint8_t {
  step = 0,
  linear = 1,
  shortest_arc = 2,  ///< For a rotation.
  angle = 3,         ///< For a number in "deg" or "rad": the shorter way.
};
/// Whether a corrected value may be shown at once, or only from confirmed states.
enum class RollbackClass : std::uint8_t { reconcilable = 0, confirmed_only = 1 };
/// How the value of a command's field for a tick is computed from the frames in that tick.
enum class Sampling : std::uint8_t {
  latest = 0,   ///< The last frame's value: levels of buttons, an absolute view, a choice.
  largest = 1,  ///< The value farthest from zero, for a vector the longest: a stick. For bool, true
                ///< if it is true in any frame.
  sum = 2,      ///< The sum of all frames: a relative look, presses. Nothing is lost: a remainder
                ///< from rounding, range or a late packet is added to the next tick.
};
/// The value that a tick uses if its command has not arrived.
enum class Missing : std::uint8_t {
  repeat = 0,   ///< The value of the previous tick.
  neutral = 1,  ///< The default value.
  latch = 2,    ///< The default value; a late value is used in the next command that has the
                ///< default.
};

/// One field of a component, as data. The fields of a nested struct are listed one by one, under
/// their full names: `recoil.angle`, `slots[2].ammo`.
struct FieldDescription {
  std::string name;
  FieldType type = FieldType::boolean;
  std::uint32_t offset_bytes = 0;
  std::uint32_t count = 1;          ///< Elements of a fixed array.
  std::uint32_t element_bytes = 0;  ///< Size of one element; for text, its capacity.
  std::string unit;                 ///< "m", "hp", "tick": for display only.
  double minimum = 0;  ///< Range of the quantised value; without a range, equal to `maximum`.
  double maximum = 0;
  double resolution = 0;  ///< Smallest step on the wire; 0 for exact.
  double tolerance = 0;   ///< The largest difference that prediction does not correct.
  Receivers receivers = Receivers::everyone;
  Interpolation interpolation = Interpolation::step;
  RollbackClass rollback = RollbackClass::reconcilable;
  Sampling sampled = Sampling::latest;     ///< How a command combines its frames.
  Missing when_missing = Missing::repeat;  ///< `neutral` or `latch` for sums.
  std::vector<std::string> names;          ///< Of an enumeration: the names of 0, 1, 2 ...
};

/// A component, as data. Fields are sorted by offset. `describe.h` creates one from a struct.
struct ComponentDescription {
  std::string name;
  std::uint32_t size_bytes = 0;
  std::uint32_t alignment_bytes = 1;
  std::vector<FieldDescription> fields;
  /// A default-constructed value. Cooking starts with it.
  ByteVector default_value;

  /// Returns null if no field has that name.
  const FieldDescription* find(std::string_view field) const;
  /// The description's identity: equal on every compiler, different if bytes or meaning differ. It
  /// includes `sampled`, because commands are encoded by it, but not `when_missing`, which only the
  /// server uses.
  ContentHash hash() const;
};

/// The receivers of a component as a whole: `owner` or `all_but_owner` if all fields agree;
/// otherwise `everyone`, and each field restricts its own receivers.
Receivers receivers_of(const ComponentDescription& component);

/// Returns the size of one element of `type`; 0 for text, whose capacity is in the field's
/// description.
std::uint32_t size_of(FieldType type);
std::string_view to_string(FieldType type);
Result<FieldType> field_type_from(std::string_view name);

/// The maximum alignment of a component. Worlds keep components in arrays from `operator new`; a
/// larger alignment would need a special allocator.
inline constexpr std::uint32_t kMaxComponentAlignment = 16;
static_assert(kMaxComponentAlignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
/// The maximum size of a component. A larger component is a mistake. Without the limit a file could
/// request unbounded memory.
inline constexpr std::uint32_t kMaxComponentBytes = 64 * 1024;

/// Checks a description from a file by the rules that `describe.h` applies to code: the size fits
/// the alignment; fields are inside the component, do not overlap, and have distinct names; numbers
/// are consistent (`field_rules.h`). A valid description can be used in worlds and network
/// messages. Fails with `malformed`, naming component and field.
Result<void> check(const ComponentDescription& component);

/// Whether values of `type` support this interpolation.
constexpr bool can_interpolate(FieldType type, Interpolation interpolation) {
  const bool is_real = type >= FieldType::float32 && type <= FieldType::quaternion;
  const bool is_integer = type >= FieldType::int8 && type <= FieldType::uint64;
  switch (interpolation) {
    case Interpolation::step:
      return true;
    case Interpolation::linear:
      return is_integer || (is_real && type != FieldType::quaternion);
    case Interpolation::shortest_arc:
      return type == FieldType::quaternion;
    case Interpolation::angle:
      return type == FieldType::float32 || type == FieldType::float64;
  }
  return false;
}

/// Bytes of a component from `begin` up to `end`.
struct ByteRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};
/// The bytes that fields cover, without padding, in order; adjacent ranges are merged.
std::vector<ByteRange> described_ranges(const ComponentDescription& component);
/// The hash of a component's fields, without padding.
ContentHash hash_fields(const ComponentDescription& component, Bytes value);

/// Writes all components of a game as `components.json`, from which the bundler cooks them without
/// the game's code. Sorted by name, so equal descriptions give equal text. The file also has the
/// messages, because `muster validate` compares their sizes with the limits of the wire.
std::string components_to_json(std::span<const ComponentDescription> components,
                               std::span<const ComponentDescription> messages = {});
/// Reads `components.json`. Fails with `malformed`, naming component and field; also when two
/// components have the same name.
Result<std::vector<ComponentDescription>> components_from_json(std::string_view text);
/// The messages of the same file; none if it lists none. Fails in the same way.
Result<std::vector<ComponentDescription>> messages_from_json(std::string_view text);
/// A JSON Schema of one item of a plain prefab's `components` list, with which editors complete and
/// check input.
std::string components_json_schema(std::span<const ComponentDescription> components);

}  // namespace muster
