// Tests the history of poses.
#include "runtime/sync/pose_history.h"

#include <cmath>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "registry/components/interpolation.h"
#include "runtime/session/game.h"
#include "runtime/sync/rewound_view.h"
#include "runtime/world/math.h"
#include "tests/support/allocation_counter.h"

namespace muster {
namespace {

constexpr EntityId kRobot(1, 1);
constexpr EntityId kLift(2, 1);
constexpr HitVolume kBody{.center = {0, 1, 0}, .radius = 0.4F, .half_height = 0.6F};

double unit(Random& random) { return static_cast<double>(random.next() >> 11U) * 0x1p-53; }

Quaternion turn(double radians, Vec3 axis = {0, 1, 0}) {
  const auto s = static_cast<float>(std::sin(radians / 2));
  return {axis.x * s, axis.y * s, axis.z * s, static_cast<float>(std::cos(radians / 2))};
}

/// Returns the pose that a client draws: the component, blended by its description.
Transform drawn(const Transform& from, const Transform& to, float fraction) {
  Transform out = from;
  interpolate(description_of<Transform>(), std::as_bytes(std::span(&from, 1)),
              std::as_bytes(std::span(&to, 1)), fraction,
              std::as_writable_bytes(std::span(&out, 1)));
  return out;
}

Pose pose_of(const Transform& transform) { return {transform.position, transform.rotation}; }

void note_one(PoseHistory& history, std::uint32_t tick, const NotedPose& noted) {
  history.begin(Tick(tick));
  REQUIRE(history.note(noted));
  history.end();
}

/// Returns the volumes that exist at the time of a view.
std::vector<std::uint32_t> all(const RewoundView& view) {
  std::vector<std::uint32_t> volumes;
  view.all(volumes);
  return volumes;
}

/// The centers of all volumes at a time.
std::vector<Vec3> centers(const PoseHistory& history, const ViewTime& view) {
  RewoundView rewound;
  rewound.begin(history, view);
  std::vector<Vec3> found;
  for (const std::uint32_t i : all(rewound)) found.push_back(rewound.world_volume(i).center);
  return found;
}

double millimetres(Vec3 a, Vec3 b) { return 1000 * static_cast<double>(length(a - b)); }

TEST_CASE("A target at 20 m/s is at its drawn position, to a millimetre at any fraction of a tick",
          "[sync][lag][sys-60]") {
  Random random(1);
  PoseHistory history({.states = 12, .metres_per_tick_max = 2});
  std::vector<Transform> states;
  constexpr std::uint32_t kStride = 3;  // States of 20 Hz at 60 ticks per second.
  for (std::uint32_t i = 0; i < 12; ++i) {
    // A curve that turns by up to two thirds of a turn per state.
    const double angle = 20.0 / 15 * i * kStride / 60;
    Transform at;
    at.position = {static_cast<float>(900 + 15 * std::cos(angle)), 2,
                   static_cast<float>(-700 + 15 * std::sin(angle))};
    at.rotation = turn(i * 4.0);
    states.push_back(at);
    note_one(history, 600 + i * kStride, {.entity = kRobot, .pose = pose_of(at), .volume = &kBody});
  }
  double error_max = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto state = static_cast<std::uint32_t>(random.below(11));
    const auto fraction = static_cast<float>(unit(random));
    const ViewTime view{Tick(600 + state * kStride), Tick(603 + state * kStride), fraction};
    const Transform shown = drawn(states[state], states[state + 1], fraction);
    const Vec3 center = shown.position + rotated(shown.rotation, kBody.center);
    const std::vector<Vec3> found = centers(history, view);
    REQUIRE(found.size() == 1);
    error_max = std::max(error_max, millimetres(found[0], center));
    // The time is the previous tick plus a fraction, although states are three ticks apart.
    const double ticks = view.ticks();
    const auto whole = static_cast<std::uint32_t>(ticks);
    const ViewTime by_tick = ViewTime::at(Tick(whole), static_cast<float>(ticks - whole));
    error_max = std::max(error_max, millimetres(centers(history, by_tick).at(0), center));
  }
  CHECK(error_max < 1);
}

TEST_CASE("Rotations are blended along the shorter arc", "[sync][lag][sys-60]") {
  PoseHistory history;
  const HitVolume far{.center = {10, 0, 0}};
  const Quaternion end = turn(1.0);
  note_one(history, 10, {.entity = kRobot, .pose = {}, .volume = &far});
  // This rotation is the same as `end`, with all signs negated.
  note_one(history, 11,
           {.entity = kRobot, .pose = {{}, {-end.x, -end.y, -end.z, -end.w}}, .volume = &far});
  const Vec3 half = centers(history, ViewTime::at(Tick(10), 0.5F)).at(0);
  CHECK(millimetres(half, rotated(turn(0.5), {10, 0, 0})) < 0.1);
}

TEST_CASE("No position between the two ends of a teleport is hit", "[sync][lag][sys-60]") {
  const bool is_marked = GENERATE(true, false);
  const Vec3 far = is_marked ? Vec3{0.5F, 0, 0} : Vec3{50, 0, 0};
  PoseHistory history;
  note_one(history, 10, {.entity = kRobot, .pose = {}, .volume = &kBody});
  note_one(history, 11,
           {.entity = kRobot, .pose = {far, {}}, .volume = &kBody, .is_teleported = is_marked});
  note_one(history, 12, {.entity = kRobot, .pose = {far, {}}, .volume = &kBody});
  for (const float fraction : {0.0F, 0.3F, 0.999F}) {
    CHECK(centers(history, ViewTime::at(Tick(10), fraction)).at(0) == kBody.center);
    CHECK(centers(history, {Tick(10), Tick(12), fraction}).at(0) == kBody.center);
  }
  CHECK(centers(history, ViewTime::at(Tick(11))).at(0) == far + kBody.center);
  CHECK(centers(history, ViewTime::at(Tick(11), 0.5F)).at(0) == far + kBody.center);
}

TEST_CASE("A dead entity can be hit at its past positions within the history",
          "[sync][lag][sys-60]") {
  PoseHistory history({.states = 8});
  const NotedPose dying{.entity = kRobot, .pose = {{1, 0, 0}, {}}, .volume = &kBody};
  const EntityId reborn(kRobot.slot(), 2);  // The reused slot.
  const NotedPose born{.entity = reborn, .pose = {{5, 0, 0}, {}}, .volume = &kBody};
  for (std::uint32_t tick = 1; tick <= 4; ++tick) note_one(history, tick, dying);
  history.begin(Tick(5));
  history.end();
  for (std::uint32_t tick = 6; tick <= 9; ++tick) note_one(history, tick, born);

  RewoundView view;
  for (const double ticks : {2.0, 3.5, 4.0, 4.9}) {
    const auto whole = static_cast<std::uint32_t>(ticks);
    view.begin(history, ViewTime::at(Tick(whole), static_cast<float>(ticks - whole)));
    REQUIRE(all(view).size() == 1);
    CHECK(view.target(all(view)[0]) == kRobot);
  }
  view.begin(history, ViewTime::at(Tick(5), 0.5F));
  CHECK(all(view).empty());
  view.begin(history, ViewTime::at(Tick(6)));
  REQUIRE(all(view).size() == 1);
  CHECK(view.target(all(view)[0]) == reborn);
  for (std::uint32_t tick = 10; tick <= 12; ++tick) note_one(history, tick, born);
  CHECK(history.oldest() == Tick(5));
  // The time is too old, so the oldest state is used, which is empty.
  view.begin(history, ViewTime::at(Tick(3)));
  CHECK(all(view).empty());
}

TEST_CASE("A rider on a turning lift is hit at its drawn position, because both poses are blended",
          "[sync][lag][sys-60]") {
  Random random(2);
  PoseHistory history({.states = 16});
  std::vector<std::pair<Transform, Transform>> states;
  const EntityId head(3, 1);
  const HitVolume skull{.center = {0, 0.1F, 0}, .radius = 0.2F, .part = 7};
  for (std::uint32_t i = 0; i < 16; ++i) {
    Transform lift;
    lift.position = {0, static_cast<float>(i) * 0.2F, 30};
    lift.rotation = turn(i * 0.4);
    Transform rider;
    rider.position = {4, 0.5F, static_cast<float>(i) * 0.1F};
    rider.rotation = turn(i * -0.3);
    states.emplace_back(lift, rider);
    history.begin(Tick(100 + i));
    // Children may be added before their parents.
    CHECK(history.note({.entity = head,
                        .target = kRobot,
                        .parent = kRobot,
                        .pose = {{0, 1.7F, 0}, turn(0.2, {1, 0, 0})},
                        .volume = &skull}));
    CHECK(history.note({.entity = kRobot, .parent = kLift, .pose = pose_of(rider)}));
    CHECK(history.note({.entity = kLift, .pose = pose_of(lift)}));
    history.end();
  }
  double error_max = 0;
  double chord_error_max = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto state = static_cast<std::uint32_t>(random.below(15));
    const auto fraction = static_cast<float>(unit(random));
    const auto world = [&](const Transform& lift, const Transform& rider) {
      const Pose body = to_world(pose_of(lift), pose_of(rider));
      return to_world(body, {{0, 1.7F, 0}, turn(0.2, {1, 0, 0})}).position;
    };
    const auto& [lift, rider] = states[state];
    const auto& [next_lift, next_rider] = states[state + 1];
    const Pose bone = to_world(to_world(pose_of(drawn(lift, next_lift, fraction)),
                                        pose_of(drawn(rider, next_rider, fraction))),
                               {{0, 1.7F, 0}, turn(0.2, {1, 0, 0})});
    const Vec3 shown = bone.position + rotated(bone.rotation, skull.center);
    const ViewTime view = ViewTime::at(Tick(100 + state), fraction);
    RewoundView rewound;
    rewound.begin(history, view);
    REQUIRE(all(rewound).size() == 1);
    const std::uint32_t bone_index = all(rewound)[0];
    CHECK(rewound.target(bone_index) == kRobot);
    CHECK(rewound.part(bone_index) == 7);
    error_max = std::max(error_max, millimetres(rewound.world_volume(bone_index).center, shown));
    const Vec3 chord =
        world(lift, rider) * (1 - fraction) + world(next_lift, next_rider) * fraction;
    chord_error_max = std::max(chord_error_max, millimetres(chord, bone.position));
  }
  CHECK(error_max < 1);
  CHECK(chord_error_max > 20);  // The error if poses were blended in world coordinates.
}

TEST_CASE("A change to another lift is not blended, and a removed lift carries no rider",
          "[sync][lag][sys-60]") {
  PoseHistory history;
  const EntityId other(4, 1);
  for (std::uint32_t tick = 1; tick <= 3; ++tick) {
    history.begin(Tick(tick));
    if (tick < 3) CHECK(history.note({.entity = kLift, .pose = {{0, 10, 0}, {}}}));
    CHECK(history.note({.entity = other, .pose = {{0, 11, 0}, {}}}));
    CHECK(history.note({.entity = kRobot,
                        .parent = tick == 1   ? kLift
                                  : tick == 2 ? other
                                              : kLift,
                        .pose = {},
                        .volume = &kBody}));
    history.end();
  }
  CHECK(centers(history, ViewTime::at(Tick(1), 0.5F)).at(0).y == 11);
  CHECK(centers(history, ViewTime::at(Tick(2), 0.5F)).at(0).y == 12);
  CHECK(centers(history, ViewTime::at(Tick(3))).at(0).y == 1);
}

TEST_CASE("A volume keeps its shape of the past when the entity crouches later",
          "[sync][lag][sys-60]") {
  PoseHistory history;
  const HitVolume crouched{.center = {0, 0.5F, 0}, .radius = 0.4F, .half_height = 0.1F};
  note_one(history, 1, {.entity = kRobot, .pose = {}, .volume = &kBody});
  note_one(history, 2, {.entity = kRobot, .pose = {}, .volume = &crouched});
  RewoundView view;
  view.begin(history, ViewTime::at(Tick(1), 0.9F));
  CHECK(view.world_volume(0).half_height == kBody.half_height);
  view.begin(history, ViewTime::at(Tick(2)));
  CHECK(view.world_volume(0).half_height == crouched.half_height);
}

TEST_CASE("A time outside the history gives its nearest state", "[sync][lag][sys-60]") {
  PoseHistory history({.states = 5});
  for (std::uint32_t tick = 1; tick <= 20; ++tick) {
    note_one(history, tick,
             {.entity = kRobot, .pose = {{static_cast<float>(tick), 0, 0}, {}}, .volume = &kBody});
  }
  CHECK(history.state_count() == 5);
  CHECK(centers(history, ViewTime::at(Tick(3), 0.5F)).at(0).x == 16);
  CHECK(centers(history, ViewTime::at(Tick(20), 0.5F)).at(0).x == 20);
  CHECK(centers(history, ViewTime::at(Tick(4000))).at(0).x == 20);
  CHECK(centers(history, {Tick(17), Tick(18), NAN}).at(0).x == 17);
  // The same tick occurs again, as after the load of a level. The old states are removed.
  note_one(history, 7, {.entity = kRobot, .pose = {}, .volume = &kBody});
  CHECK(history.state_count() == 1);
  CHECK(centers(history, ViewTime::at(Tick(18))).at(0).x == 0);
}

TEST_CASE("Ticks near the ends of their range are found like any other", "[sync][lag][sys-60]") {
  for (const std::uint32_t first : {0U, 65'526U, 0x7FFFFFF6U, 0xFFFFFFE0U}) {
    PoseHistory history({.states = 7});  // This number is not a power of two.
    for (std::uint32_t i = 0; i < 20; ++i) {
      note_one(history, first + i,
               {.entity = kRobot, .pose = {{static_cast<float>(i), 0, 0}, {}}, .volume = &kBody});
    }
    for (std::uint32_t i = 13; i < 19; ++i) {
      const Vec3 center = centers(history, ViewTime::at(Tick(first + i), 0.25F)).at(0);
      CHECK(std::abs(center.x - (static_cast<float>(i) + 0.25F)) < 1e-5F);
    }
  }
}

TEST_CASE("500 ms at 60 ticks per second are 32 states, and memory is limited",
          "[sync][lag][sys-60]") {
  using std::chrono::milliseconds;
  CHECK(states_for(milliseconds(500), 60) == 32);
  CHECK(states_for(milliseconds(500), 60, 3) == 12);
  CHECK(states_for(milliseconds(500), 128) == 66);
  PoseHistory history({.states = states_for(milliseconds(500), 60), .entities_max = 64});
  for (std::uint32_t tick = 1; tick < 50; ++tick) {
    history.begin(Tick(tick));
    for (std::uint32_t i = 0; i < 70; ++i) {
      const bool is_kept = history.note({.entity = EntityId(i, 1), .pose = {}, .volume = &kBody});
      CHECK(is_kept == (i < 64));
    }
    history.end();
  }
  CHECK(history.refused() == 49 * 6);
  const double per_state = static_cast<double>(history.memory_bytes()) / 64 / 32;
  CAPTURE(per_state);
  CHECK(per_state < 140);
}

TEST_CASE("Ticks with despawns and spawns allocate nothing", "[sync][lag][sys-60]") {
  PoseHistory history({.states = 32});
  RewoundView view;
  std::vector<std::uint32_t> volumes;
  std::uint64_t before = 0;
  std::uint64_t world_volume_count = 0;
  for (std::uint32_t tick = 1; tick < 1000; ++tick) {
    if (tick == 300) before = allocation_count();
    history.begin(Tick(tick));
    for (std::uint32_t i = 0; i < 64; ++i) {
      const std::uint32_t generation = 1 + (tick + i * 7) / 50;  // Each entity lives for 50 ticks.
      history.note({.entity = EntityId(i, generation),
                    .pose = {{static_cast<float>(i), 0, 0}, {}},
                    .volume = &kBody});
    }
    history.end();
    view.begin(history, ViewTime::at(Tick(tick > 20 ? tick - 20 : tick), 0.5F));
    volumes.clear();
    view.all(volumes);
    for (const std::uint32_t i : volumes) (void)view.world_volume(i);
    world_volume_count += volumes.size();
  }
  CHECK(allocation_count() == before);
  CHECK(world_volume_count > 50'000);
}

}  // namespace
}  // namespace muster
