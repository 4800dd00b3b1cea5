// The component that links an entity to its prefab.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "registry/base/guid.h"
#include "registry/components/describe.h"

namespace muster {

/// The state of an entity's prefab.
enum class PrefabStage : std::uint8_t {
  waiting,      ///< The bundle of the prefab is not loaded yet.
  complete,     ///< The entity has its whole prefab.
  failed,       ///< The prefab cannot be loaded, and there is no placeholder yet.
  replaced,     ///< The prefab cannot be loaded, and a child of the entity is the placeholder.
  placeholder,  ///< The entity is the placeholder of its parent.
};
inline constexpr std::array<std::string_view, 5> kPrefabStages = {"waiting", "complete", "failed",
                                                                  "replaced", "placeholder"};

/// Links an entity to the asset from which a `DeferredSpawner` has spawned the entity. The link is
/// part of the world, so a restore also restores the link. If a restore undoes the completion of an
/// entity, the entity waits again. If a restore undoes the spawn, the link no longer exists. The
/// link is never sent.
struct PrefabLink {
  AssetReference asset;  ///< The asset; null for a type id that is not assigned.
  PrefabStage stage = PrefabStage::waiting;
};

consteval auto describe(Type<PrefabLink>) {
  return Describe<PrefabLink>("PrefabLink")
      .field<&PrefabLink::asset>("asset")
      .field<&PrefabLink::stage>("stage", {.names = kPrefabStages});
}

}  // namespace muster
