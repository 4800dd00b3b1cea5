// The identities of entities in one world.
#pragma once

#include <compare>
#include <cstdint>

namespace muster {

/// The identity of an entity: a slot, and the generation, which counts how many entities have used
/// the slot. So the id of a removed entity never names the entity that reuses its slot. The null id
/// is all zero. An id is valid only in its world.
class EntityId {
 public:
  constexpr EntityId() = default;
  /// `generation` is at least 1, or 0 for a null id.
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

/// An entity and its birth number (`World::birth`). After a restore, another entity can get the
/// same id, but never the same birth number.
struct Creation {
  EntityId entity;
  std::uint64_t birth = 0;
  friend constexpr bool operator==(const Creation&, const Creation&) = default;
};

}  // namespace muster
