// Rays, spheres and splash damage against past volumes.
#include "runtime/sync/hit_batch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "runtime/world/math.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/hit_crowd.h"

namespace muster {
namespace {

using samples::HitCrowd;
using samples::unit;

constexpr EntityId kShooter(1, 1);
constexpr EntityId kTarget(2, 1);
constexpr EntityId kOther(3, 1);

/// A history of one state with a volume per entity.
struct Range {
  PoseHistory history;
  RewoundView view;
  std::vector<std::uint32_t> scratch;
  std::vector<Hit> found;

  Range() { history.begin(Tick(1)); }
  void put(EntityId entity, Vec3 at, const HitVolume& volume, EntityId target = {}) {
    REQUIRE(
        history.note({.entity = entity, .target = target, .pose = {at, {}}, .volume = &volume}));
  }
  std::span<const Hit> shoot(const Shot& shot, const Environment& environment = {}) {
    if (history.is_empty()) history.end();
    view.begin(history, ViewTime::at(Tick(1)));
    found.clear();
    resolve_shot(view, shot, environment, scratch, found);
    return found;
  }
  std::vector<SplashHit> splash(const Splash& splash) {
    if (history.is_empty()) history.end();
    view.begin(history, ViewTime::at(Tick(1)));
    std::vector<SplashHit> out;
    resolve_splash(view, splash, scratch, out);
    return out;
  }
};

constexpr Shot kAhead{.shooter = kShooter, .from = {}, .direction = {0, 0, 1}};

TEST_CASE("A shot reports each entity once, nearest first, with the first part that it hits",
          "[sync][lag][sys-61]") {
  Range range;
  range.put(kOther, {0, 0, 20}, {.radius = 1});
  range.put(EntityId(10, 1), {0, 0, 10}, {.radius = 1, .part = 1}, kTarget);
  range.put(EntityId(11, 1), {0, 0, 9}, {.radius = 1, .part = 2}, kTarget);
  const std::span<const Hit> hits = range.shoot(kAhead);
  REQUIRE(hits.size() == 2);
  CHECK(hits[0].entity == kTarget);
  CHECK(hits[0].part == 2);
  CHECK(hits[0].metres == 8);
  CHECK(hits[0].position == Vec3{0, 0, 8});
  CHECK(hits[1].entity == kOther);
  CHECK(hits[1].metres == 19);
}

TEST_CASE("Equal distances are ordered by entity, then part", "[sync][lag][sys-61]") {
  Range range;
  range.put(EntityId(10, 1), {0, 0, 10}, {.radius = 1, .part = 9}, kTarget);
  range.put(kOther, {0, 0, 10}, {.radius = 1});
  range.put(EntityId(11, 1), {0, 0, 10}, {.radius = 1, .part = 4}, kTarget);
  const std::span<const Hit> hits = range.shoot(kAhead);
  REQUIRE(hits.size() == 2);
  CHECK(hits[0].entity == kTarget);
  CHECK(hits[0].part == 4);
  CHECK(hits[1].entity == kOther);
}

TEST_CASE("The shooter, its parts and layers outside of the mask are not hit",
          "[sync][lag][sys-61]") {
  Range range;
  range.put(kShooter, {}, {.radius = 1});
  range.put(EntityId(9, 1), {0, 0, 2}, {.radius = 1}, kShooter);
  range.put(kTarget, {0, 0, 10}, {.radius = 1, .layer = 3});
  range.put(kOther, {0, 0, 20}, {.radius = 1, .layer = 31});
  CHECK(range.shoot(kAhead).size() == 2);
  Shot shot = kAhead;
  shot.layers = 1U << 31U;
  REQUIRE(range.shoot(shot).size() == 1);
  CHECK(range.found[0].entity == kOther);
  shot.layers = 1;
  CHECK(range.shoot(shot).empty());
}

TEST_CASE("The environment stops a shot before the targets behind it", "[sync][lag][sys-61]") {
  Range range;
  range.put(kTarget, {0, 0, 10}, {.radius = 1});
  range.put(kOther, {0, 0, 20}, {.radius = 1});
  float wall = 15;
  const Environment environment{&wall, [](const void* context, Vec3, Vec3, float) {
                                  return *static_cast<const float*>(context);
                                }};
  REQUIRE(range.shoot(kAhead, environment).size() == 1);
  CHECK(range.found[0].entity == kTarget);
  wall = 8.9F;
  CHECK(range.shoot(kAhead, environment).empty());
  wall = NAN;
  CHECK(range.shoot(kAhead, environment).empty());
}

TEST_CASE("Shots with invalid numbers hit nothing", "[sync][lag][sys-61]") {
  Range range;
  range.put(kTarget, {0, 0, 10}, {.radius = 100});
  CHECK(range.shoot(kAhead).size() == 1);
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    Shot shot = kAhead;
    shot.from.x = bad;
    CHECK(range.shoot(shot).empty());
    shot = kAhead;
    shot.direction.z = bad;
    CHECK(range.shoot(shot).empty());
    shot = kAhead;
    shot.radius = bad;
    CHECK(range.shoot(shot).empty());
  }
  Shot shot = kAhead;
  shot.direction = {};
  CHECK(range.shoot(shot).empty());
  shot.direction = {0, 0, 2};
  CHECK(range.shoot(shot).empty());
  shot = kAhead;
  shot.metres_max = NAN;
  CHECK(range.shoot(shot).empty());
  shot.metres_max = INFINITY;
  CHECK(range.shoot(shot).size() == 1);
}

TEST_CASE("A cast touches a volume exactly when its nearest point is a radius away",
          "[sync][lag][sys-61]") {
  Random random(7);
  std::uint32_t touched = 0;
  for (int i = 0; i < 20'000; ++i) {
    const WorldVolume volume =
        to_world(samples::random_volume(random), samples::random_pose(random));
    const Vec3 from = samples::random_vector(random, 12);
    const Vec3 direction = normalised(volume.center + samples::random_vector(random, 2) - from);
    const float radius = i % 2 == 0 ? 0 : static_cast<float>(unit(random));
    const std::optional<float> metres = cast(volume, from, direction, 40, radius);
    const auto gap = [&](float along) {
      const Vec3 at = from + direction * along;
      return length(nearest_point(volume, at) - at) - radius;
    };
    const float end = metres ? *metres : 40;
    for (float along = 0; along < end - 0.01F; along += 0.25F) REQUIRE(gap(along) > -0.001F);
    if (!metres) continue;
    ++touched;
    CAPTURE(i, static_cast<int>(volume.shape), radius);
    REQUIRE(gap(*metres) < 0.001F);
    if (*metres > 0) REQUIRE(gap(*metres) > -0.001F);
  }
  CHECK(touched > 2000);
}

TEST_CASE("A ray from a distance of a kilometre hits a sphere to a millimetre",
          "[sync][lag][sys-61]") {
  Range range;
  range.put(kTarget, {0, 0.4F, 1000}, {.radius = 0.5F});
  Shot shot = kAhead;
  shot.metres_max = 2000;
  const std::span<const Hit> hits = range.shoot(shot);
  REQUIRE(hits.size() == 1);
  CHECK(std::abs(hits[0].metres - 999.7F) < 0.001F);
}

TEST_CASE("The broad phase omits no hit", "[sync][lag][sys-61][sys-63]") {
  Random random(9);
  const HitCrowd crowd(random, 200, 12);
  RewoundView view;
  std::vector<std::uint32_t> scratch;
  std::uint64_t found_count = 0;
  for (int i = 0; i < 3000; ++i) {
    const ViewTime moment = crowd.random_view(random);
    view.begin(crowd.history, moment);
    const Shot shot = crowd.random_shot(random, moment);
    std::vector<Hit> hits;
    resolve_shot(view, shot, {}, scratch, hits);
    std::vector<Hit> all;
    scratch.clear();
    view.all(scratch);
    for (const std::uint32_t volume : scratch) {
      if (view.target(volume) == shot.shooter) continue;
      const auto metres =
          cast(view.world_volume(volume), shot.from, shot.direction, shot.metres_max, shot.radius);
      if (metres) all.push_back({.entity = view.target(volume), .metres = *metres});
    }
    for (const Hit& hit : all) {
      const auto known = std::ranges::find(hits, hit.entity, &Hit::entity);
      REQUIRE(known != hits.end());
      REQUIRE(known->metres <= hit.metres);
    }
    REQUIRE(hits.size() <= all.size());
    found_count += hits.size();
  }
  CHECK(found_count > 500);
}

bool are_equal(const Hit& a, const Hit& b) {
  return a.entity == b.entity && a.part == b.part && a.metres == b.metres &&
         a.position == b.position;
}

TEST_CASE("64 shooters of one tick have the same results in any order and on any number of threads",
          "[sync][lag][sys-61]") {
  Random random(13);
  const HitCrowd crowd(random, 128, 32);
  std::vector<ViewedShot> shots;
  for (int i = 0; i < 64; ++i) {
    const ViewTime view = crowd.random_view(random);
    // A shotgun fires eight shots at the same time.
    for (int pellet = 0; pellet < 8; ++pellet)
      shots.push_back({crowd.random_shot(random, view), view});
  }
  HitBatch expected;
  expected.resolve(crowd.history, shots);
  CHECK(expected.rewind_count() == 64);
  std::size_t hit_count = 0;
  for (std::size_t i = 0; i < shots.size(); ++i) hit_count += expected.hits(i).size();
  CHECK(hit_count > 100);

  std::vector<std::uint32_t> order(shots.size());
  std::iota(order.begin(), order.end(), 0U);
  for (const std::uint32_t threads : {1U, 2U, 3U, 8U}) {
    WorkerPool workers(threads);
    for (int round = 0; round < 4; ++round) {
      for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random.below(i)]);
      std::vector<ViewedShot> shuffled;
      for (const std::uint32_t i : order) shuffled.push_back(shots[i]);
      HitBatch batch;
      batch.resolve(crowd.history, shuffled, {}, &workers);
      for (std::size_t i = 0; i < shots.size(); ++i) {
        REQUIRE(std::ranges::equal(batch.hits(i), expected.hits(order[i]), are_equal));
      }
    }
  }
}

TEST_CASE("A batch that equals the previous batch allocates nothing", "[sync][lag][sys-61]") {
  Random random(13);
  const HitCrowd crowd(random, 64, 32);
  std::vector<ViewedShot> shots;
  for (int i = 0; i < 64; ++i) {
    const ViewTime view = crowd.random_view(random);
    shots.push_back({crowd.random_shot(random, view), view});
  }
  HitBatch batch;
  batch.resolve(crowd.history, shots);
  const std::uint64_t before = allocation_count();
  for (int i = 0; i < 10; ++i) batch.resolve(crowd.history, shots);
  CHECK(allocation_count() == before);
  CHECK(batch.rewind_count() == 11 * 64);
}

TEST_CASE("Splash damage decreases from its full share to the minimum, and ends at its radius",
          "[sync][lag][sys-62]") {
  const Splash splash{.center = {}, .metres = 5, .full_metres = 1, .share_min = 0.2F};
  struct Row {
    float distance, share;
  };
  for (const Row& row : {Row{0, 1}, Row{1, 1}, Row{2, 0.8F}, Row{3, 0.6F}, Row{5, 0.2F}}) {
    Range range;
    range.put(kTarget, {0, 0, row.distance + 0.5F}, {.radius = 0.5F});
    const std::vector<SplashHit> hits = range.splash(splash);
    CAPTURE(row.distance);
    REQUIRE(hits.size() == 1);
    CHECK(hits[0].share == Approx(row.share));
    CHECK(hits[0].hit.metres == Approx(row.distance).margin(1e-6));
  }
  Range range;
  range.put(kTarget, {0, 0, 5.6F}, {.radius = 0.5F});
  CHECK(range.splash(splash).empty());
}

TEST_CASE("Splash damage depends on the distance to a box's nearest point, not to its center",
          "[sync][lag][sys-62]") {
  Range range;
  range.put(kTarget, {4, 0, 0}, {.half_size = {3, 1, 1}});
  range.put(kOther, {0, 4, 4}, {.half_size = {1, 1, 1}});  // Nearest at 3√2.
  const std::vector<SplashHit> hits = range.splash({.metres = 2});
  REQUIRE(hits.size() == 1);
  CHECK(hits[0].hit.entity == kTarget);
  CHECK(hits[0].hit.metres == 1);
}

TEST_CASE("The instigator gets a separate share of a splash, with any layers, or no share",
          "[sync][lag][sys-62]") {
  Range range;
  range.put(kShooter, {0, 0, 1}, {.radius = 0.5F, .layer = 1});
  range.put(kTarget, {0, 0, 2}, {.radius = 0.5F, .layer = 2});
  range.put(kOther, {0, 0, -2}, {.radius = 0.5F, .layer = 1});
  Splash splash{.instigator = kShooter, .full_metres = 5, .instigator_share = 0.5F, .layers = 4};
  const std::vector<SplashHit> both = range.splash(splash);
  REQUIRE(both.size() == 2);
  CHECK(both[0].hit.entity == kShooter);
  CHECK(both[0].share == 0.5F);
  CHECK(both[1].hit.entity == kTarget);
  CHECK(both[1].share == 1);
  splash.instigator_share = 0;
  const std::vector<SplashHit> others = range.splash(splash);
  REQUIRE(others.size() == 1);
  CHECK(others[0].hit.entity == kTarget);
}

}  // namespace
}  // namespace muster
