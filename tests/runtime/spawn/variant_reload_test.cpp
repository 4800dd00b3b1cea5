// A game changes its choice of variants while it runs, and then uses another store.
#include <algorithm>

#include <catch2/catch.hpp>

#include "bundler/cook/prefab_writer.h"
#include "bundler/pack/bundle_writer.h"
#include "bundler/pack/catalog_writer.h"
#include "runtime/spawn/level.h"
#include "runtime/spawn/prefab_instances.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/sample_build.h"

namespace muster {
namespace {

using samples::guid;
using samples::Life;

constexpr Time kStart{};

/// Returns a crate of one entity with another life.
ByteVector low_crate() {
  const std::vector<ComponentDescription> components = samples::game_components();
  const auto life = std::ranges::find(components, "Life", &ComponentDescription::name);
  const Life value{80, 2};
  const Bytes bytes = std::as_bytes(std::span(&value, 1));
  const PrefabEntity crate{
      .name = "Crate",
      .source_id = 0,
      .parent = {},
      .is_active = true,
      .components = {{.type = "Life",
                      .document = {},
                      .cooked = CookedComponent{life->hash(), {bytes.begin(), bytes.end()}}}}};
  const ByteVector prefab = encode_prefab({{crate}}).value();
  const PackEntry entry{guid(samples::kCrate), kFlattenedPrefab, EntryKind::prefab, prefab};
  return pack_bundle({&entry, 1}).value();
}

BundleName low_name() { return BundleName::of_variant(guid(samples::kCrate), "quality=low"); }

MemoryFileSystem varied_build() {
  MemoryFileSystem files;
  samples::TargetOptions options;
  options.change = [](CatalogData& data) {
    const ByteVector bundle = low_crate();
    data.variant_values = {{"quality", "low", false, false}, {"quality", "high", true, false}};
    data.bundles.push_back(
        {low_name(), BundleReader::open(bundle).value().bundle_hash(), bundle.size(), {}});
    data.alternatives.push_back({BundleName::of_prefab(guid(samples::kCrate)), low_name(), {0}});
  };
  samples::build_target(files, options);
  const AssetPath path = AssetPath::parse("client/" + low_name().path()).value();
  REQUIRE(files.write(path, low_crate()).has_value());
  return files;
}

BundleStore open(const BundleSource& source, std::string_view quality) {
  const VariantSetting setting{"quality", quality};
  return BundleStore::open(source, {}, nullptr, {&setting, 1}).value();
}

TEST_CASE("Live entities are updated to another choice of variants", "[runtime][spawn][variant]") {
  const MemoryFileSystem files = varied_build();
  const FileSystemSource source(files, AssetPath::parse("client").value());
  BundleStore high = open(source, "high");
  BundleStore low = open(source, "low");
  World world{samples::game_components()};
  const ComponentHandle<Life> life = world.component<Life>("Life");
  PrefabInstances instances;
  Spawner spawner(high, world);
  spawner.note_in(&instances);
  const EntityId crate = spawner.spawn(guid(samples::kCrate)).value().root;
  CHECK(world.get(life, crate)->current == 50);
  CHECK_FALSE(world.first_child(crate).is_null());

  const ReloadReport report = instances.reload(spawner, low);
  world.process_despawns();
  CHECK(report.failed == 0);
  CHECK(report.changed == std::vector<Guid>{guid(samples::kCrate)});
  REQUIRE(world.is_alive(crate));
  CHECK(world.get(life, crate)->current == 80);
  CHECK(world.first_child(crate).is_null());
  const EntityId later = spawner.spawn(guid(samples::kCrate)).value().root;
  CHECK(world.get(life, later)->current == 80);
  // Only the other variant depends on the picture.
  CHECK_FALSE(low.is_open(low.catalog().bundle_of(guid(samples::kPicture)).value()));
  CHECK(high.is_open(high.catalog().bundle_of(guid(samples::kPicture)).value()));
}

TEST_CASE("A level uses another choice of variants", "[runtime][spawn][sys-14][variant]") {
  const MemoryFileSystem files = varied_build();
  const FileSystemSource source(files, AssetPath::parse("client").value());
  BundleStore high = open(source, "high");
  BundleStore low = open(source, "low");
  World world{samples::game_components()};
  Spawner spawner(high, world);
  SteppedLoads executor(source, high.catalog());
  SteppedLoads low_executor(source, low.catalog());
  BundleLoader loader(high, executor, {});
  BundleLoader low_loader(low, low_executor, {});
  Level level(spawner, loader, {.replicated_component = "Life"});
  level.load(guid(samples::kLevel));
  for (int i = 0; i < 12; ++i) {
    loader.update(kStart);
    level.update();
  }
  REQUIRE(level.state() == LevelState::ready);
  level.follow(low_loader);
  for (int i = 0; i < 12; ++i) {
    low_loader.update(kStart);
    level.update();
  }
  CHECK(level.state() == LevelState::ready);
  const std::uint32_t crate = low.catalog().bundle_of(guid(samples::kCrate)).value();
  CHECK(low.is_open(crate));
  CHECK(low.catalog().bundle(low.chosen(crate)).name == low_name());
  level.unload();
}

}  // namespace
}  // namespace muster
