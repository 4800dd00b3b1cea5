// What a component is: the one description from which cooking, wire schema, interpolation,
// comparison, rollback and inspection derive.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "registry/vocabulary/bytes.h"
#include "registry/vocabulary/content_hash.h"
#include "registry/vocabulary/guid.h"
#include "registry/vocabulary/result.h"

namespace muster {

struct Vec2 {
  float x = 0, y = 0;
  friend bool operator==(const Vec2&, const Vec2&) = default;
};
struct Vec3 {
  float x = 0, y = 0, z = 0;
  friend bool operator==(const Vec3&, const Vec3&) = default;
};
/// A rotation; identity by default.
struct Quaternion {
  float x = 0, y = 0, z = 0, w = 1;
  friend bool operator==(const Quaternion&, const Quaternion&) = default;
};
/// Text of at most `Capacity` bytes of UTF-8, zero-padded, so that a component stays plain data.
template <std::size_t Capacity>
struct FixedText {
  std::array<char, Capacity> bytes{};
  std::string_view view() const {
    const std::string_view all(bytes.data(), bytes.size());
    return all.substr(0, all.find('\0'));
  }
  friend bool operator==(const FixedText&, const FixedText&) = default;
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
enum class Interpolation : std::uint8_t { step = 0, linear = 1, shortest_arc = 2 };
/// Whether a corrected value may show at once or only from confirmed states.
enum class RollbackClass : std::uint8_t { reconcilable = 0, confirmed_only = 1 };

/// What a field carries beyond its name and type; all parts are optional.
struct FieldTraits {
  std::string_view unit = "";  ///< "m", "hp", "tick": for people and inspectors.
  double minimum = 0;          ///< Range of the quantised value; equal to `maximum` for none.
  double maximum = 0;
  double resolution = 0;  ///< Smallest step on the wire; 0 for exact.
  double tolerance = 0;   ///< Largest difference that prediction leaves uncorrected.
  Receivers receivers = Receivers::everyone;
  Interpolation interpolation = Interpolation::step;
  RollbackClass rollback = RollbackClass::reconcilable;
};

/// One field of a component, as data.
struct FieldDescription {
  std::string name;
  FieldType type = FieldType::boolean;
  std::uint32_t offset_bytes = 0;
  std::uint32_t count = 1;          ///< Elements of a fixed array.
  std::uint32_t element_bytes = 0;  ///< Size of one element; for text, its capacity.
  std::string unit;
  double minimum = 0;
  double maximum = 0;
  double resolution = 0;
  double tolerance = 0;
  Receivers receivers = Receivers::everyone;
  Interpolation interpolation = Interpolation::step;
  RollbackClass rollback = RollbackClass::reconcilable;
};

/// A component, as data. Fields are sorted by offset.
struct ComponentDescription {
  std::string name;
  std::uint32_t size_bytes = 0;
  std::uint32_t alignment_bytes = 1;
  std::vector<FieldDescription> fields;
  /// A default-constructed value: what cooking starts from.
  ByteVector default_value;

  const FieldDescription* find(std::string_view field) const;
  /// The description's identity: equal on every compiler, different when anything differs that
  /// changes bytes or meaning.
  ContentHash hash() const;
};

/// Returns the size of one element of `type`, 0 for text (whose capacity is the description's).
std::uint32_t size_of(FieldType type);
std::string_view to_string(FieldType type);
Result<FieldType> field_type_from(std::string_view name);

/// Checks a description that came from outside: fields inside the component, no overlap, sane
/// sizes.
Result<void> check(const ComponentDescription& component);

/// Every component of a game, written as `components.json` so that the bundler can cook them
/// without the game's code. Sorted by name, so equal descriptions give equal text.
std::string components_to_json(std::span<const ComponentDescription> components);
/// Reads `components.json`. Fails with `malformed`, naming the component and field.
Result<std::vector<ComponentDescription>> components_from_json(std::string_view text);

namespace component_detail {

template <typename T>
struct FieldTypeOf;
#define MUSTER_FIELD_TYPE(CPP, ENUM)                    \
  template <>                                           \
  struct FieldTypeOf<CPP> {                             \
    static constexpr FieldType kType = FieldType::ENUM; \
  }
MUSTER_FIELD_TYPE(bool, boolean);
MUSTER_FIELD_TYPE(std::int8_t, int8);
MUSTER_FIELD_TYPE(std::uint8_t, uint8);
MUSTER_FIELD_TYPE(std::int16_t, int16);
MUSTER_FIELD_TYPE(std::uint16_t, uint16);
MUSTER_FIELD_TYPE(std::int32_t, int32);
MUSTER_FIELD_TYPE(std::uint32_t, uint32);
MUSTER_FIELD_TYPE(std::int64_t, int64);
MUSTER_FIELD_TYPE(std::uint64_t, uint64);
MUSTER_FIELD_TYPE(float, float32);
MUSTER_FIELD_TYPE(double, float64);
MUSTER_FIELD_TYPE(Vec2, vec2);
MUSTER_FIELD_TYPE(Vec3, vec3);
MUSTER_FIELD_TYPE(Quaternion, quaternion);
MUSTER_FIELD_TYPE(EntityReference, entity);
MUSTER_FIELD_TYPE(AssetReference, asset);
#undef MUSTER_FIELD_TYPE
template <std::size_t N>
struct FieldTypeOf<FixedText<N>> {
  static constexpr FieldType kType = FieldType::text;
};
template <typename T>
requires std::is_enum_v<T>
struct FieldTypeOf<T> : FieldTypeOf<std::underlying_type_t<T>> {
};

template <typename T>
struct ElementOf {
  using Type = T;
  static constexpr std::uint32_t kCount = 1;
};
template <typename T, std::size_t N>
struct ElementOf<std::array<T, N>> {
  using Type = T;
  static constexpr std::uint32_t kCount = N;
};

template <typename T>
concept Describable = requires {
  { FieldTypeOf<typename ElementOf<T>::Type>::kType } -> std::convertible_to<FieldType>;
};

/// Sorts fields, zeroes padding in the default value, and asserts that no fields overlap.
void finish(ComponentDescription& component);

}  // namespace component_detail

/// Describes a component next to its struct:
///
///     struct Health { float current = 100; float maximum = 100; };
///     inline ComponentDescription describe_health() {
///       return Describe<Health>("Health")
///           .field("current", &Health::current, {.unit = "hp", .tolerance = 0.01})
///           .field("maximum", &Health::maximum, {.unit = "hp"})
///           .done();
///     }
template <typename T>
class Describe {
  static_assert(std::is_trivially_copyable_v<T>,
                "a component is plain data: it must be trivially copyable");
  static_assert(std::is_standard_layout_v<T>, "a component must have standard layout");
  static_assert(std::is_default_constructible_v<T>, "a component needs default values");

 public:
  explicit Describe(std::string_view name) {
    component_.name = name;
    component_.size_bytes = sizeof(T);
    component_.alignment_bytes = alignof(T);
    const Bytes value = std::as_bytes(std::span<const T, 1>(&probe_, 1));
    component_.default_value.assign(value.begin(), value.end());
  }

  template <typename Member>
  Describe& field(std::string_view name, Member T::*member, const FieldTraits& traits = {}) {
    static_assert(component_detail::Describable<Member>,
                  "this member's type cannot be a field; use the types of component.h, enums, or "
                  "std::array of them");
    using Element = typename component_detail::ElementOf<Member>::Type;
    const auto* const base = reinterpret_cast<const std::byte*>(&probe_);
    const auto* const place = reinterpret_cast<const std::byte*>(&(probe_.*member));
    component_.fields.push_back({.name = std::string(name),
                                 .type = component_detail::FieldTypeOf<Element>::kType,
                                 .offset_bytes = static_cast<std::uint32_t>(place - base),
                                 .count = component_detail::ElementOf<Member>::kCount,
                                 .element_bytes = sizeof(Element),
                                 .unit = std::string(traits.unit),
                                 .minimum = traits.minimum,
                                 .maximum = traits.maximum,
                                 .resolution = traits.resolution,
                                 .tolerance = traits.tolerance,
                                 .receivers = traits.receivers,
                                 .interpolation = traits.interpolation,
                                 .rollback = traits.rollback});
    return *this;
  }

  ComponentDescription done() {
    component_detail::finish(component_);
    return component_;
  }

 private:
  T probe_{};
  ComponentDescription component_;
};

}  // namespace muster
