// A small build in memory, made with the bundler's writers, for tests of the runtime.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bundler/cook/prefab_writer.h"
#include "bundler/pack/catalog_data.h"
#include "registry/base/memory_file_system.h"
#include "registry/components/component.h"

namespace muster::samples {

// The build's components, with the descriptions of the game.
struct Body {
  Vec3 position;
  float mass = 1;
  friend bool operator==(const Body&, const Body&) = default;
};
struct Life {
  float current = 100;
  std::int32_t team = -1;
  friend bool operator==(const Life&, const Life&) = default;
};
struct SpatialEffect {
  float duration_seconds = 2;
};
struct HitscanEffect {
  float speed = 50;
};
std::vector<ComponentDescription> game_components();
/// Returns `game_components()` and the component that a `DeferredSpawner` requires.
std::vector<ComponentDescription> game_components_with_links();

// The assets of the build. Each prefab has a bundle. The picture is in a shared bundle that hero
// and crate need. The type ids of ReplicatedEntity are 1 for the hero (a different prefab for each
// side), 2 for the crate, and 3 for the factory.
/// 3 entities (Hero > Hand > Ring) with 3 components
inline constexpr std::uint64_t kHeroServer = 101;
inline constexpr std::uint64_t kHeroClient = 102;  ///< The client's hero; 1 entity
inline constexpr std::uint64_t kCrate = 103;  ///< For both sides; 2 entities, one of them inactive
inline constexpr std::uint64_t kFactory = 104;    ///< Pure data
inline constexpr std::uint64_t kCrateLook = 105;  ///< Presentations of the crate
inline constexpr std::uint64_t kCrateBroken = 106;
inline constexpr std::uint64_t kExplosion = 107;   ///< Spatial effect with a pool of 3, lasts 2 s
inline constexpr std::uint64_t kTracer = 108;      ///< Hitscan effect with a pool of 2, at 50 m/s
inline constexpr std::uint64_t kDefinition = 109;  ///< An asset that is not a prefab
inline constexpr std::uint64_t kPicture = 110;     ///< Raw bytes
inline constexpr std::uint64_t kFlash = 111;       ///< Spatial effect without a duration component
/// Layers: the yard, the crate, the sky; two layers on demand: the flash, and the yard again
inline constexpr std::uint64_t kLevel = 112;
inline constexpr std::uint64_t kYard = 113;  ///< For both sides; 4 entities, 3 of them with Life
inline constexpr std::uint64_t kSky = 114;   ///< Only for clients; 1 entity

/// Returns the path of a prefab's bundle below the folder of its target.
std::string bundle_path(std::uint64_t asset);

/// Builds `client/` and `server/` with equal agreements.
MemoryFileSystem build();

/// Values that an edit may change.
struct SampleValues {
  float crate_life = 50;
  std::size_t crate_lids = 1;
  float explosion_seconds = 2;
  float tracer_speed = 50;
  std::size_t yard_posts = 2;
  bool flash_lives = false;
  std::vector<float> yard_lives = {10, 20};  ///< The life of each post, first post first.
  std::string yard_name = "Post";
  bool is_explosion_active = true;
};

/// Options of one target of the build. `change` edits the catalog before it is encoded.
struct TargetOptions {
  Target target = Target::client;
  std::vector<ComponentDescription> components = game_components();
  std::vector<PrefabComponent> crate{};  ///< Additional components of the crate.
  SampleValues values{};
  std::function<void(CatalogData&)> change{};
};
void build_target(MemoryFileSystem& files, const TargetOptions& options);

}  // namespace muster::samples
