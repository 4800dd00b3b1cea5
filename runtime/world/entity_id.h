// The identities of entities in one world.
#pragma once

#include <compare>
#include <cstdint>

namespace muster {

/// A slot, and the number of times the slot was used: an id of a removed entity never names the
/// entity that reuses its slot. All zero is null. A value; valid only in its world.
class EntityId {
 public:
  constexpr EntityId() = default;
  /// Requires: a generation of at least 1, for an id that is not null.
  constexpr EntityId(std::uint32_t slot, std::uint32_t generation)
      : slot_(slot), generation_(generation) {}

  constexpr bool is_null() const { return generation_ == 0; }
  constexpr std::uint32_t slot() const { return slot_; }
  constexpr std::uint32_t generation() const { return generation_; }

  friend constexpr auto operator<=>(const EntityId&, const EntityId&) = default;

 private:
  std::uint32_t slot_ = 0;
  std::uint32_t generation_ = 0;
};

/// An entity as it was created (`World::birth`). Going back in time may give its id to another
/// entity, but not its birth number.
struct Creation {
  EntityId entity;
  std::uint64_t birth = 0;
  friend constexpr bool operator==(const Creation&, const Creation&) = default;
};

}  // namespace muster
