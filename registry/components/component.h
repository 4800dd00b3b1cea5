// Component descriptions: the fields of a component as data, for cooking, network messages,
// interpolation, comparison, rollback and inspection.
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
#include "registry/base/player_id.h"
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
/// A rotation; by default the identity.
struct Quaternion {
  float x = 0, y = 0, z = 0, w = 1;
  friend bool operator==(const Quaternion&, const Quaternion&) = default;
};
/// UTF-8 text of at most `Capacity` bytes. The bytes are part of the component, so the component is
/// plain data. The text ends at the first zero byte, if any. Set all bytes after the text to zero,
/// because checksums include them.
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

/// A reference to an entity by its network id; -1 if there is no entity.
struct EntityReference {
  std::int32_t network_id = -1;
  /// Requires: `network_id` is not -1.
  constexpr NetworkId id() const { return NetworkId{static_cast<std::uint32_t>(network_id)}; }
  friend bool operator==(const EntityReference&, const EntityReference&) = default;
};
constexpr EntityReference reference_to(NetworkId id) { return {static_cast<std::int32_t>(id)}; }
/// A weak reference to an asset inside a component.
struct AssetReference {
  std::array<std::uint8_t, 16> guid{};
  friend bool operator==(const AssetReference&, const AssetReference&) = default;
};

/// The type of a field's values. The bundle format uses these numbers.
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

/// How a client computes a field's value between two states.
enum class Interpolation : std::uint8_t {
  step = 0,
  linear = 1,
  shortest_arc = 2,  ///< For rotations.
  angle = 3,         ///< For numbers in "deg" or "rad"; uses the shorter arc.
};
/// Whether a client may show a predicted value of a field, or only values from confirmed states.
enum class RollbackClass : std::uint8_t { reconcilable = 0, confirmed_only = 1 };
/// A tick has several frames, and each frame has a value for a field of a command. This type
/// selects how the field's value for the tick is computed from the values of the frames.
enum class Sampling : std::uint8_t {
  /// The value of the last frame. Use it, for example, for a held button or an absolute view
  /// direction.
  latest = 0,
  /// For a number, the value farthest from zero. For a vector, the longest vector. For a boolean,
  /// true if any frame has the value true. Use it, for example, for an analog stick.
  largest = 1,
  /// The sum of the values of all frames. Use it, for example, for mouse movement. If rounding or
  /// the field's range removes a part of the sum, this part is added to the next tick. The sum of a
  /// command that arrives too late is also added to a later tick.
  sum = 2,
};
/// The value that a tick uses if its command has not arrived.
enum class Missing : std::uint8_t {
  repeat = 0,   ///< The value of the previous tick.
  neutral = 1,  ///< The default value.
  /// The default value. If the command arrives late, its value is used in the next command that has
  /// the default value.
  latch = 2,
};

/// One field of a component. A nested struct is replaced by its fields with their full names, for
/// example `recoil.angle` or `slots[2].ammo`.
struct FieldDescription {
  std::string name;
  FieldType type = FieldType::boolean;
  std::uint32_t offset_bytes = 0;
  std::uint32_t count = 1;          ///< The number of elements; 1 if the field is not an array.
  std::uint32_t element_bytes = 0;  ///< The size of one element; for text, the capacity.
  std::string unit;    ///< The unit, for example "m"; part of the hash. Angles have "deg" or "rad".
  double minimum = 0;  ///< The minimum of the value; equal to `maximum` if the field has no range.
  double maximum = 0;
  double resolution = 0;  ///< The step between values on the wire; 0 for exact values.
  double tolerance = 0;   ///< A client does not correct a predicted value if the difference is at
                          ///< most this amount.
  Receivers receivers = Receivers::everyone;
  Interpolation interpolation = Interpolation::step;
  RollbackClass rollback = RollbackClass::reconcilable;
  Sampling sampled = Sampling::latest;  ///< How a command combines the values of its frames.
  /// The value in a tick whose command is missing. A sum must not have `repeat`.
  Missing when_missing = Missing::repeat;
  std::vector<std::string> names;  ///< For an enumeration: the names of the values 0, 1, 2, ...
};

/// The description of a component. Fields are sorted by offset. `describe.h` creates a description
/// from a struct.
struct ComponentDescription {
  std::string name;
  std::uint32_t size_bytes = 0;
  std::uint32_t alignment_bytes = 1;
  std::vector<FieldDescription> fields;
  /// The bytes of a default-constructed component. Cooking starts with these bytes.
  ByteVector default_value;

  /// Returns null if no field has that name.
  const FieldDescription* find(std::string_view field) const;
  /// The hash that identifies the description. The hash is equal for all compilers. Descriptions
  /// with another layout or another meaning of the bytes have another hash. The hash depends on
  /// `sampled`, because the encoding of commands depends on `sampled`. The hash does not depend on
  /// `when_missing`, which only the server uses.
  ContentHash hash() const;
};

/// The receivers of a component. The result is `owner` or `all_but_owner` if all fields have this
/// value, and otherwise `everyone`. Even if the result is `everyone`, each field can have fewer
/// receivers.
Receivers receivers_of(const ComponentDescription& component);

/// Returns the size of one element of `type`; 0 for text, whose capacity is in the field's
/// description.
std::uint32_t size_of(FieldType type);
std::string_view to_string(FieldType type);
Result<FieldType> field_type_from(std::string_view name);

/// The maximum alignment of a component, in bytes. Worlds allocate arrays of components with
/// `operator new`; a larger alignment would need a special allocator.
inline constexpr std::uint32_t kMaxComponentAlignment = 16;
static_assert(kMaxComponentAlignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
/// The maximum size of a component, in bytes. Without the limit a file could request unbounded
/// memory.
inline constexpr std::uint32_t kMaxComponentBytes = 64 * 1024;

/// Checks a description from a file by the rules that `describe.h` applies to structs. The size
/// must be a multiple of the alignment. The fields must be inside the component, must not overlap,
/// and must have distinct names and consistent numbers (`field_rules.h`). A valid description can
/// be used in worlds and network messages. Fails with `malformed`, naming component and field.
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

/// A range of bytes of a component, from `begin` to before `end`.
struct ByteRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};
/// The ranges of bytes that fields use, without padding, in order. Adjacent ranges are merged.
std::vector<ByteRange> described_ranges(const ComponentDescription& component);
/// The hash of a component's fields, without padding.
ContentHash hash_fields(const ComponentDescription& component, Bytes value);

/// Writes the components of a game as `components.json`. With this file the bundler cooks
/// components without the game's code. The components are sorted by name, so that equal
/// descriptions give equal text. The file also contains the messages, whose sizes `muster validate`
/// compares with the limits of the wire.
std::string components_to_json(std::span<const ComponentDescription> components,
                               std::span<const ComponentDescription> messages = {});
/// Reads the components in `components.json`. Fails with `malformed`, naming component and field,
/// if a description is invalid or if two components have the same name.
Result<std::vector<ComponentDescription>> components_from_json(std::string_view text);
/// Reads the messages in `components.json`. Fails like `components_from_json`.
Result<std::vector<ComponentDescription>> messages_from_json(std::string_view text);
/// The JSON Schema of one item of a plain prefab's `components` list. Editors use the schema to
/// complete and check input.
std::string components_json_schema(std::span<const ComponentDescription> components);

}  // namespace muster
