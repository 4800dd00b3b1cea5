#include "runtime/spawn/spawner.h"

#include <algorithm>

#include <catch2/catch.hpp>

#include "bundler/cook/prefab_writer.h"
#include "bundler/pack/bundle_writer.h"
#include "registry/components/describe.h"
#include "runtime/bundle/bundle_reader.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/sample_build.h"

namespace muster {
namespace {

using samples::Body;
using samples::guid;
using samples::Life;

struct Side {
  explicit Side(std::string_view folder, MemoryFileSystem built = samples::build())
      : files(std::move(built)), source(files, AssetPath::parse(folder).value()) {}

  RegistryIndex registry(std::string_view class_name) const {
    const CatalogReader& catalog = store.catalog();
    for (std::uint32_t i = 0; i < catalog.registry_count(); ++i) {
      if (catalog.registry(RegistryIndex{i}).class_name == class_name) return RegistryIndex{i};
    }
    return RegistryIndex{layout::kNone};
  }

  MemoryFileSystem files;
  FileSystemSource source;
  BundleStore store = BundleStore::open(source).value();
  World world{samples::game_components()};
  Spawner spawner{store, world};
};

TEST_CASE("A prefab becomes entities with hierarchy, names and components",
          "[runtime][spawn][sys-13][sys-16]") {
  Side server("server");
  const Spawned hero = server.spawner.spawn(guid(samples::kHeroServer)).value();
  CHECK(hero.entities == 3);
  CHECK(hero.components == 3);
  const World& world = server.world;
  CHECK(world.name(hero.root) == "Hero");
  const EntityId hand = world.first_child(hero.root);
  const EntityId ring = world.first_child(hand);
  CHECK(world.name(hand) == "Hand");
  CHECK(world.name(ring) == "Ring");
  const auto body = world.component<Body>("Body");
  const auto life = world.component<Life>("Life");
  CHECK(world.get(body, hero.root)->mass == 80);
  CHECK(world.get(life, hero.root)->current == 120);
  CHECK(world.get(body, hand)->position == Vec3{0, 1, 0});
  CHECK(world.get(body, ring) == nullptr);
}

TEST_CASE("Prefabs that are spawned alternately do not mix", "[runtime][spawn][sys-13]") {
  Side server("server");
  for (const std::uint64_t asset : {samples::kCrate, samples::kCrate, samples::kHeroServer,
                                    samples::kCrate, samples::kFactory, samples::kFactory}) {
    CAPTURE(asset);
    const PrefabPlan* const plan = server.spawner.prepare(guid(asset)).value();
    CHECK(plan->asset == guid(asset));
    const Spawned made = server.spawner.spawn(guid(asset)).value();
    CHECK(server.world.name(made.root) == server.world.text(plan->entities[0].name));
    CHECK_FALSE(server.spawner.spawn(guid(0x5EED)).has_value());
  }
}

TEST_CASE("Components without a description are counted", "[runtime][spawn][sys-13]") {
  Side client("client");
  const Spawned crate = client.spawner.spawn(guid(samples::kCrate)).value();
  CHECK(crate.entities == 2);
  CHECK(crate.components == 3);
  CHECK(crate.other_components == 1);
  CHECK(client.spawner.prepare(guid(samples::kCrate)).value()->other_types ==
        std::vector<std::string>{"Rigidbody"});
  CHECK(client.world.is_active(crate.root));
  CHECK_FALSE(client.world.is_active(client.world.first_child(crate.root)));
}

TEST_CASE("A factory becomes one entity with data only", "[runtime][spawn][sys-16]") {
  Side client("client");
  const Spawned made =
      client.spawner.spawn_type(client.registry("ReplicatedEntity"), TypeId(3)).value();
  CHECK(made.entities == 1);
  CHECK(made.components == 1);
  const auto life = client.world.component<Life>("Life");
  CHECK(*client.world.get(life, made.root) == Life{1, 1});
  CHECK(client.world.first_child(made.root).is_null());
}

TEST_CASE("A definition becomes one entity, and a picture becomes no entity",
          "[runtime][spawn][sys-13]") {
  Side client("client");
  const Spawned hero = client.spawner.spawn(guid(samples::kDefinition)).value();
  CHECK(hero.entities == 1);
  CHECK(hero.components == 0);
  CHECK(client.world.name(hero.root) == "Hero");
  const Error error = client.spawner.spawn(guid(samples::kPicture)).error();
  CHECK(error.code == ErrorCode::invalid_argument);
  CHECK(error.message.find("Textures/Crate.png") != std::string::npos);
}

TEST_CASE("A type id spawns the prefab of each side", "[runtime][spawn][sys-2]") {
  Side client("client");
  Side server("server");
  REQUIRE(client.store.catalog().agreement() == server.store.catalog().agreement());
  const TypeId hero(1);
  const Spawned here = client.spawner.spawn_type(client.registry("ReplicatedEntity"), hero).value();
  const Spawned there =
      server.spawner.spawn_type(server.registry("ReplicatedEntity"), hero).value();
  CHECK(here.entities == 1);
  CHECK(there.entities == 3);
  CHECK(client.store.resolve(client.registry("ReplicatedEntity"), hero)->guid ==
        guid(samples::kHeroClient));
  CHECK(server.store.resolve(server.registry("ReplicatedEntity"), hero)->guid ==
        guid(samples::kHeroServer));
  // An asset of both sides has the same type id on both sides.
  CHECK(client.store.resolve(client.registry("ReplicatedEntity"), TypeId(2))->guid ==
        server.store.resolve(server.registry("ReplicatedEntity"), TypeId(2))->guid);
}

TEST_CASE("An id that is not assigned spawns nothing", "[runtime][spawn][sys-2]") {
  Side client("client");
  const RegistryIndex replicated = client.registry("ReplicatedEntity");
  for (const std::uint32_t id : {0U, 4U, 65535U, 0xFFFFFFFFU}) {
    CHECK(client.spawner.spawn_type(replicated, TypeId(id)).error().code == ErrorCode::not_found);
  }
  CHECK(client.spawner.spawn_type(RegistryIndex{99}, TypeId(1)).error().code ==
        ErrorCode::not_found);
  CHECK(client.world.entity_count() == 0);
}

TEST_CASE("An entity that is spawned below a parent joins its group", "[runtime][spawn][sys-16]") {
  Side server("server");
  const EntityId cart = server.world.create();
  const Spawned crate = server.spawner.spawn(guid(samples::kCrate), cart).value();
  CHECK(server.world.parent(crate.root) == cart);
  server.world.request_despawn(cart);
  CHECK(server.world.process_despawns() == 3);
  CHECK(server.world.entity_count() == 0);
}

TEST_CASE(
    "A component that was cooked with another description is refused, and the error names the "
    "component",
    "[runtime][spawn][sys-13]") {
  // The game has added a third field to Life since the build was made.
  struct NewerLife {
    float current = 100;
    std::int32_t team = -1;
    std::uint32_t lives = 3;
  };
  std::vector<ComponentDescription> components = samples::game_components();
  components[2] = Describe<NewerLife>("Life")
                      .field<&NewerLife::current>("current", {.unit = "hp"})
                      .field<&NewerLife::team>("team")
                      .field<&NewerLife::lives>("lives")
                      .description();
  Side client("client");
  World newer(components);
  Spawner spawner(client.store, newer);
  const Error error = spawner.spawn(guid(samples::kCrate)).error();
  CHECK(error.code == ErrorCode::hash_mismatch);
  CHECK(error.message.find("'Life'") != std::string::npos);
  CHECK(error.message.find("Prefabs/Crate.prefab") != std::string::npos);
  CHECK(newer.entity_count() == 0);
}

TEST_CASE("A component that the game lacks is refused, and the error names the component",
          "[runtime][spawn][sys-13]") {
  Side client("client");
  std::vector<ComponentDescription> fewer = samples::game_components();
  std::erase_if(fewer, [](const ComponentDescription& one) { return one.name == "Life"; });
  World world(fewer);
  Spawner spawner(client.store, world);
  const Error error = spawner.spawn(guid(samples::kCrate)).error();
  CHECK(error.code == ErrorCode::not_found);
  CHECK(error.message.find("'Life'") != std::string::npos);
}

TEST_CASE("Two components of a type on one entity are refused", "[runtime][spawn][sys-13]") {
  const ComponentDescription life = samples::game_components()[2];
  PrefabData data;
  PrefabEntity& entity = data.entities.emplace_back();
  entity.name = "Twice";
  for (int i = 0; i < 2; ++i) {
    entity.components.push_back({.type = life.name,
                                 .document = {},
                                 .cooked = CookedComponent{life.hash(), life.default_value}});
  }
  const ByteVector bytes = encode_prefab(data).value();
  World world(samples::game_components());
  const Result<PrefabPlan> plan = plan_prefab(PrefabReader::open(bytes).value(), world);
  CHECK(plan.error().code == ErrorCode::malformed);
  CHECK(plan.error().message.find("'Twice'") != std::string::npos);
}

TEST_CASE("A plan contains the name of each type once, for any number of components",
          "[runtime][spawn][sys-13]") {
  const ComponentDescription life = samples::game_components()[2];
  PrefabData data;
  PrefabEntity& entity = data.entities.emplace_back();
  entity.name = "Forged";
  entity.components.push_back({.type = life.name,
                               .document = {},
                               .cooked = CookedComponent{life.hash(), life.default_value}});
  const std::string long_name(60000, 'x');
  for (int i = 0; i < 1000; ++i) {
    entity.components.push_back({.type = long_name, .document = {}, .cooked = {}});
    entity.components.push_back({.type = "Other", .document = {}, .cooked = {}});
  }
  const ByteVector bytes = encode_prefab(data).value();
  CHECK(bytes.size() < 100000);
  World world(samples::game_components());
  const PrefabPlan plan = plan_prefab(PrefabReader::open(bytes).value(), world).value();
  CHECK(plan.other_types == std::vector<std::string>{"Other", long_name});
  CHECK(plan.other_components == 2000);
  CHECK(plan.components.size() == 1);
}

TEST_CASE("A bundle of another version of muster is not reported as damaged",
          "[runtime][spawn][sys-13]") {
  const auto [asset, part, kind] = GENERATE(table<std::uint64_t, std::int64_t, EntryKind>(
      {{samples::kSky, kFlattenedPrefab, EntryKind::prefab},
       {samples::kDefinition, kMainPayload, EntryKind::object}}));
  Side client("client");
  const Bytes now = client.store.load(guid(asset), part).value().bytes;
  ByteVector before(now.begin(), now.end());
  before[4] = std::byte{1};
  const std::vector<PackEntry> entries = {{guid(asset), part, kind, before}};
  const ByteVector bundle = pack_bundle(entries).value();
  const BundleName name = BundleName::of_prefab(guid(asset));
  MemoryFileSystem files;
  samples::TargetOptions options;
  options.change = [&](CatalogData& data) {
    const auto row = std::ranges::find(data.bundles, name, &BundleData::name);
    row->hash = BundleReader::open(bundle).value().bundle_hash();
    row->file_bytes = bundle.size();
  };
  samples::build_target(files, options);
  REQUIRE(files.write(AssetPath::parse("client/" + name.path()).value(), bundle).has_value());
  Side old("client", std::move(files));
  const Error error = old.spawner.spawn(guid(asset)).error();
  CHECK(error.code == ErrorCode::unsupported_version);
  CHECK(error.message.find("damaged") == std::string::npos);
}

TEST_CASE("A damaged bundle affects only its own entities", "[runtime][spawn][sys-13]") {
  Side client("client");
  const AssetPath path =
      AssetPath::parse("client/" + samples::bundle_path(samples::kHeroClient)).value();
  ByteVector bytes = client.files.files().at(path);
  const bool is_cut = GENERATE(false, true);
  if (is_cut) {
    bytes.resize(bytes.size() / 2);
  } else {
    bytes[bytes.size() - 3] ^= std::byte{4};
  }
  REQUIRE(client.files.write(path, bytes).has_value());
  const RegistryIndex replicated = client.registry("ReplicatedEntity");
  const Error error = client.spawner.spawn_type(replicated, TypeId(1)).error();
  CHECK(error.code == (is_cut ? ErrorCode::truncated : ErrorCode::hash_mismatch));
  CHECK(error.message.find("Prefabs/Hero_Client.prefab") != std::string::npos);
  CHECK(client.world.entity_count() == 0);
  CHECK(client.spawner.spawn_type(replicated, TypeId(2)));
  CHECK(client.spawner.spawn_type(replicated, TypeId(3)));
}

TEST_CASE("A plan stays valid without its bundle, and spawning from a plan allocates nothing",
          "[runtime][spawn][sys-13]") {
  Side client("client");
  client.world.reserve(4096, 4096);
  const Guid crate = guid(samples::kCrate);
  REQUIRE(client.spawner.spawn(crate));
  client.store.close_bundle(client.store.catalog().bundle_of(crate).value());
  const std::uint64_t before = allocation_count();
  for (int i = 0; i < 1000; ++i) {
    if (!client.spawner.spawn(crate)) FAIL("a spawn failed");
  }
  CHECK(allocation_count() == before);
  CHECK(client.world.entity_count() == 2002);
}

}  // namespace
}  // namespace muster
