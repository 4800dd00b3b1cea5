// Effects of a world with rollbacks: no effect of a repeated tick is lost or played twice.
#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

#include "registry/components/describe.h"
#include "runtime/spawn/effect_player.h"
#include "runtime/world/snapshot_ring.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/sample_build.h"

namespace muster {
namespace {

struct Gun {
  std::int32_t number = 0;
  std::uint32_t fired_tick = 0;
};
consteval auto describe(Type<Gun>) {
  return Describe<Gun>("Gun").field<&Gun::number>("number").field<&Gun::fired_tick>("firedTick");
}

struct Shot {
  std::int32_t gun = 0;
  std::uint32_t tick = 0;
  friend auto operator<=>(const Shot&, const Shot&) = default;
};
using Shots = std::set<Shot>;

// Returns the first shot within `within` ticks of `shot`, or `shots.end()` if there is no such
// shot.
Shots::const_iterator find_near(const Shots& shots, const Shot& shot, std::uint32_t within) {
  const auto first = shots.lower_bound({shot.gun, shot.tick - std::min(shot.tick, within)});
  const bool is_near =
      first != shots.end() && first->gun == shot.gun && first->tick <= shot.tick + within;
  return is_near ? first : shots.end();
}

constexpr std::int32_t kGuns = 3;
constexpr std::uint32_t kTicks = 400;
constexpr std::uint32_t kDepth = 32;
constexpr std::uint32_t kBehindMax = 28;  // The delay of the server's results: 0.47 s.
constexpr Duration kTickTime = std::chrono::nanoseconds(std::chrono::seconds(1)) / 60;

MemoryFileSystem build_with_large_pools() {
  samples::TargetOptions options;
  options.change = [](CatalogData& data) {
    for (EffectData& effect : data.effects) effect.pool_size = 128;
  };
  MemoryFileSystem files;
  samples::build_target(files, options);
  return files;
}

/// A client that predicts shots, receives the real shots later, and then computes ticks again. It
/// requests effects after every computed tick, and shows a frame after each new tick.
class PredictingClient {
 public:
  PredictingClient(std::uint32_t seed, std::uint32_t same_within_ticks)
      : random_(seed), within_(same_within_ticks) {
    for (std::int32_t i = 0; i < kGuns; ++i) game_.add(gun_, game_.create(), {i, 0});
    past_.capture(Tick(0));
    // Shots are as dense as `within_` allows, sometimes with a pause.
    const std::uint32_t interval = 2 * within_ + 1;
    for (std::int32_t gun = 0; gun < kGuns; ++gun) {
      std::uint32_t tick = 1 + number(5);
      for (; tick <= kTicks; tick += interval + (one_in(3) ? number(20) : 0)) {
        truth_.insert({gun, tick});
      }
    }
  }

  void play() {
    while (now_ < kTicks) {
      if (one_in(6) || now_ - known_ >= kBehindMax) receive_truth(known_ + 1 + number(12));
      compute(++now_);
      show();
    }
    receive_truth(kTicks);
    show();
  }

  const Shots& truth() const { return truth_; }
  /// Returns all shots that the client's world has contained at any time.
  const Shots& computed() const { return computed_; }
  const std::vector<Shot>& played() const { return played_; }
  const EffectCounters& counters() const { return player_.counters(); }

 private:
  std::uint32_t number(std::uint32_t below) {
    return static_cast<std::uint32_t>(random_() % below);
  }
  bool one_in(std::uint32_t chance) { return number(chance) == 0; }

  /// Receives the real shots up to a tick, and computes at least the ticks since the last received
  /// tick again.
  void receive_truth(std::uint32_t known) {
    const std::uint32_t back = known_ - std::min(known_, one_in(2) ? number(4) : 0);
    known_ = std::min(known, now_);
    REQUIRE(past_.restore(Tick(back)));
    for (std::uint32_t tick = back + 1; tick <= now_; ++tick) compute(tick);
  }

  /// Returns a random prediction, which may be right, near or wrong, and may change.
  bool predicts(std::int32_t gun, std::uint32_t tick) {
    const bool is_near = find_near(truth_, {gun, tick}, within_) != truth_.end();
    return truth_.contains({gun, tick}) ? !one_in(4) : one_in(is_near ? 6 : 30);
  }

  void compute(std::uint32_t tick) {
    for (Gun& gun : game_.values(gun_)) {
      const Shot shot{gun.number, tick};
      if (tick <= known_ ? truth_.contains(shot) : predicts(gun.number, tick)) {
        gun.fired_tick = tick;
        computed_.insert(shot);
      }
    }
    past_.capture(Tick(tick));
    for (const Gun& gun : game_.values(gun_)) {
      if (gun.fired_tick == 0) continue;
      const Vec3 position{static_cast<float>(gun.number), static_cast<float>(gun.fired_tick), 0};
      const EffectCause cause{{{gun.number}, 1}, Tick(gun.fired_tick)};
      const Time happened_at = Time(gun.fired_tick * kTickTime);
      const EffectVerdict verdict =
          player_.request(SpatialEffectRequest{TypeId(1), position, {}, happened_at, cause});
      REQUIRE((verdict == EffectVerdict::accepted || verdict == EffectVerdict::repeated));
    }
  }

  void show() {
    frame_ += kTickTime;
    player_.update(frame_);
    for (const EffectInstance& one : player_.instances(EffectKind::spatial, TypeId(1))) {
      if (!one.is_playing || one.started_at != frame_) continue;
      played_.push_back(
          {static_cast<std::int32_t>(one.position.x), static_cast<std::uint32_t>(one.position.y)});
    }
  }

  std::mt19937 random_;
  std::uint32_t within_;
  std::uint32_t now_ = 0;
  std::uint32_t known_ = 0;
  Time frame_{};
  Shots truth_;
  Shots computed_;
  std::vector<Shot> played_;

  World game_{std::vector<ComponentDescription>{description_of<Gun>()}};
  ComponentHandle<Gun> gun_ = game_.component<Gun>("Gun");
  SnapshotRing past_{game_, kDepth};

  MemoryFileSystem files_ = build_with_large_pools();
  FileSystemSource source_{files_, AssetPath::parse("client").value()};
  BundleStore store_ = BundleStore::open(source_).value();
  World view_{samples::game_components()};
  Spawner spawner_{store_, view_};
  EffectPlayer player_ = EffectPlayer::create(spawner_, {.same_within_ticks = within_}).value();
};

TEST_CASE("With any rollbacks, each shot of the world plays exactly once",
          "[runtime][spawn][sys-20][sys-56][property]") {
  const auto within = GENERATE(0U, 1U, 2U);
  const auto seed = GENERATE(range(1U, 21U));
  CAPTURE(within, seed);
  PredictingClient client(seed, within);
  client.play();
  const Shots played(client.played().begin(), client.played().end());
  REQUIRE(played.size() == client.played().size());  // no duplicates
  CHECK(client.counters().played == played.size());
  CHECK(client.counters().too_late == 0);
  Shots others = played;
  for (const Shot& shot : client.truth()) {  // Each real shot has a separate effect.
    CAPTURE(shot.gun, shot.tick);
    auto found = others.find(shot);
    if (found == others.end()) found = find_near(others, shot, within);
    REQUIRE(found != others.end());
    others.erase(found);
  }
  CHECK_FALSE(others.empty());
  for (const Shot& shot : others) {  // Shown shots that were wrong predictions.
    CAPTURE(shot.gun, shot.tick);
    REQUIRE(client.computed().contains(shot));
  }
  for (const Shot& shot : client.computed()) {
    CAPTURE(shot.gun, shot.tick);
    const auto found = find_near(played, shot, within);
    REQUIRE(found != played.end());
  }
  for (const Shot& shot : played) {  // A shot that moved by one or two ticks did not play again.
    CAPTURE(shot.gun, shot.tick);
    const auto next = played.upper_bound(shot);
    REQUIRE((next == played.end() || next->gun != shot.gun || next->tick > shot.tick + within));
  }
  CHECK(client.counters().repeated > played.size());
}

}  // namespace
}  // namespace muster
