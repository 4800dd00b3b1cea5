#include "runtime/spawn/effect_player.h"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "runtime/spawn/prefab_instances.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/sample_build.h"

namespace muster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Stage {
  explicit Stage(std::string_view folder = "client", MemoryFileSystem built = samples::build())
      : files(std::move(built)), source(files, AssetPath::parse(folder).value()) {}

  MemoryFileSystem files;
  FileSystemSource source;
  BundleStore store = BundleStore::open(source).value();
  World world{samples::game_components()};
  Spawner spawner{store, world};
};

struct Show : Stage {
  EffectPlayer player = EffectPlayer::create(spawner).value();
  Time now{};

  EffectVerdict explode(float x = 0) {
    return player.request(SpatialEffectRequest{TypeId(1), {x, 0, 0}, {}, now});
  }
  EffectVerdict shoot(Vec3 end) {
    return player.request(HitscanEffectRequest{TypeId(1), {0, 1, 0}, end, now});
  }
  void after(Duration step) {
    now += step;
    player.update(now);
  }
  const EffectInstance& tracer(std::size_t index) const {
    return player.instances(EffectKind::hitscan, TypeId(1))[index];
  }
  const EffectInstance& explosion(std::size_t index) const {
    return player.instances(EffectKind::spatial, TypeId(1))[index];
  }
};

TEST_CASE("Pools are filled with the registered size, and inactive",
          "[runtime][spawn][sys-20][sys-3][sys-4]") {
  Show show;
  CHECK(show.player.instances(EffectKind::spatial, TypeId(1)).size() == 3);
  CHECK(show.player.instances(EffectKind::spatial, TypeId(2)).size() == 1);
  CHECK(show.player.instances(EffectKind::hitscan, TypeId(1)).size() == 2);
  CHECK(show.player.instances(EffectKind::hitscan, TypeId(2)).empty());
  CHECK(show.world.entity_count() == 3 * 2 + 1 + 2);
  CHECK(show.player.playing_count() == 0);
  CHECK_FALSE(show.world.is_active(show.explosion(0).root));
}

TEST_CASE("A spatial effect plays at its position for its duration",
          "[runtime][spawn][sys-20][sys-3]") {
  Show show;
  REQUIRE(show.explode(5) == EffectVerdict::accepted);
  show.after(milliseconds(16));
  CHECK(show.explosion(0).is_playing);
  CHECK(show.world.is_active(show.explosion(0).root));
  CHECK(show.explosion(0).position == Vec3{5, 0, 0});
  show.after(milliseconds(1999));
  CHECK(show.explosion(0).is_playing);
  show.after(milliseconds(1));  // The component's duration of two seconds has passed.
  CHECK_FALSE(show.explosion(0).is_playing);
  CHECK_FALSE(show.world.is_active(show.explosion(0).root));
  CHECK(show.player.counters().ended == 1);
}

TEST_CASE("An effect without its component lasts the default time", "[runtime][spawn][sys-20]") {
  Show show;
  REQUIRE(show.player.request(SpatialEffectRequest{TypeId(2), {}, {}, show.now}) ==
          EffectVerdict::accepted);
  show.after({});
  show.after(milliseconds(999));
  CHECK(show.player.playing_count() == 1);
  show.after(milliseconds(1));
  CHECK(show.player.playing_count() == 0);
}

TEST_CASE("A hitscan effect moves along its line and ends at the line's end",
          "[runtime][spawn][sys-20][sys-4]") {
  Show show;
  REQUIRE(show.shoot({100, 1, 0}) == EffectVerdict::accepted);
  show.after(milliseconds(0));
  CHECK(show.tracer(0).position == Vec3{0, 1, 0});
  show.after(milliseconds(500));  // The component has a speed of 50 m/s.
  CHECK(show.tracer(0).position.x == Approx(25));
  CHECK(show.tracer(0).position.y == 1);
  show.after(milliseconds(1499));
  CHECK(show.tracer(0).is_playing);
  CHECK(show.tracer(0).position.x == Approx(99.95));
  show.after(milliseconds(1));
  CHECK_FALSE(show.tracer(0).is_playing);
  CHECK(show.tracer(0).position == Vec3{100, 1, 0});
}

TEST_CASE("A line without length ends at once", "[runtime][spawn][sys-20]") {
  Show show;
  REQUIRE(show.shoot({0, 1, 0}) == EffectVerdict::accepted);
  show.after({});
  CHECK(show.tracer(0).is_playing);
  show.after({});
  CHECK_FALSE(show.tracer(0).is_playing);
}

TEST_CASE("Without its component, a hitscan effect moves at 100 m/s", "[runtime][spawn][sys-20]") {
  Stage stage;
  EffectPlayer player =
      EffectPlayer::create(stage.spawner, {.hitscan_component = "Nothing"}).value();
  REQUIRE(player.request(HitscanEffectRequest{TypeId(1), {}, {100, 0, 0}, Time()}) ==
          EffectVerdict::accepted);
  player.update(Time());
  player.update(Time(milliseconds(250)));
  CHECK(player.instances(EffectKind::hitscan, TypeId(1))[0].position.x == Approx(25));
  player.update(Time(seconds(1)));
  CHECK(player.playing_count() == 0);
}

TEST_CASE("An effect that begins after a reload has the new prefab's duration",
          "[runtime][spawn][sys-20][reload]") {
  const auto built = [](float explosion_seconds, float tracer_speed) {
    MemoryFileSystem files;
    samples::build_target(
        files, {.values = {.explosion_seconds = explosion_seconds, .tracer_speed = tracer_speed}});
    return files;
  };
  Stage stage("client", built(2, 50));
  Stage newer("client", built(5, 100));
  PrefabInstances instances;
  stage.spawner.note_in(&instances);
  EffectPlayer player = EffectPlayer::create(stage.spawner).value();
  const auto explode = [&](Time now) {
    CHECK(player.request(SpatialEffectRequest{TypeId(1), {}, {}, now}) == EffectVerdict::accepted);
    player.update(now);
  };
  explode(Time());
  CHECK(instances.reload(stage.spawner, newer.store).updated == 3 + 2);
  // A running effect keeps the end time that it had before the reload.
  player.update(Time(milliseconds(1999)));
  CHECK(player.playing_count() == 1);
  player.update(Time(seconds(2)));
  CHECK(player.playing_count() == 0);
  explode(Time(seconds(2)));
  player.update(Time(milliseconds(6999)));
  CHECK(player.playing_count() == 1);
  player.update(Time(seconds(7)));
  CHECK(player.playing_count() == 0);
  REQUIRE(player.request(HitscanEffectRequest{TypeId(1), {}, {100, 0, 0}, Time(seconds(7))}) ==
          EffectVerdict::accepted);
  player.update(Time(seconds(7)));
  player.update(Time(milliseconds(7500)));
  CHECK(player.instances(EffectKind::hitscan, TypeId(1))[0].position.x == Approx(50));
}

TEST_CASE("After a reload the pool, not the prefab, determines which instances are active",
          "[runtime][spawn][sys-20][reload]") {
  const auto built = [](bool is_active) {
    MemoryFileSystem files;
    samples::build_target(files, {.values = {.is_explosion_active = is_active}});
    return files;
  };
  const bool was_active = GENERATE(true, false);
  CAPTURE(was_active);
  Stage stage("client", built(was_active));
  Stage newer("client", built(!was_active));
  PrefabInstances instances;
  stage.spawner.note_in(&instances);
  EffectPlayer player = EffectPlayer::create(stage.spawner).value();
  REQUIRE(player.request(SpatialEffectRequest{TypeId(1), {}, {}, Time()}) ==
          EffectVerdict::accepted);
  player.update(Time());
  REQUIRE(instances.reload(stage.spawner, newer.store).updated == 3);
  player.update(Time(milliseconds(1)));
  REQUIRE(player.playing_count() == 1);
  for (const EffectInstance& instance : player.instances(EffectKind::spatial, TypeId(1))) {
    CHECK(stage.world.is_active(instance.root) == instance.is_playing);
  }
}

TEST_CASE("A full pool reuses the oldest instance", "[runtime][spawn][sys-20]") {
  Show show;
  for (int i = 0; i < 4; ++i) {
    REQUIRE(show.explode(static_cast<float>(i)) == EffectVerdict::accepted);
    show.after(milliseconds(100));
  }
  CHECK(show.player.counters().stolen == 1);
  CHECK(show.explosion(0).position.x == 3);  // This effect has replaced the first effect.
  CHECK(show.explosion(1).position.x == 1);
  CHECK(show.explosion(2).position.x == 2);
  CHECK(show.player.playing_count() == 3);
}

TEST_CASE("A free instance is used before an instance that plays", "[runtime][spawn][sys-20]") {
  Show show;
  REQUIRE(show.shoot({500, 1, 0}) == EffectVerdict::accepted);  // This effect lasts ten seconds.
  // This effect lasts a tenth of a second.
  REQUIRE(show.shoot({5, 1, 0}) == EffectVerdict::accepted);
  show.after({});
  show.after(milliseconds(200));
  REQUIRE(show.shoot({25, 1, 0}) == EffectVerdict::accepted);
  show.after({});
  CHECK(show.player.counters().stolen == 0);
  CHECK(show.tracer(0).end.x == 500);
  CHECK(show.tracer(1).end.x == 25);
  // Both effects play, and the longer effect is older.
  REQUIRE(show.shoot({10, 1, 0}) == EffectVerdict::accepted);
  show.after({});
  CHECK(show.player.counters().stolen == 1);
  CHECK(show.tracer(0).end.x == 10);
}

TEST_CASE("An effect with a cause plays once, even if its tick is computed several times",
          "[runtime][spawn][sys-20][sys-56]") {
  Show show;
  const auto explode_at = [&](std::uint32_t tick) {
    return show.player.request(
        SpatialEffectRequest{TypeId(1), {}, {}, show.now, EffectCause{{{7}, 1}, Tick(tick)}});
  };
  CHECK(explode_at(90) == EffectVerdict::accepted);
  CHECK(explode_at(90) == EffectVerdict::repeated);
  show.after(milliseconds(16));
  CHECK(explode_at(90) == EffectVerdict::repeated);
  CHECK(explode_at(91) == EffectVerdict::accepted);  // A gun may fire in every tick.
  show.after(milliseconds(16));
  CHECK(show.player.counters().played == 2);
  CHECK(show.player.counters().repeated == 2);
  show.player.forget({7});
  CHECK(explode_at(90) == EffectVerdict::accepted);
}

TEST_CASE("If causes are a few ticks apart, a game can treat them as one cause that has moved",
          "[runtime][spawn][sys-20][sys-56]") {
  Stage stage;
  EffectPlayer player = EffectPlayer::create(stage.spawner, {.same_within_ticks = 1}).value();
  const auto explode_at = [&](std::uint32_t tick) {
    return player.request(
        SpatialEffectRequest{TypeId(1), {}, {}, {}, EffectCause{{{7}, 1}, Tick(tick)}});
  };
  CHECK(explode_at(90) == EffectVerdict::accepted);
  CHECK(explode_at(91) == EffectVerdict::repeated);
  CHECK(explode_at(92) == EffectVerdict::accepted);
}

TEST_CASE("A cause plays one effect of each kind, such as a shot's flash and its tracer",
          "[runtime][spawn][sys-20][sys-56]") {
  Show show;
  const EffectCause shot{{{7}, 1}, Tick(90)};
  for (const auto verdict : {EffectVerdict::accepted, EffectVerdict::repeated}) {
    CHECK(show.player.request(SpatialEffectRequest{TypeId(1), {}, {}, show.now, shot}) == verdict);
    CHECK(show.player.request(HitscanEffectRequest{TypeId(1), {}, {9, 0, 0}, show.now, shot}) ==
          verdict);
  }
  show.player.forget({7});
  CHECK(show.player.request(HitscanEffectRequest{TypeId(1), {}, {9, 0, 0}, show.now, shot}) ==
        EffectVerdict::accepted);
}

TEST_CASE("An old event is not played", "[runtime][spawn][sys-20]") {
  const auto [age, played] =
      GENERATE(table<int, std::uint64_t>({{0, 1}, {499, 1}, {500, 0}, {5000, 0}}));
  CAPTURE(age);
  Show show;
  show.now += seconds(100);
  const Time happened_at = show.now - milliseconds(age);
  REQUIRE(show.player.request(SpatialEffectRequest{TypeId(1), {}, {}, happened_at}) ==
          EffectVerdict::accepted);
  REQUIRE(show.player.request(HitscanEffectRequest{TypeId(1), {}, {9, 9, 9}, happened_at}) ==
          EffectVerdict::accepted);
  show.after({});
  CHECK(show.player.counters().played == 2 * played);
  CHECK(show.player.counters().too_late == 2 * (1 - played));
}

TEST_CASE("A game can choose the age from which an effect is not played",
          "[runtime][spawn][sys-20]") {
  Stage stage;
  EffectPlayer player = EffectPlayer::create(stage.spawner, {.expiry = seconds(5)}).value();
  REQUIRE(player.request(SpatialEffectRequest{TypeId(1), {}, {}, Time()}) ==
          EffectVerdict::accepted);
  player.update(Time(seconds(4)));
  CHECK(player.counters().played == 1);
}

TEST_CASE("Invalid requests are refused and counted", "[runtime][spawn][sys-20]") {
  Show show;
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  CHECK(show.player.request(SpatialEffectRequest{TypeId(9), {}, {}, {}}) ==
        EffectVerdict::unknown_effect);
  CHECK(show.player.request(HitscanEffectRequest{TypeId(2), {}, {}, {}}) ==
        EffectVerdict::unknown_effect);
  CHECK(show.explode(kNaN) == EffectVerdict::not_finite);
  CHECK(show.shoot({0, kNaN, 0}) == EffectVerdict::not_finite);
  for (std::size_t i = 0; i < kMaxEffectRequests; ++i) {
    REQUIRE(show.explode() == EffectVerdict::accepted);
  }
  CHECK(show.explode() == EffectVerdict::queue_full);
  CHECK(show.player.counters().refused == 5);
  show.after({});
  CHECK(show.player.counters().played == kMaxEffectRequests);
  CHECK(show.explode() == EffectVerdict::accepted);
}

TEST_CASE("Waiting requests are dropped when a player closes", "[runtime][spawn][sys-20]") {
  Show show;
  REQUIRE(show.explode() == EffectVerdict::accepted);
  REQUIRE(show.shoot({5, 0, 0}) == EffectVerdict::accepted);
  show.player.close();
  show.after(milliseconds(16));
  CHECK(show.player.counters().played == 0);
  CHECK(show.explode() == EffectVerdict::unknown_effect);
}

TEST_CASE("With any finite line and time an effect stays at a finite position",
          "[runtime][spawn][sys-20]") {
  Show show;
  constexpr float kFar = std::numeric_limits<float>::max();
  HitscanEffectRequest line{TypeId(1), {-kFar, kFar, 0}, {kFar, -kFar, kFar}, Time()};
  REQUIRE(show.player.request(line) == EffectVerdict::accepted);
  line.happened_at = Time::min();  // A subtraction from this time would overflow.
  REQUIRE(show.player.request(line) == EffectVerdict::accepted);
  show.after(milliseconds(16));
  CHECK(show.player.counters().played == 1);
  CHECK(show.player.counters().too_late == 1);
  for (int i = 0; i < 5; ++i) {
    show.after(std::chrono::minutes(11));
    const Vec3 position = show.tracer(0).position;
    CHECK((std::isfinite(position.x) && std::isfinite(position.y) && std::isfinite(position.z)));
  }
}

TEST_CASE("Only clients have effects", "[runtime][spawn][sys-20]") {
  Stage server("server");
  CHECK(EffectPlayer::create(server.spawner).error().code == ErrorCode::invalid_argument);
}

TEST_CASE(
    "An effect with a missing bundle affects no other, and plays when the bundle is available",
    "[runtime][spawn][sys-20]") {
  const bool has_placeholder = GENERATE(false, true);
  CAPTURE(has_placeholder);
  Stage stage;
  const auto catalog = stage.store.catalog();
  const CatalogEffect lost = catalog.effect(0);
  const AssetPath bundle =
      AssetPath::parse("client/" + catalog.bundle(lost.bundle).name.path()).value();
  ByteVector buffer;
  const Bytes read = read_whole(stage.files, bundle, 1 << 20, buffer).value();
  const ByteVector bytes(read.begin(), read.end());
  REQUIRE(stage.files.remove(bundle).has_value());
  const Guid placeholder =
      has_placeholder ? catalog.effect(catalog.effect_count() - 1).prefab : Guid();
  EffectPlayer player = EffectPlayer::create(stage.spawner, {.placeholder = placeholder}).value();
  CHECK(player.counters().failed == 1);
  const std::vector<Error> problems = player.drain_problems();
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].message.find("is missing") != std::string::npos);
  CHECK(player.drain_problems().empty());
  Time now{};
  const auto request = [&](std::uint32_t i) {
    const CatalogEffect effect = catalog.effect(i);
    return effect.kind == EffectKind::spatial
               ? player.request(SpatialEffectRequest{effect.type_id, {}, {}, now})
               : player.request(HitscanEffectRequest{effect.type_id, {}, {1, 0, 0}, now});
  };
  CHECK(request(0) == (has_placeholder ? EffectVerdict::accepted : EffectVerdict::missing));
  for (std::uint32_t i = 1; i < catalog.effect_count(); ++i) {
    CHECK(request(i) == EffectVerdict::accepted);
  }
  player.update(now += milliseconds(16));
  CHECK(player.playing_count() == catalog.effect_count() - (has_placeholder ? 0 : 1));
  // The bundle is still missing. A request for a removed pool is dropped.
  static_cast<void>(request(0));
  player.retry();
  player.update(now += milliseconds(16));
  CHECK(player.drain_problems().size() == 1);
  REQUIRE(stage.files.write(bundle, bytes).has_value());
  player.retry();
  stage.world.process_despawns();
  CHECK(player.drain_problems().empty());
  CHECK(player.instances(lost.kind, lost.type_id).size() == lost.pool_size);
  CHECK(request(0) == EffectVerdict::accepted);
  player.update(now += milliseconds(16));
  player.close();
  stage.world.process_despawns();
  CHECK(stage.world.entity_count() == 0);
}

TEST_CASE("A pool of invalid size is refused, and creates no entity", "[runtime][spawn][sys-20]") {
  samples::TargetOptions options;
  options.change = [](CatalogData& data) { data.effects[2].pool_size = 4'000'000'000; };
  MemoryFileSystem files;
  samples::build_target(files, options);
  Stage stage("client", std::move(files));
  CHECK(EffectPlayer::create(stage.spawner).error().code == ErrorCode::limit_exceeded);
  stage.world.process_despawns();
  CHECK(stage.world.entity_count() == 0);
}

TEST_CASE("Requesting and updating allocate nothing", "[runtime][spawn][sys-20]") {
  Show show;
  const std::uint64_t before = allocation_count();
  bool is_accepted = true;
  for (int i = 0; i < 500; ++i) {
    is_accepted &= show.explode() == EffectVerdict::accepted;
    is_accepted &= show.shoot({5, 0, 0}) == EffectVerdict::accepted;
    show.after(milliseconds(16));
  }
  CHECK(allocation_count() == before);
  CHECK(is_accepted);
}

}  // namespace
}  // namespace muster
