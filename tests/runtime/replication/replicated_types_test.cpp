#include "runtime/replication/replicated_types.h"

#include <catch2/catch.hpp>

#include "runtime/replication/members.h"
#include "tests/support/bridge_stage.h"

namespace muster {

TEST_CASE(
    "A type's replicated components are the components of its prefab, in the order of the group",
    "[runtime][replication][sys-17][sys-39]") {
  samples::BridgeStage stage;
  const ReplicationSchema& schema = stage.types.schema;
  REQUIRE(schema.types.size() == 3);
  const auto names = [&](TypeId id) {
    std::vector<std::string> found;
    for (const SchemaComponent component : schema.type(schema.find_type(id).value()).components) {
      found.push_back(schema.component(component).name);
    }
    return found;
  };
  CHECK(names(samples::kHeroType) == std::vector<std::string>{"Body", "Life", "1/Body"});
  CHECK(names(samples::kCrateType) == std::vector<std::string>{"Body", "Life", "1/Body"});
  CHECK(names(samples::kFactoryType) == std::vector<std::string>{"Life"});
  CHECK(schema.components.size() == 3);
  CHECK(find_fault(schema) == nullptr);
  // The layout has the same components as a live entity.
  const EntityId hero = stage.spawn(0, samples::kHeroType);
  std::vector<GroupComponent> group;
  list_group(stage.world, hero, group);
  const auto& layout = stage.types.layouts[schema_index(schema.find_type(TypeId(1)).value())];
  std::vector<Creation> members;
  list_members(stage.world, nullptr, hero, members);
  REQUIRE(group.size() == layout.size());
  for (std::size_t i = 0; i < group.size(); ++i) {
    CHECK(group[i] == GroupComponent{members[layout[i].member].entity, layout[i].component});
  }
  CHECK(layout[1].first_value == 4);
  CHECK(layout[2].first_value == 6);
}

TEST_CASE("The initial values of a type are the values of its prefab", "[runtime][replication]") {
  samples::BridgeStage stage;
  const ReplicationSchema& schema = stage.types.schema;
  for (const TypeId type : {samples::kHeroType, samples::kCrateType, samples::kFactoryType}) {
    const SchemaType found = schema.find_type(type).value();
    const EntityId entity = stage.spawn(static_cast<std::int32_t>(found), type);
    std::vector<std::int64_t> values(schema.value_count(found));
    stage.run(1);
    REQUIRE(stage.sender.values({static_cast<std::int32_t>(found)}, values));
    CHECK(values == schema.type(found).initial_values);
    stage.world.request_despawn(entity);
  }
}

TEST_CASE("Parts for the owner and for other clients follow the parts for all clients",
          "[runtime][replication][sys-17][sys-40]") {
  std::vector<ComponentDescription> components = samples::game_components();
  for (FieldDescription& field : components[0].fields) field.receivers = Receivers::all_but_owner;
  for (FieldDescription& field : components[2].fields) field.receivers = Receivers::owner;
  samples::BridgeStage stage(components);
  const ReplicationSchema& schema = stage.types.schema;
  std::vector<std::string> found;
  for (const SchemaComponent component :
       schema.type(schema.find_type(TypeId(2)).value()).components) {
    found.push_back(schema.component(component).name);
  }
  CHECK(found == std::vector<std::string>{"Life", "Body", "1/Body"});
}

TEST_CASE("Local components are not sent", "[runtime][replication]") {
  samples::BridgeStage stage;
  constexpr std::string_view kLocal[] = {"Body"};
  const ReplicatedTypes types =
      replicated_types(stage.spawner, {.registry = samples::kStageRegistry, .local = kLocal})
          .value();
  REQUIRE(types.schema.components.size() == 1);
  CHECK(types.schema.components[0].name == "Life");
}

TEST_CASE("A registry that cannot be replicated is an error with a reason",
          "[runtime][replication]") {
  samples::BridgeStage stage;
  const auto none = replicated_types(stage.spawner, {.registry = RegistryIndex{99}, .local = {}});
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().code == ErrorCode::not_found);
  MemoryFileSystem files = samples::build();
  REQUIRE(files.remove(AssetPath::parse("server/" + samples::bundle_path(samples::kCrate)).value())
              .has_value());
  const FileSystemSource source(files, AssetPath::parse("server").value());
  BundleStore store = BundleStore::open(source).value();
  World world(samples::game_components());
  Spawner spawner(store, world);
  const auto missing =
      replicated_types(spawner, {.registry = samples::kStageRegistry, .local = {}});
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().code == ErrorCode::not_found);
}

TEST_CASE("Members are named by their index", "[runtime][replication]") {
  struct Row {
    const char* reason;
    const char* name;
    std::optional<MemberComponent> expected;
  };
  const auto row = GENERATE(
      Row{"the root's", "Life", MemberComponent{0, "Life"}},
      Row{"below it", "12/Life", MemberComponent{12, "Life"}},
      Row{"no number", "x/Life", std::nullopt}, Row{"nothing", "/Life", std::nullopt},
      Row{"another spelling", "01/Life", std::nullopt},
      Row{"the root, spelt", "0/Life", std::nullopt}, Row{"too many", "255/Life", std::nullopt},
      Row{"far too many", "99999999999/Life", std::nullopt},
      Row{"a sign", "-1/Life", std::nullopt});
  CAPTURE(row.reason, row.name);
  CHECK(member_component(row.name) == row.expected);
  if (row.expected) CHECK(wire_name(*row.expected) == row.name);
}

TEST_CASE(
    "An entity that was spawned separately below another entity is not a member of that entity",
    "[runtime][replication]") {
  World world(samples::game_components_with_links());
  const auto link = world.component<PrefabLink>("PrefabLink");
  const EntityId root = world.create();
  world.add(link, root, {});
  const EntityId own = world.create({.parent = root});
  const EntityId below = world.create({.parent = own});
  const EntityId other = world.create({.parent = root});
  world.add(link, other, {});
  world.create({.parent = other});
  const EntityId last = world.create({.parent = root});
  std::vector<Creation> members;
  list_members(world, nullptr, root, members);
  CHECK(members == std::vector<Creation>{world.creation(root), world.creation(own),
                                         world.creation(below), world.creation(last)});
  list_members(world, nullptr, EntityId(), members);
  CHECK(members.empty());
}

}  // namespace muster
