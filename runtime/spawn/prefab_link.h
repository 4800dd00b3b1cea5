// The component that stores what an entity was spawned from.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "registry/base/guid.h"
#include "registry/components/describe.h"

namespace muster {

/// The state of an entity's prefab.
enum class PrefabStage : std::uint8_t {
  waiting,      ///< Its bundle is not loaded yet.
  complete,     ///< The entity has its whole prefab.
  failed,       ///< The prefab cannot be loaded, and there is no placeholder yet.
  replaced,     ///< The prefab cannot be loaded; a child is the placeholder.
  placeholder,  ///< The entity is such a child.
};
inline constexpr std::array<std::string_view, 5> kPrefabStages = {"waiting", "complete", "failed",
                                                                  "replaced", "placeholder"};

/// Links an entity to the asset from which a `DeferredSpawner` has spawned it. It is part of the
/// world, so a restore also restores it. If a restore undoes the completion of an entity, the
/// entity waits again. If it undoes the spawn, there is no link. It is never sent.
struct PrefabLink {
  AssetReference asset;  ///< Null for a type id that is not assigned.
  PrefabStage stage = PrefabStage::waiting;
};

consteval auto describe(Type<PrefabLink>) {
  return Describe<PrefabLink>("PrefabLink")
      .field<&PrefabLink::asset>("asset")
      .field<&PrefabLink::stage>("stage", {.names = kPrefabStages});
}

}  // namespace muster
