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

// The build's components, as described by its game.
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
/// These, and the component that a `DeferredSpawner` requires.
std::vector<ComponentDescription> game_components_with_links();

// Content: prefabs have their own bundles. The picture is in a shared bundle, which hero and crate
// need. Type ids of ReplicatedEntity: 1 is the hero (a different prefab on each side), 2 the crate,
// 3 the factory.
inline constexpr std::uint64_t kHeroServer = 101;  ///< 3 entities: Hero > Hand > Ring, and 3 comps
inline constexpr std::uint64_t kHeroClient = 102;  ///< 1 entity, the client's hero
inline constexpr std::uint64_t kCrate = 103;       ///< Both sides; 2 entities, one inactive
inline constexpr std::uint64_t kFactory = 104;     ///< Pure data
inline constexpr std::uint64_t kCrateLook = 105;   ///< Presentations of the crate
inline constexpr std::uint64_t kCrateBroken = 106;
inline constexpr std::uint64_t kExplosion = 107;   ///< Spatial effect, pool of 3, lasts 2 s
inline constexpr std::uint64_t kTracer = 108;      ///< Hitscan effect, pool of 2, 50 m/s
inline constexpr std::uint64_t kDefinition = 109;  ///< An asset that is not a prefab
inline constexpr std::uint64_t kPicture = 110;     ///< Raw bytes
inline constexpr std::uint64_t kFlash = 111;       ///< Spatial effect without the component
inline constexpr std::uint64_t kLevel = 112;       ///< Layers: the yard, the crate, the sky; on
                                                   ///< demand the flash, and the yard again
inline constexpr std::uint64_t kYard = 113;        ///< Both sides; 4 entities, 3 of them with Life
inline constexpr std::uint64_t kSky = 114;         ///< Clients only; 1 entity

/// The path of a prefab's bundle below its target's folder.
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
  std::vector<float> yard_lives = {10, 20};  ///< For the first posts.
  std::string yard_name = "Post";
  bool is_explosion_active = true;
};

/// One target of the build. `change` may edit the catalog before it is encoded.
struct TargetOptions {
  Target target = Target::client;
  std::vector<ComponentDescription> components = game_components();
  std::vector<PrefabComponent> crate{};  ///< Additional components of the crate.
  SampleValues values{};
  std::function<void(CatalogData&)> change{};
};
void build_target(MemoryFileSystem& files, const TargetOptions& options);

}  // namespace muster::samples
