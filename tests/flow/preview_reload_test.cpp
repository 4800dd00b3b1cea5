// Edits of a project's files change the entities of a preview.
#include <memory>

#include <catch2/catch.hpp>

#include "bundler/preview/project_source.h"
#include "registry/base/memory_file_system.h"
#include "registry/components/describe.h"
#include "runtime/spawn/prefab_instances.h"

namespace muster {
namespace {

struct Trunk {
  float height = 1;
  std::int32_t rings = 0;
};
struct Fruit {
  float weight = 1;
};

std::vector<ComponentDescription> garden_components() {
  return {Describe<Fruit>("Fruit").field<&Fruit::weight>("weight").description(),
          Describe<Trunk>("Trunk")
              .field<&Trunk::height>("height")
              .field<&Trunk::rings>("rings")
              .description()};
}

constexpr const char* kTree = "plain/tree.yaml";
constexpr const char* kTreeGuid = "0123456789abcdef0123456789abcd01";
constexpr const char* kRegistryGuid = "0123456789abcdef0123456789abcd02";
constexpr const char* kRootGuid = "0123456789abcdef0123456789abcd03";

// A project of plain YAML with a tree and a fruit, and a world that shows them.
struct Garden {
  // The project as it was last read.
  struct ProjectState {
    explicit ProjectState(const MemoryFileSystem& files)
        : project(Project::open(files, 1, {}).value()),
          source(ProjectSource::create(*project, Target::client, garden_components()).value()),
          store(BundleStore::open(*source, BundleStore::Catalogs::built_or_preview).value()) {}
    std::unique_ptr<Project> project;
    std::unique_ptr<ProjectSource> source;
    BundleStore store;
  };

  Garden() {
    put("muster.yaml", "version: 1\nname: garden\nfolders: [plain]\n");
    put_asset("plain/root.yaml", kRootGuid,
              std::string("class: AssetRegistryRoot\nserverBuild: 0\nassetRegistries:\n") +
                  "- {fileID: 1, guid: " + kRegistryGuid + "}\n");
    put_asset("plain/registry.yaml", kRegistryGuid,
              std::string("class: ReplicatedEntityRegistry\nentries:\n- type_id: 1\n") +
                  "  prefab: {guid: " + kTreeGuid + "}\n");
    put_asset(kTree, kTreeGuid, tree("height: 3, rings: 7", "weight: 2"));
    state = std::make_unique<ProjectState>(files);
    spawner = std::make_unique<Spawner>(state->store, world);
    spawner->note_in(&instances);
  }

  static std::string tree(const std::string& trunk, const std::string& fruit,
                          const std::string& more = {}) {
    return "class: Prefab\nroot:\n  name: tree\n  components:\n  - Trunk: {" + trunk + "}\n" +
           more + "  children:\n  - name: apple\n    components:\n    - Fruit: {" + fruit + "}\n";
  }
  void put(const std::string& path, const std::string& text) {
    REQUIRE(files.write(AssetPath::parse(path).value(), as_bytes(text)).has_value());
  }
  void put_asset(const std::string& path, const std::string& guid, const std::string& text) {
    put(path, text);
    put(path + ".meta", "guid: " + guid + "\n");
  }

  EntityId plant() { return spawner->spawn(Guid::parse(kTreeGuid).value()).value().root; }
  // Reads the project again, as a tool does after a notification.
  ReloadReport poll() {
    auto newer = std::make_unique<ProjectState>(files);
    ReloadReport report = instances.reload(*spawner, newer->store);
    state = std::move(newer);
    world.process_despawns();
    return report;
  }

  MemoryFileSystem files;
  World world{garden_components()};
  ComponentHandle<Trunk> trunk = world.component<Trunk>("Trunk");
  ComponentHandle<Fruit> fruit = world.component<Fruit>("Fruit");
  PrefabInstances instances;
  std::unique_ptr<ProjectState> state;
  std::unique_ptr<Spawner> spawner;
};

}  // namespace

TEST_CASE("An edited value is applied to the entities of a preview, without respawning them",
          "[flow][preview][reload][sys-13]") {
  Garden garden;
  const EntityId tree = garden.plant();
  const EntityId apple = garden.world.first_child(tree);
  garden.world.get(garden.trunk, tree)->rings = 100;  // The game sets the value.
  CHECK(garden.poll().unchanged == 1);
  garden.put(kTree, Garden::tree("height: 4, rings: 8", "weight: 5"));
  CHECK(garden.poll().updated == 1);
  CHECK(garden.world.first_child(tree) == apple);
  CHECK(garden.world.get(garden.trunk, tree)->height == 4);
  CHECK(garden.world.get(garden.trunk, tree)->rings == 100);
  CHECK(garden.world.get(garden.fruit, apple)->weight == 5);
  // New entities are spawned from the new text.
  CHECK(garden.world.get(garden.trunk, garden.plant())->rings == 8);
  CHECK(garden.poll().unchanged == 2);
}

TEST_CASE("An edit of the structure respawns all entities below the root",
          "[flow][preview][reload][sys-13]") {
  Garden garden;
  const EntityId tree = garden.plant();
  const EntityId apple = garden.world.first_child(tree);
  garden.put(kTree, Garden::tree("height: 3, rings: 7", "weight: 6", "  - Fruit: {weight: 1}\n"));
  CHECK(garden.poll().rebuilt == 1);
  CHECK(garden.world.is_alive(tree));
  CHECK_FALSE(garden.world.is_alive(apple));
  REQUIRE(garden.world.get(garden.fruit, tree) != nullptr);
  const EntityId next = garden.world.first_child(tree);
  REQUIRE(garden.world.get(garden.fruit, next) != nullptr);
  CHECK(garden.world.get(garden.fruit, next)->weight == 6);
  CHECK(garden.world.entity_count() == 2);
}

TEST_CASE("A file that cannot be cooked leaves a preview unchanged until the file is fixed",
          "[flow][preview][reload][sys-13]") {
  Garden garden;
  const EntityId tree = garden.plant();
  garden.put(kTree, Garden::tree("height: tall, rings: 7", "weight: 2"));
  const ReloadReport report = garden.poll();
  CHECK(report.failed == 1);
  REQUIRE(report.errors.size() == 1);
  CHECK(report.errors[0].message.find("plain/tree.yaml:5") != std::string::npos);
  CHECK(garden.world.get(garden.trunk, tree)->height == 3);
  garden.put(kTree, Garden::tree("height: 30, rings: 7", "weight: 2"));
  CHECK(garden.poll().updated == 1);
  CHECK(garden.world.get(garden.trunk, tree)->height == 30);
}

}  // namespace muster
