// The identities of entities and players in one world.
#pragma once

#include <compare>
#include <cstdint>

namespace muster {

/// A slot, and how often that slot has been used: an id of an entity that is gone never names the
/// entity that took its slot. All zero is null. A value; means nothing in another world.
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

/// A player of the match; the server and the scenery belong to none.
enum class PlayerId : std::int32_t { none = -1 };

/// An entity as it was made once (`World::birth`). Going back in time may give its id to another
/// one, but not its birth.
struct Creation {
  EntityId entity;
  std::uint64_t birth = 0;
  friend constexpr bool operator==(const Creation&, const Creation&) = default;
};

}  // namespace muster
