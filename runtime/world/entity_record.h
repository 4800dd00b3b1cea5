// The data of an entity in a world, except its components.
#pragma once

#include <cstdint>
#include <type_traits>

#include "registry/base/player_id.h"
#include "runtime/world/entity_id.h"
#include "runtime/world/name_table.h"
#include "runtime/world/signature.h"

namespace muster {

inline constexpr std::uint32_t kNoSlot = 0xFFFFFFFF;

/// The data of one slot. Records are copied as bytes. Links to other entities are slots.
struct EntityRecord {
  Signature signature;
  std::uint64_t birth = 0;  ///< `World::birth`. This number is not part of the game's state.
  std::uint32_t generation = 1;
  std::uint32_t parent = kNoSlot;
  std::uint32_t first_child = kNoSlot;
  std::uint32_t last_child = kNoSlot;
  std::uint32_t next_sibling = kNoSlot;  ///< For a free slot, the next free slot.
  std::uint32_t previous_sibling = kNoSlot;
  std::uint32_t next_despawn = kNoSlot;  ///< The next entity in the list of despawn requests.
  NameId name = NameId::empty;
  PlayerId player = PlayerId::none;
  std::uint8_t is_alive = 0;
  std::uint8_t is_active = 0;
  std::uint8_t is_despawning = 0;
  std::uint8_t padding = 0;
};
static_assert(std::is_trivially_copyable_v<EntityRecord>);
static_assert(std::has_unique_object_representations_v<EntityRecord>);

}  // namespace muster
