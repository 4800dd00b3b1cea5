// What an entity was spawned from, kept in the world.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "registry/base/guid.h"
#include "registry/components/describe.h"

namespace muster {

/// How far the prefab of an entity has come.
enum class PrefabStage : std::uint8_t {
  waiting,   ///< Its bundle is not there yet.
  complete,  ///< The entity has all that its prefab has.
  failed,    ///< The prefab cannot be had, and nothing stands in for it yet.
  replaced,  ///< A child stands in for what cannot be had.
  stand_in,  ///< This is that child.
};
inline constexpr std::array<std::string_view, 5> kPrefabStages = {"waiting", "complete", "failed",
                                                                  "replaced", "stand_in"};

/// Links an entity to the asset that it was spawned from by a `DeferredSpawner`. It is part of the
/// world, so that going back in time takes it along: an entity whose completion is taken back waits
/// again, and one that never was is forgotten. It means nothing to others, so no game sends it.
struct PrefabLink {
  AssetReference asset;  ///< Null for what nothing is known of.
  PrefabStage stage = PrefabStage::waiting;
};

consteval auto describe(Type<PrefabLink>) {
  return Describe<PrefabLink>("PrefabLink")
      .field<&PrefabLink::asset>("asset")
      .field<&PrefabLink::stage>("stage", {.names = kPrefabStages});
}

}  // namespace muster
