// Describes a component next to its struct. An inconsistent description does not compile. The
// compiler's message then contains a function of `description_error` that has the name of the
// broken rule.
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

#include "registry/components/component.h"
#include "registry/components/field_rules.h"

namespace muster {

/// The optional properties of a field. If a property has no comment here, see the property of the
/// same name in `FieldDescription`.
struct FieldTraits {
  std::string_view unit = "";
  double minimum = 0;
  double maximum = 0;
  double resolution = 0;  ///< The step between values on the wire. Alternatively set `bits`.
  /// The width on the wire in bits. For floats, the width determines the resolution. For integers,
  /// it determines the range.
  int bits = 0;
  double tolerance = 0;
  Receivers receivers = Receivers::everyone;
  Interpolation interpolation = Interpolation::step;
  RollbackClass rollback = RollbackClass::reconcilable;
  Sampling sampled = Sampling::latest;  ///< How a command combines the values of its frames.
  /// The value in a tick whose command is missing. For a sum, `repeat` becomes `neutral`.
  Missing when_missing = Missing::repeat;
  /// The names of an enumeration's values. The names must have static storage.
  std::span<const std::string_view> names = {};
};

/// A tag type that selects the overload of `describe` for `T`.
template <typename T>
struct Type {};

/// A struct with a description: its namespace contains a function `describe(Type<T>)`.
template <typename T>
concept Described = requires {
  describe(Type<T>{});
};

namespace describe_detail {

template <typename T>
inline constexpr bool kIsText = false;
template <std::size_t N>
inline constexpr bool kIsText<FixedText<N>> = N > 0;

/// The field type of a C++ type. An enumeration has the field type of its underlying type.
template <typename T>
consteval FieldType field_type() {
  using enum FieldType;
  if constexpr (std::is_enum_v<T>) return field_type<std::underlying_type_t<T>>();
  if constexpr (std::is_same_v<T, bool>) return boolean;
  if constexpr (std::is_integral_v<T>) {
    constexpr std::array kSigned = {int8, int16, int32, int64};
    constexpr std::array kUnsigned = {uint8, uint16, uint32, uint64};
    constexpr std::size_t kLog = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? kSigned[kLog] : kUnsigned[kLog];
  }
  if constexpr (std::is_same_v<T, float>) return float32;
  if constexpr (std::is_same_v<T, double>) return float64;
  if constexpr (std::is_same_v<T, Vec2>) return vec2;
  if constexpr (std::is_same_v<T, Vec3>) return vec3;
  if constexpr (std::is_same_v<T, Quaternion>) return quaternion;
  if constexpr (std::is_same_v<T, EntityReference>) return entity;
  if constexpr (std::is_same_v<T, AssetReference>) return asset;
  return text;
}

/// Character types are not field types, because their signedness or width depends on the compiler.
template <typename T>
concept Character = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
    std::same_as<T, char16_t> || std::same_as<T, char32_t>;

/// A number type for fields. The type is not `const` or `volatile`, because fields must be
/// writable.
template <typename T>
concept Number = std::same_as<T, float> || std::same_as<T, double> ||
    (std::integral<T> && sizeof(T) <= 8 && std::same_as<T, std::remove_cv_t<T>> && !Character<T>);

/// An enumeration with a fixed underlying type, for example any `enum class`. Other enumerations
/// are excluded, because the compiler chooses their type. (Only an enumeration with a fixed type
/// can be initialised from a number in braces.)
template <typename T>
concept Enumeration = std::is_enum_v<T> && std::same_as<T, std::remove_cv_t<T>> && requires {
  T{std::underlying_type_t<T>{}};
} && !Character<std::underlying_type_t<T>>;

template <typename T>
concept Value = Enumeration<T> || Number<T> || kIsText<T> || std::same_as<T, Vec2> ||
    std::same_as<T, Vec3> || std::same_as<T, Quaternion> || std::same_as<T, EntityReference> ||
    std::same_as<T, AssetReference>;

template <typename T>
struct Element {
  using Of = T;
  static constexpr std::uint32_t kCount = 1;
  static constexpr bool kIsArray = false;
};
template <typename T, std::size_t N>
struct Element<std::array<T, N>> {
  using Of = T;
  static constexpr std::uint32_t kCount = N;
  static constexpr bool kIsArray = true;
};

template <typename>
struct MemberOf;
template <typename Struct, typename Member>
struct MemberOf<Member Struct::*> {
  using Owner = Struct;
  using Of = Member;
};

/// Checks the traits of a field, and returns them with the resolution and range that result from
/// `bits`.
consteval FieldTraits checked(FieldType type, bool is_enumeration, FieldTraits traits) {
  using namespace description_error;
  const bool is_whole = field_rules_detail::is_integer(type);
  const bool has_range = traits.minimum != traits.maximum;
  if (traits.bits != 0) {
    if (!is_whole && !field_rules_detail::has_real_lanes(type)) a_range_is_for_numbers();
    if (traits.resolution != 0) bits_and_resolution_are_redundant();
    if (traits.bits < 1 || traits.bits > 32) bits_are_1_to_32();
    const double steps = static_cast<double>((std::uint64_t{1} << traits.bits) - 1);
    if (!is_whole) {
      if (!has_range) floats_in_bits_need_a_range();
      traits.resolution = (traits.maximum - traits.minimum) / steps;
    } else {
      if (has_range) integers_have_bits_or_a_range();
      const bool is_signed = type == FieldType::int8 || type == FieldType::int16 ||
                             type == FieldType::int32 || type == FieldType::int64;
      traits.minimum = is_signed ? -(steps + 1) / 2 : 0;
      traits.maximum = traits.minimum + steps;
      traits.resolution = 1;
    }
  }
  if (is_whole && has_range && traits.resolution == 0) traits.resolution = 1;
  // Repeating a sum would count it twice.
  const bool is_sum = traits.sampled == Sampling::sum;
  if (is_sum && traits.when_missing == Missing::repeat) traits.when_missing = Missing::neutral;
  refuse(broken_rule({.type = type,
                      .unit = traits.unit,
                      .minimum = traits.minimum,
                      .maximum = traits.maximum,
                      .resolution = traits.resolution,
                      .tolerance = traits.tolerance,
                      .interpolation = traits.interpolation,
                      .sampled = traits.sampled,
                      .when_missing = traits.when_missing,
                      .is_enumeration = is_enumeration,
                      .has_names = !traits.names.empty()}));
  if (!are_enumerators(traits.names, type, traits.minimum, traits.maximum)) {
    enumerators_have_names_and_values_of_their_own();
  }
  return traits;
}

/// Whether a value is allowed for a field with these traits. Checks each number of the value.
/// Checks a nested struct with the description of that struct.
template <typename T>
constexpr bool is_within(const FieldTraits& traits, const T& value) {
  const auto is_in_range = [&](auto number) {
    return is_allowed(number, traits.minimum, traits.maximum, traits.names.size());
  };
  if constexpr (Element<T>::kIsArray) {
    for (const auto& item : value) {
      if (!is_within(traits, item)) return false;
    }
    return true;
  } else if constexpr (std::is_enum_v<T>) {
    return is_in_range(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return is_in_range(value);
  } else if constexpr (std::is_same_v<T, Vec2>) {
    return is_in_range(value.x) && is_in_range(value.y);
  } else if constexpr (std::is_same_v<T, Vec3>) {
    return is_in_range(value.x) && is_in_range(value.y) && is_in_range(value.z);
  } else if constexpr (std::is_same_v<T, Quaternion>) {
    return is_in_range(value.x) && is_in_range(value.y) && is_in_range(value.z) &&
           is_in_range(value.w);
  } else if constexpr (Described<T>) {
    constexpr auto kDescribed = describe(Type<T>{});
    return kDescribed.allows(value);
  } else {
    return true;
  }
}
/// Calls `is_within` for one member. `Describe` stores a pointer to this function for each member.
template <auto Member>
constexpr bool is_member_within(const FieldTraits& traits,
                                const typename MemberOf<decltype(Member)>::Owner& owner) {
  return is_within(traits, owner.*Member);
}
/// The default value of a struct. This is a variable and not a temporary: if the initialisers
/// contain sums, g++ 12 does not accept a temporary as a constant.
template <typename Owner>
inline constexpr Owner kDefaultOf{};
/// Whether the default value of a member is allowed. Always true if the default value of the struct
/// is not a constant expression; in that case `check` reports the fault at run time.
template <auto Member>
consteval bool has_default_within(const FieldTraits& traits) {
  using Owner = typename MemberOf<decltype(Member)>::Owner;
  if constexpr (requires { typename std::bool_constant<(static_cast<void>(Owner{}), true)>; }) {
    // Constructors may leave members unset, which a constant does not allow.
    if constexpr (std::is_aggregate_v<Owner>) {
      return is_member_within<Member>(traits, kDefaultOf<Owner>);
    } else {
      return is_member_within<Member>(traits, Owner{});
    }
  } else {
    return true;
  }
}

/// A field at compile time. Two functions return the data that is not known at compile time.
struct FieldSpec {
  std::string_view name;
  std::string_view member;  ///< The result of `member_text`.
  FieldTraits traits;
  FieldType type = FieldType::boolean;
  std::uint32_t count = 1;
  /// True for any `std::array`, even with one element.
  bool is_array = false;
  std::uint32_t element_bytes = 0;
  /// The bit `1 << Receivers` of the field, or the bits of all fields of a nested struct.
  std::uint32_t receivers_used = 0;
  std::uint32_t (*offset_bytes)() = nullptr;
  /// The fields of a nested struct; null for a value.
  std::vector<FieldDescription> (*inner)() = nullptr;
};

/// Converts the fields to descriptions. Replaces a nested struct by its fields.
std::vector<FieldDescription> flatten(std::span<const FieldSpec> specs);

/// Sorts the fields, and sets padding in the default value to zero. Ends the program with the
/// message of `check` if the description has a problem that the compiler cannot detect: overlapping
/// members or too many fields.
void finish(ComponentDescription& component);

template <auto Member>
std::uint32_t offset_of() {
  using Owner = typename MemberOf<decltype(Member)>::Owner;
  const Owner probe{};
  const auto* const base = reinterpret_cast<const std::byte*>(&probe);
  const auto* const member = reinterpret_cast<const std::byte*>(&(probe.*Member));
  return static_cast<std::uint32_t>(member - base);
}

/// A text that is different for each member. (A function address would also be unique, but
/// comparing function addresses is not a constant expression in g++ with the undefined-behaviour
/// sanitizer.)
template <auto Member>
constexpr std::string_view member_text() {
  return __PRETTY_FUNCTION__;
}

template <typename T>
std::vector<FieldDescription> fields_of() {
  constexpr auto kDescribed = describe(Type<T>{});
  return flatten(kDescribed.fields());
}

constexpr std::uint32_t bit_of(Receivers receivers) {
  return 1U << static_cast<std::uint32_t>(receivers);
}

consteval bool is_plain_name(std::string_view name) {
  for (const char c : name) {
    if (c == '.' || c == '[' || c == ']') return false;
  }
  return true;
}

}  // namespace describe_detail

/// Describes a component next to its struct:
///
///     struct Health { float current = 100; float maximum = 100; };
///
///     consteval auto describe(muster::Type<Health>) {
///       return muster::Describe<Health>("Health")
///           .field<&Health::current>("current", {.unit = "hp", .tolerance = 0.01})
///           .field<&Health::maximum>("maximum", {.unit = "hp"});
///     }
///
///     const ComponentDescription health = muster::description_of<Health>();
///
/// A nested struct is described in the same way. The name in the `Describe` of a nested struct is
/// not used.
template <typename T, std::size_t N = 0>
class Describe {
  static_assert(std::is_trivially_copyable_v<T>,
                "a component is plain data: it must be trivially copyable");
  static_assert(std::is_standard_layout_v<T>, "a component must have standard layout");
  static_assert(std::is_default_constructible_v<T>, "a component needs default values");
  static_assert(alignof(T) <= kMaxComponentAlignment, "a component is aligned to 16 at most");
  static_assert(sizeof(T) <= kMaxComponentBytes, "a component has 64 KiB at most");

 public:
  consteval explicit Describe(std::string_view name) requires(N == 0) : name_(name) {
    if (name.empty()) description_error::a_component_needs_a_name();
    if (!is_in_one_line(name)) description_error::a_name_stands_in_one_line();
  }

  /// Adds a member. The member's type must be a value type of `component.h`, an integer of at most
  /// 64 bits, `float`, `double`, an enumeration, a struct with a description, or a `std::array` of
  /// one of these types.
  template <auto Member>
  consteval auto field(std::string_view name, const FieldTraits& traits = {}) const {
    using namespace describe_detail;
    using Value = typename Element<typename MemberOf<decltype(Member)>::Of>::Of;
    static_assert(std::is_same_v<typename MemberOf<decltype(Member)>::Owner, T>,
                  "this member belongs to another struct");
    static_assert(describe_detail::Value<Value> || Described<Value>,
                  "this member's type cannot be a field: use the types of component.h, integers of "
                  "up to 64 bits, float, double, enumerations that name their type, structs with "
                  "a description, or std::array of them; no const, no char");
    static_assert(Element<typename MemberOf<decltype(Member)>::Of>::kCount > 0,
                  "an array that is a field has elements");
    static_assert(!(describe_detail::Value<Value> &&
                    Element<typename MemberOf<decltype(Member)>::Of>::kIsArray &&
                    Element<typename MemberOf<decltype(Member)>::Of>::kCount == 1),
                  "an array of one value is that value: describe it without the array");
    if (name.empty()) description_error::a_field_needs_a_name();
    if (!is_plain_name(name)) description_error::a_name_has_no_dots_or_brackets();
    if (!is_in_one_line(name)) description_error::a_name_stands_in_one_line();
    for (const FieldSpec& other : fields_) {
      if (other.name == name) description_error::another_field_has_this_name();
      if (other.member == member_text<Member>()) {
        description_error::this_member_is_described_already();
      }
    }
    FieldSpec added{.name = name,
                    .member = member_text<Member>(),
                    .traits = traits,
                    .count = Element<typename MemberOf<decltype(Member)>::Of>::kCount,
                    .is_array = Element<typename MemberOf<decltype(Member)>::Of>::kIsArray,
                    .element_bytes = sizeof(Value),
                    .offset_bytes = &offset_of<Member>};
    if constexpr (describe_detail::Value<Value>) {
      added.type = field_type<Value>();
      added.traits = checked(added.type, std::is_enum_v<Value>, traits);
      added.receivers_used = bit_of(traits.receivers);
    } else if constexpr (Described<Value>) {
      // The receivers of the struct apply to all its fields. A field with other receivers would be
      // sent to clients that must not receive it.
      added.receivers_used = describe(Type<Value>{}).receivers_used();
      if (traits.receivers != Receivers::everyone) {
        if ((added.receivers_used & ~bit_of(traits.receivers) & ~bit_of(Receivers::everyone)) !=
            0) {
          description_error::a_part_goes_to_others_than_the_whole();
        }
        added.receivers_used = bit_of(traits.receivers);
      }
      added.inner = &fields_of<Value>;
      if (!traits.unit.empty() || traits.minimum != traits.maximum || traits.resolution != 0 ||
          traits.bits != 0 || traits.tolerance != 0 ||
          traits.interpolation != Interpolation::step || traits.sampled != Sampling::latest ||
          traits.when_missing != Missing::repeat || !traits.names.empty()) {
        description_error::a_struct_inside_has_traits_of_its_own();
      }
    }
    if (!has_default_within<Member>(added.traits)) {
      description_error::a_default_lies_within_the_range();
    }
    return Describe<T, N + 1>(*this, added, &is_member_within<Member>);
  }

  constexpr std::string_view name() const { return name_; }
  constexpr std::span<const describe_detail::FieldSpec> fields() const { return fields_; }
  constexpr std::uint32_t receivers_used() const {
    std::uint32_t used = 0;
    for (const describe_detail::FieldSpec& field : fields_) used |= field.receivers_used;
    return used;
  }

  /// Whether all fields of `value` have allowed values.
  constexpr bool allows(const T& value) const {
    for (std::size_t i = 0; i < N; ++i) {
      if (!is_within_[i](fields_[i].traits, value)) return false;
    }
    return true;
  }

  /// Creates the description.
  ComponentDescription description() const {
    ComponentDescription component{.name = std::string(name_),
                                   .size_bytes = sizeof(T),
                                   .alignment_bytes = alignof(T),
                                   .fields = describe_detail::flatten(fields_),
                                   .default_value = {}};
    const T value{};
    const Bytes bytes = std::as_bytes(std::span<const T, 1>(&value, 1));
    component.default_value.assign(bytes.begin(), bytes.end());
    describe_detail::finish(component);
    return component;
  }

 private:
  template <typename, std::size_t>
  friend class Describe;
  using IsWithin = bool (*)(const FieldTraits& traits, const T& value);
  consteval Describe(const Describe<T, N - 1>& before, const describe_detail::FieldSpec& added,
                     IsWithin is_within) requires(N > 0)
      : name_(before.name_) {
    for (std::size_t i = 0; i + 1 < N; ++i) {
      fields_[i] = before.fields_[i];
      is_within_[i] = before.is_within_[i];
    }
    fields_[N - 1] = added;
    is_within_[N - 1] = is_within;
  }

  std::string_view name_;
  std::array<describe_detail::FieldSpec, N> fields_{};
  /// The checks for the elements of `fields_`, with the same indices.
  std::array<IsWithin, N> is_within_{};
};

/// Creates the description of `T` from its `describe` function.
template <Described T>
ComponentDescription description_of() {
  constexpr auto kDescribed = describe(Type<T>{});
  return kDescribed.description();
}

}  // namespace muster
