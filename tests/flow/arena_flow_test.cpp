// Builds the sample game with the real `muster build`, and loads and spawns the output with the
// runtime.
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include "content/arena/game/components.h"
#include "content/arena/game/replicated.h"
#include "registry/base/disk_file_system.h"
#include "registry/base/mapping_guard.h"
#include "runtime/assets/disk_source.h"
#include "runtime/session/build_tour.h"
#include "runtime/spawn/spawner.h"
#include "tests/support/temporary_folder.h"

namespace muster {
namespace {

int run(const std::string& command) {
  const int status = std::system((command + " > /dev/null 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string quoted(const std::string& text) { return "'" + text + "'"; }

const std::string& arena_folder() {
  static const std::string folder = std::string(MUSTER_SOURCE_DIR) + "/content/arena";
  return folder;
}

struct ArenaBuild {
  explicit ArenaBuild(const std::string& arena = arena_folder()) {
    const std::string muster = std::string(MUSTER_BINARY_DIR) + "/bin/muster";
    REQUIRE(run(quoted(muster) + " build " + quoted(arena) + " --out " + quoted(path())) == 0);
  }
  std::string path() const { return folder.path() + "/build"; }
  int demo(const std::string& options = {}) const {
    return run(quoted(std::string(MUSTER_BINARY_DIR) + "/bin/arena_demo") + " " + quoted(path()) +
               options);
  }

  TemporaryFolder folder;
};

// Flips a bit of a byte in a file of a build. A negative offset counts from the end.
void flip(const ArenaBuild& build, const std::string& relative, std::ptrdiff_t offset) {
  DiskFileSystem files = DiskFileSystem::open(build.path()).value();
  const AssetPath path = AssetPath::parse(relative).value();
  ByteVector buffer;
  const Bytes whole = read_whole(files, path, 1U << 30U, buffer).value();
  ByteVector bytes(whole.begin(), whole.end());
  const std::ptrdiff_t at = offset < 0 ? std::ssize(bytes) + offset : offset;
  bytes.at(static_cast<std::size_t>(at)) ^= std::byte{1};
  REQUIRE(files.write(path, bytes).has_value());
}

TourReport tour_of(const BundleSource& client_source, const BundleSource& server_source) {
  BundleStore client = BundleStore::open(client_source).value();
  BundleStore server = BundleStore::open(server_source).value();
  REQUIRE(client.catalog().agreement() == server.catalog().agreement());
  const ManualClock clock;
  TourReport report;
  const std::vector<ComponentDescription> components = arena::arena_components();
  tour(client, components, clock, report);
  tour(server, components, clock, report);
  return report;
}

TourReport mapped_tour(const ArenaBuild& build) {
  const MappingGuard guard;
  const MappedSource client(build.path() + "/client");
  const MappedSource server(build.path() + "/server");
  return tour_of(client, server);
}

TEST_CASE("Every type id of the arena spawns on client and server, with files read or mapped",
          "[flow][arena][sys-2][sys-9][sys-13][sys-16][sys-20]") {
  const ArenaBuild build;
  const DiskFileSystem files = DiskFileSystem::open(build.path()).value();
  const FileSystemSource client(files, AssetPath::parse("client").value());
  const FileSystemSource server(files, AssetPath::parse("server").value());
  const TourReport read = tour_of(client, server);
  const TourReport mapped = mapped_tour(build);
  CHECK(read.failures() == 0);
  CHECK(mapped.failures() == 0);
  CHECK(read.effects_played == 11);
  CHECK(read.left_over == 0);
  REQUIRE(read.stops.size() == mapped.stops.size());
  CHECK(read.stops.size() > 100);
  for (std::size_t i = 0; i < read.stops.size(); ++i) {
    const TourStop& a = read.stops[i];
    const TourStop& b = mapped.stops[i];
    CAPTURE(a.target, a.registry, a.type_number(), a.path);
    CHECK(a.error.empty());
    CHECK(a.entities >= 1);
    CHECK(a.entities == b.entities);
    CHECK(a.components == b.components);
    CHECK(a.other_components == b.other_components);
    CHECK(a.bundle_bytes == b.bundle_bytes);
    CHECK(a.guid == b.guid);
  }
}

TEST_CASE("The demo visits every registry of the arena", "[flow][arena][sys-2][sys-3][sys-4]") {
  const ArenaBuild build;
  const TourReport report = mapped_tour(build);
  const auto count = [&](Target target, std::string_view registry) {
    return std::count_if(report.stops.begin(), report.stops.end(), [&](const TourStop& stop) {
      return stop.target == target && stop.registry == registry;
    });
  };
  CHECK(count(Target::client, "ReplicatedEntityRegistry") == 19);
  CHECK(count(Target::server, "ReplicatedEntityRegistry") == 19);
  CHECK(count(Target::client, "SpatialEffectRegistry") == 8);
  CHECK(count(Target::client, "HitscanEffectRegistry") == 3);
  CHECK(count(Target::server, "SpatialEffectRegistry") == 0);
  CHECK(count(Target::server, "HitscanEffectRegistry") == 0);
  CHECK(count(Target::client, "spatial effect") == 8);
  CHECK(count(Target::client, "hitscan effect") == 3);
  CHECK(count(Target::client, "ItemRegistry") == 12);  // In third and in first person.
  CHECK(count(Target::server, "ItemRegistry") == 6);
  CHECK(count(Target::client, "CharacterTypeRegistry") == 6);
  CHECK(count(Target::server, "CharacterTypeRegistry") == 3);
  CHECK(count(Target::client, "ProjectileRegistry") == 5);
  CHECK(count(Target::client, "LevelRegistry") == 2);
  CHECK(count(Target::server, "LevelRegistry") == 2);
}

TEST_CASE("An id means the same asset on client and server", "[flow][arena][sys-2]") {
  const ArenaBuild build;
  const MappedSource client_source(build.path() + "/client");
  const MappedSource server_source(build.path() + "/server");
  const BundleStore client = BundleStore::open(client_source).value();
  const BundleStore server = BundleStore::open(server_source).value();
  constexpr std::string_view kClass = "ReplicatedEntityRegistry";
  const CatalogRegistry ours = client.catalog().find_registry(kClass).value();
  const CatalogRegistry theirs = server.catalog().find_registry(kClass).value();
  REQUIRE(ours.entry_count == theirs.entry_count);
  for (std::uint32_t i = 0; i < ours.entry_count; ++i) {
    const CatalogEntry entry = client.catalog().entry(ours.first_entry + i);
    const std::optional<CatalogEntry> other = server.catalog().resolve(theirs, entry.type_id);
    REQUIRE(other);
    CHECK(other->guid == entry.guid);
    CHECK(other->is_factory == entry.is_factory);
  }
}

TEST_CASE("An item is found by its first-person and by its third-person prefab",
          "[flow][arena][sys-5]") {
  const ArenaBuild build;
  const MappedSource source(build.path() + "/client");
  const BundleStore store = BundleStore::open(source).value();
  std::uint32_t items = 0;
  while (store.catalog().registry(RegistryIndex{items}).class_name != "ItemRegistry") ++items;
  const CatalogRegistry registry = store.catalog().registry(RegistryIndex{items});
  REQUIRE(registry.entry_count == 12);  // Six items, each in third and in first person.
  for (std::uint32_t i = 0; i < registry.entry_count; ++i) {
    const CatalogEntry entry = store.catalog().entry(registry.first_entry + i);
    CHECK(store.type_id_of(RegistryIndex{items}, entry.guid) == entry.type_id);
  }
}

TEST_CASE("A hero's definition has its health, movement, abilities and items",
          "[flow][arena][sys-7]") {
  const ArenaBuild build;
  const MappedSource source(build.path() + "/server");
  BundleStore store = BundleStore::open(source).value();
  int heroes = 0;
  for (std::uint32_t i = 0; i < store.catalog().asset_count(); ++i) {
    const CatalogAsset asset = store.catalog().asset(i);
    if (asset.path.find("heroes/hero_") == std::string_view::npos || asset.path.ends_with("meta")) {
      continue;
    }
    CAPTURE(std::string(asset.path));
    const LoadedEntry entry = store.load(asset.guid, kMainPayload).value();
    const ObjectReader object = ObjectReader::open(entry.bytes).value();
    const ObjectValue root = object.document(0).root.value();
    CHECK(root.find("health").has_value());
    const auto movement = root.find("characterMovementSettings");
    REQUIRE(movement.has_value());
    CHECK(movement->find("slopeLimit").has_value());
    CHECK(root.find("abilities").has_value());
    CHECK(root.find("items").has_value());
    ++heroes;
  }
  CHECK(heroes == 2);
}

TEST_CASE("A spawned replicated entity has its asset's guid and no network id",
          "[flow][arena][sys-15]") {
  const ArenaBuild build;
  const MappedSource source(build.path() + "/server");
  BundleStore store = BundleStore::open(source).value();
  World world(arena::arena_components());
  Spawner spawner(store, world);
  const auto replicated = world.component<arena::ReplicatedEntity>("ReplicatedEntity");
  const CatalogRegistry registry =
      store.catalog().find_registry("ReplicatedEntityRegistry").value();
  int prefab_count = 0;
  for (std::uint32_t i = 0; i < registry.entry_count; ++i) {
    const CatalogEntry entry = store.catalog().entry(registry.first_entry + i);
    if (entry.is_factory) continue;
    const Spawned spawned = spawner.spawn(entry.guid).value();
    const arena::ReplicatedEntity* const own = world.get(replicated, spawned.root);
    REQUIRE(own != nullptr);
    const Bytes asset = std::as_bytes(std::span<const std::uint8_t>(own->asset_guid.guid));
    CHECK(Guid::from_bytes(asset) == entry.guid);
    CHECK(own->id == -1);
    CHECK(own->predicting_player_id == PlayerId::none);
    ++prefab_count;
  }
  CHECK(prefab_count == 14);
}

TEST_CASE("Damaged and missing bundles affect only assets that need them",
          "[flow][arena][sys-13]") {
  const ArenaBuild build;
  const TourReport whole = mapped_tour(build);
  // Damages one bundle and removes another. No other bundle uses them.
  const auto path_of = [&](std::string_view asset) {
    for (const TourStop& stop : whole.stops) {
      if (stop.path == asset) return "client/bundles/" + stop.guid.to_string() + ".mbundle";
    }
    FAIL("not in the build");
    return std::string();
  };
  const std::array<std::string_view, 2> spoiled = {"Assets/Prefabs/Replicated/PlayerState.prefab",
                                                   "plain/replicated/flag.yaml"};
  flip(build, path_of(spoiled[0]), -1);
  std::filesystem::remove(build.path() + "/" + path_of(spoiled[1]));
  const TourReport report = mapped_tour(build);
  REQUIRE(report.stops.size() == whole.stops.size());
  std::size_t failed = 0;
  for (const TourStop& stop : report.stops) {
    if (stop.error.empty()) continue;
    ++failed;
    CAPTURE(stop.target, stop.registry, stop.path, stop.error);
    CHECK(stop.target == Target::client);
    const bool names_one = stop.error.find(spoiled[0]) != std::string::npos ||
                           stop.error.find(spoiled[1]) != std::string::npos;
    CHECK(names_one);
  }
  CHECK(failed >= 2);
  CHECK(failed <= 3);
  CHECK(report.left_over == 0);
  CHECK(build.demo() == 1);
}

TEST_CASE("The demo's exit code reports success or failure", "[flow][arena]") {
  const ArenaBuild build;
  CHECK(build.demo() == 0);
  CHECK(build.demo(" --variant quality=low") == 0);
  CHECK(build.demo(" --variant quality=poor") == 2);
  const std::string demo = std::string(MUSTER_BINARY_DIR) + "/bin/arena_demo";
  CHECK(run(quoted(demo) + " " + quoted(build.path()) + " --format json") == 0);
  CHECK(run(quoted(demo)) == 2);
  CHECK(run(quoted(demo) + " " + quoted(build.path()) + " --format xml") == 2);
  CHECK(run(quoted(demo) + " " + quoted(build.folder.path())) == 2);
  // The fingerprint covers the agreement, so this damage is detected.
  flip(build, "server/catalog.mcat", 48);
  CHECK(build.demo() == 2);
}

TEST_CASE("A client and a server of different games are refused", "[flow][arena][sys-2]") {
  const TemporaryFolder project;
  std::filesystem::copy(arena_folder(), project.path(), std::filesystem::copy_options::recursive);
  std::vector<ComponentDescription> components = arena::arena_components();
  for (ComponentDescription& component : components) {
    if (component.name == "Health") component.fields.front().unit = "percent";
  }
  project.put("components.json", components_to_json(components));
  const ArenaBuild other(project.path());
  const ArenaBuild build;
  std::filesystem::remove_all(build.path() + "/server");
  std::filesystem::rename(other.path() + "/server", build.path() + "/server");
  CHECK(build.demo() == 2);
  // The components of the build also differ from the components of this program.
  const MappedSource source(build.path() + "/server");
  BundleStore store = BundleStore::open(source).value();
  World world(arena::arena_components());
  Spawner spawner(store, world);
  const CatalogRegistry registry =
      store.catalog().find_registry("ReplicatedEntityRegistry").value();
  int refused = 0;
  for (std::uint32_t i = 0; i < registry.entry_count; ++i) {
    const Guid guid = store.catalog().entry(registry.first_entry + i).guid;
    const Result<Spawned> spawned = spawner.spawn(guid);
    if (spawned) continue;
    ++refused;
    CHECK(spawned.error().code == ErrorCode::hash_mismatch);
    CHECK(spawned.error().message.find("'Health'") != std::string::npos);
  }
  CHECK(refused > 0);
  CHECK(refused < static_cast<int>(registry.entry_count));
}

}  // namespace
}  // namespace muster
