// What a component is: the one description from which cooking, wire schema, interpolation,
// comparison, rollback and inspection derive.
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
/// Text of at most `Capacity` bytes of UTF-8, up to the first zero, so that a component stays plain
/// data. What lies behind that is no part of the text, but of what a checksum counts: zero it.
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
/// A reference to an entity by its network id; -1 is none.
struct EntityReference {
  std::int32_t network_id = -1;
  friend bool operator==(const EntityReference&, const EntityReference&) = default;
};
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

/// Who is sent a field.
enum class Receivers : std::uint8_t { everyone = 0, owner = 1, all_but_owner = 2 };
/// How a client fills the time between two states.
enum class Interpolation : std::uint8_t {
  step = 0,
  linear = 1,
  shortest_arc = 2,  ///< Of a rotation.
  angle = 3,         ///< Of a number in "deg" or "rad", the short way round.
};
/// Whether a corrected value may show at once or only from confirmed states.
enum class RollbackClass : std::uint8_t { reconcilable = 0, confirmed_only = 1 };
/// What a command's field holds for a tick, from the values of the frames in it.
enum class Sampling : std::uint8_t {
  latest = 0,   ///< The last frame's value: levels of buttons, an absolute view, a choice.
  largest = 1,  ///< The one farthest from zero, of a vector the longest: a stick. True over false.
  sum = 2,      ///< All of them together: a relative look, presses. Nothing is lost: what rounding,
                ///< the range or a late packet keeps out of one tick is added to the next.
};
/// The value that a tick runs when its command has not arrived.
enum class Missing : std::uint8_t {
  repeat = 0,   ///< The value of the tick before.
  neutral = 1,  ///< The default value.
  latch = 2,    ///< The default value, and a late one in the next command that has the default.
};

/// One field of a component, as data. The fields of a struct inside the component stand here one by
/// one, under the names that lead to them: `recoil.angle`, `slots[2].ammo`.
struct FieldDescription {
  std::string name;
  FieldType type = FieldType::boolean;
  std::uint32_t offset_bytes = 0;
  std::uint32_t count = 1;          ///< Elements of a fixed array.
  std::uint32_t element_bytes = 0;  ///< Size of one element; for text, its capacity.
  std::string unit;                 ///< "m", "hp", "tick": for people and inspectors.
  double minimum = 0;               ///< Range of the quantised value; equal to `maximum` for none.
  double maximum = 0;
  double resolution = 0;  ///< Smallest step on the wire; 0 for exact.
  double tolerance = 0;   ///< Largest difference that prediction leaves uncorrected.
  Receivers receivers = Receivers::everyone;
  Interpolation interpolation = Interpolation::step;
  RollbackClass rollback = RollbackClass::reconcilable;
  Sampling sampled = Sampling::latest;     ///< How a command gathers its frames.
  Missing when_missing = Missing::repeat;  ///< `neutral` or `latch` for sums.
  std::vector<std::string> names;          ///< Of an enumeration: what 0, 1, 2 ... are called.
};

/// A component, as data. Fields are sorted by offset. `describe.h` makes one from a struct.
struct ComponentDescription {
  std::string name;
  std::uint32_t size_bytes = 0;
  std::uint32_t alignment_bytes = 1;
  std::vector<FieldDescription> fields;
  /// A default-constructed value: what cooking starts from.
  ByteVector default_value;

  /// Null when there is none of that name.
  const FieldDescription* find(std::string_view field) const;
  /// The description's identity: equal on every compiler, different when anything differs that
  /// changes bytes or meaning. `sampled` counts, because commands are coded by it; `when_missing`
  /// does not: it is the server's rule alone.
  ContentHash hash() const;
};

/// Who receives a component as a whole: the owner, or all but him, when every field says so; else
/// everyone, as far as its fields allow.
Receivers receivers_of(const ComponentDescription& component);

/// Returns the size of one element of `type`, 0 for text (whose capacity is the description's).
std::uint32_t size_of(FieldType type);
std::string_view to_string(FieldType type);
Result<FieldType> field_type_from(std::string_view name);

/// A world keeps components in arrays from `operator new`; a wider one would need an allocator of
/// its own there.
inline constexpr std::uint32_t kMaxComponentAlignment = 16;
static_assert(kMaxComponentAlignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
/// A larger component is a mistake, and would let a file ask for any amount of memory.
inline constexpr std::uint32_t kMaxComponentBytes = 64 * 1024;

/// Checks a description that came from outside by the rules that `describe.h` has for those in
/// code: a size that fits the alignment; fields inside the component, without overlap, with names
/// of their own; numbers that make sense (`field_rules.h`). What passes can be in a world and on a
/// wire. Fails with `malformed`, naming component and field.
Result<void> check(const ComponentDescription& component);

/// Whether values of `type` can be filled in between so.
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
/// The bytes that fields cover, in order and merged where they touch: all but the padding.
std::vector<ByteRange> described_ranges(const ComponentDescription& component);
/// The hash of a component's fields; padding does not count.
ContentHash hash_fields(const ComponentDescription& component, Bytes value);

/// Every component of a game, written as `components.json` so that the bundler can cook them
/// without the game's code. Sorted by name, so equal descriptions give equal text.
std::string components_to_json(std::span<const ComponentDescription> components);
/// Reads `components.json`. Fails with `malformed`, naming the component and field; also when two
/// components have one name.
Result<std::vector<ComponentDescription>> components_from_json(std::string_view text);
/// A JSON Schema of one item of a plain prefab's `components` list, for editors that complete and
/// check what is typed.
std::string components_json_schema(std::span<const ComponentDescription> components);

}  // namespace muster
