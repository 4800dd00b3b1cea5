// The type ids of registry entries, the registries of a build, the types of presentations, and the
// targets of content.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>

namespace muster {

/// The number of a registry entry in network messages. Client and server use the same number. A
/// number is never assigned to another entry.
class TypeId {
 public:
  /// The maximum id. Ids are sent as 16 bits.
  static constexpr std::uint32_t kMax = 65534;

  constexpr TypeId() = default;
  explicit constexpr TypeId(std::uint32_t value) : value_(value) {}
  constexpr std::uint32_t value() const { return value_; }
  friend constexpr auto operator<=>(const TypeId&, const TypeId&) = default;

 private:
  std::uint32_t value_ = 0;
};

/// A registry of a build, as its index in the catalog.
enum class RegistryIndex : std::uint32_t {};

constexpr std::uint32_t catalog_index(RegistryIndex registry) {
  return static_cast<std::uint32_t>(registry);
}

/// The type of a presentation. An entity has at most one presentation of each type. The content
/// sets the type of each presentation. A session shows presentations of the types 0 and 1. The game
/// itself shows the presentations of all other types.
enum class PresentationType : std::uint32_t {
  shared = 0,  ///< All players see it.
  own = 1,     ///< Only the player that owns the entity sees it, in addition to the shared one.
};

constexpr std::uint32_t presentation_number(PresentationType type) {
  return static_cast<std::uint32_t>(type);
}

/// The program for which content is built.
enum class Target : std::uint8_t { client = 1, server = 2 };
inline constexpr std::array kTargets = {Target::client, Target::server};

/// A set of targets.
class TargetSet {
 public:
  constexpr TargetSet() = default;
  constexpr TargetSet(Target target)  // NOLINT(google-explicit-constructor): one target
      : bits_(static_cast<std::uint8_t>(target)) {}
  static constexpr TargetSet both() { return TargetSet(Target::client) | Target::server; }
  constexpr bool has(Target target) const {
    return (bits_ & static_cast<std::uint8_t>(target)) != 0;
  }
  constexpr bool empty() const { return bits_ == 0; }
  friend constexpr TargetSet operator|(TargetSet a, TargetSet b) {
    a.bits_ = static_cast<std::uint8_t>(a.bits_ | b.bits_);
    return a;
  }
  friend constexpr TargetSet operator&(TargetSet a, TargetSet b) {
    a.bits_ = static_cast<std::uint8_t>(a.bits_ & b.bits_);
    return a;
  }
  friend constexpr auto operator<=>(const TargetSet&, const TargetSet&) = default;

 private:
  std::uint8_t bits_ = 0;
};

}  // namespace muster

template <>
struct std::hash<muster::TypeId> {
  std::size_t operator()(muster::TypeId id) const noexcept { return id.value(); }
};
