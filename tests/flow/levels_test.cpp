// The levels of the sample game, on client and server.
#include <catch2/catch.hpp>

#include "content/arena/game/components.h"
#include "registry/base/disk_file_system.h"
#include "runtime/assets/bundle_loader.h"
#include "runtime/spawn/level.h"
#include "tests/support/arena_build.h"

using namespace muster;

namespace {

/// The arena's build of a client or a server.
struct Side {
  Side(const MemoryFileSystem& build, const std::string& name)
      : source(build, AssetPath::parse(name).value()),
        store(BundleStore::open(source).value()),
        executor(source, store.catalog()) {}

  Guid level_at(TypeId type_id) const {
    return store.catalog().resolve("LevelRegistry", type_id)->guid;
  }
  void frames(int count) {
    for (int i = 0; i < count; ++i) {
      loader.update(Time());
      level.update();
      world.process_despawns();
    }
  }

  FileSystemSource source;
  BundleStore store;
  SteppedLoads executor;
  BundleLoader loader{store, executor, {}};
  World world{arena::arena_components()};
  Spawner spawner{store, world};
  Level level{spawner, loader};
};

}  // namespace

TEST_CASE("The arena's levels are a main prefab and layers; one layer is only for clients",
          "[flow][arena][sys-14]") {
  const DiskFileSystem files =
      DiskFileSystem::open(std::string(MUSTER_SOURCE_DIR) + "/content/arena").value();
  const MemoryFileSystem build = testing::build_to_memory(files, {});
  Side client(build, "client");
  Side server(build, "server");
  for (const TypeId type_id : {TypeId(1), TypeId(2), TypeId(1)}) {
    CAPTURE(type_id.value());
    client.level.load(client.level_at(type_id));
    server.level.load(server.level_at(type_id));
    client.frames(1);  // The level is unloaded while it is loading.
    client.level.load(client.level_at(type_id));
    client.frames(20);
    server.frames(20);
    REQUIRE(client.level.state() == LevelState::ready);
    REQUIRE(server.level.state() == LevelState::ready);
    for (const char* const name : {"main", "gameplay", "background"}) {
      CHECK(client.level.layer_state(name) == LevelState::ready);
    }
    CHECK(server.level.layer_state("gameplay") == LevelState::ready);
    CHECK(server.level.layer_state("background") == LevelState::none);
    CHECK(client.level.layer_count() == server.level.layer_count() + 1);
    CHECK(client.world.entity_count() > server.world.entity_count());
    // The placed entities are equal on both sides and in the same order.
    REQUIRE(client.level.placed().size() == server.level.placed().size());
    CHECK_FALSE(client.level.placed().empty());
    for (std::size_t i = 0; i < client.level.placed().size(); ++i) {
      CHECK(client.level.placed()[i].key == server.level.placed()[i].key);
    }
    client.level.unload();
    client.frames(1);
    CHECK(client.world.entity_count() == 0);
  }
}
