// The playback clock of received snapshots, over simulated links.
#include "runtime/sync/jitter_buffer.h"

#include <catch2/catch.hpp>

#include "runtime/sync/variance_buffer.h"
#include "tests/runtime/sync/sync_links.h"
#include "tests/support/allocation_counter.h"

namespace muster {
namespace {

constexpr double kIntervalMs = 50;

JitterOptions options_of(JitterPolicy policy) {
  return {.ticks_per_second = 60, .snapshot_ticks = 3, .policy = policy};
}

std::vector<ShownFrame> play_default(const Link& link, const StageOptions& options = {}) {
  const auto buffer = make_jitter_buffer(options_of(JitterPolicy::quantile));
  return play_link(*buffer, link, options);
}

/// Returns the delay of the shown time behind the server's time.
double behind(const ShownFrame& frame) { return frame.now_ms - frame.shown_ms; }

double behind_at(const std::vector<ShownFrame>& frames, double ms) {
  const auto found = std::ranges::lower_bound(frames, ms, {}, &ShownFrame::now_ms);
  return found == frames.end() ? -1e9 : behind(*found);
}

double behind_max(const std::vector<ShownFrame>& frames, double from_ms, double until_ms) {
  double maximum = -1e9;
  for (const ShownFrame& one : frames) {
    if (one.now_ms >= from_ms && one.now_ms < until_ms) maximum = std::max(maximum, behind(one));
  }
  return maximum;
}

/// Returns how often the clock changes from more than 1 % fast to more than 1 % slow, or back.
int speed_changes(const std::vector<ShownFrame>& frames, double from_ms, double until_ms) {
  int changes = 0;
  int last = 0;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    if (frames[i].now_ms < from_ms || frames[i].now_ms >= until_ms) continue;
    const double speed =
        (frames[i].shown_ms - frames[i - 1].shown_ms) / (frames[i].now_ms - frames[i - 1].now_ms);
    const int sign = speed > 1.01 ? 1 : speed < 0.99 ? -1 : 0;
    if (sign != 0 && last != 0 && sign != last) ++changes;
    if (sign != 0) last = sign;
  }
  return changes;
}

Link constant_delay(double delay_ms) {
  return [=](double) { return delay_ms; };
}

/// Returns a link on which packets that are sent during a stall arrive at its end.
Link with_stall(double from_ms, double until_ms) {
  return [=](double sent) {
    return sent >= from_ms && sent < until_ms ? std::max(20.0, until_ms - sent) : 20.0;
  };
}

TEST_CASE("No policy shows a tick before the first snapshot", "[sync][sys-53][sys-81]") {
  const auto policy =
      GENERATE(JitterPolicy::quantile, JitterPolicy::variance, JitterPolicy::newest);
  const auto buffer = make_jitter_buffer(options_of(policy));
  CHECK(buffer->shown(at_ms(5)) == 0);
  buffer->note(Tick(7), at_ms(10));
  CHECK(buffer->shown(at_ms(10)) <= 7);
}

TEST_CASE("On random links, no policy shows an earlier tick than the previously shown tick",
          "[sync][sys-53][sys-81]") {
  const auto policy =
      GENERATE(JitterPolicy::quantile, JitterPolicy::variance, JitterPolicy::newest);
  const auto seed = GENERATE(take(20, random(1U, 1'000'000U)));
  CAPTURE(seed, policy);
  const auto buffer = make_jitter_buffer(options_of(policy));
  const auto frames = play_link(*buffer, random_link(seed), {});
  REQUIRE(frames.size() > 1700);
  for (std::size_t i = 1; i < frames.size(); ++i) {
    REQUIRE(frames[i].shown_ms >= frames[i - 1].shown_ms - 1e-6);
  }
}

TEST_CASE("On random links the default plays at 0.85 to 1.1 times real time, or jumps",
          "[sync][sys-53][sys-81]") {
  const auto seed = GENERATE(take(20, random(1U, 1'000'000U)));
  CAPTURE(seed);
  const auto buffer = make_jitter_buffer(options_of(JitterPolicy::quantile));
  const auto frames = play_link(*buffer, random_link(seed), {});
  std::uint64_t jumps = 0;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    const double passed = frames[i].now_ms - frames[i - 1].now_ms;
    const double step = frames[i].shown_ms - frames[i - 1].shown_ms;
    const bool is_jump = step > 1.1 * passed + 1e-6 || step < 0.85 * passed - 1e-6;
    if (is_jump) ++jumps;
    if (is_jump) CHECK(step > 150);
  }
  CHECK(jumps == buffer->reseats());
}

TEST_CASE("On random links, the default policy is between one interval and half a second behind",
          "[sync][sys-53][sys-81]") {
  const auto seed = GENERATE(take(20, random(1U, 1'000'000U)));
  CAPTURE(seed);
  const auto frames = play_default(random_link(seed));
  for (const ShownFrame& one : frames) {
    if (one.now_ms < 2000) continue;
    REQUIRE(behind(one) > 20 + kIntervalMs * 0.9);
    REQUIRE(behind(one) < 520);
  }
}

TEST_CASE(
    "On a steady link, the default policy interpolates, and is little more than an interval behind",
    "[sync][sys-53][sys-81]") {
  const double frame_ms = GENERATE(1000.0 / 15, 1000.0 / 30, 1000.0 / 59.94, 1000.0 / 144, 1.0);
  CAPTURE(frame_ms);
  const auto frames = play_default(constant_delay(20), {.frame_ms = frame_ms});
  int beyond = 0;
  for (const ShownFrame& one : frames) {
    if (one.now_ms < 2000) continue;
    CHECK(behind(one) <= 20 + kIntervalMs + 12);
    if (one.shown_ms > one.newest_ms) ++beyond;
  }
  CHECK(beyond <= static_cast<int>(frames.size() / 20));
}

TEST_CASE(
    "One spike of 300 ms raises the delay by at most 100 ms, and for at most two seconds [P7]",
    "[sync][sys-53][sys-81]") {
  const auto frames =
      play_default([](double sent) { return std::abs(sent - 10'000) < 2 ? 320.0 : 20.0; });
  const double before = behind_at(frames, 9900);
  CHECK(behind_max(frames, 10'000, 12'000) < before + 100);
  CHECK(behind_max(frames, 12'500, 30'000) < before + 10);
}

TEST_CASE("Twenty stalls in ten seconds are buffered, not ignored [P7]", "[sync][sys-53][sys-81]") {
  const auto frames = play_default([](double sent) {
    const double phase = std::fmod(sent + 1, 500);
    return sent >= 9999 ? std::max(20.0, 120 - phase) : 20.0;
  });
  CHECK(behind_at(frames, 9900) < 20 + kIntervalMs + 12);
  CHECK(behind_at(frames, 20'000) > 95);
}

TEST_CASE("The view follows a step of the delay once, within two seconds, never backward [P5]",
          "[sync][sys-53][sys-81]") {
  const auto frames =
      play_default([](double sent) { return sent >= 10'000 && sent < 20'000 ? 110.0 : 10.0; });
  const double low = behind_at(frames, 9900);
  const double high = behind_at(frames, 19'900);
  CHECK(high > low + 90);
  CHECK(high < low + 120);
  CHECK(behind_max(frames, 12'000, 20'000) < high + 40);
  CHECK(std::abs(behind_at(frames, 12'000) - high) < 40);
  CHECK(std::abs(behind_at(frames, 22'000) - low) < 20);
  CHECK(speed_changes(frames, 9900, 19'900) <= 1);
  CHECK(speed_changes(frames, 19'900, 29'900) <= 1);
  for (std::size_t i = 1; i < frames.size(); ++i) {
    REQUIRE(frames[i].shown_ms >= frames[i - 1].shown_ms);
  }
}

TEST_CASE("When the delay becomes shorter, the view moves to the new delay without overshoot [S53]",
          "[sync][sys-53][sys-81]") {
  const auto frames =
      play_default([](double ms) { return ms < 10'000 ? 120.0 : 20.0; }, {.seconds = 30});
  const auto baseline = play_default(constant_delay(20), {.seconds = 30});
  // Snapshots are 50 ms apart, and arrive 20 ms after they were sent.
  double behind_min = 1e9;
  for (const ShownFrame& one : frames) {
    if (one.now_ms > 10'000) behind_min = std::min(behind_min, behind(one));
  }
  CHECK(behind_min > 45);
  CHECK(behind_at(frames, 9000) > behind_at(baseline, 9000) + 80);
  CHECK(behind_at(frames, 25'000) == Approx(behind_at(baseline, 25'000)).margin(15));
}

TEST_CASE("A drift of 200 ppm for an hour does not change the delay [P6, S37]",
          "[sync][sys-53][sys-81]") {
  const double speed = GENERATE(1 - 200e-6, 1 + 200e-6);
  const auto buffer = make_jitter_buffer(options_of(JitterPolicy::quantile));
  const auto frames =
      play_link(*buffer, constant_delay(20), {.seconds = 3600, .server_speed = speed});
  double low = 1e9;
  double high = -1e9;
  for (const ShownFrame& one : frames) {
    if (one.now_ms < 10'000) continue;
    // The drift of the server's clock is not a delay.
    const double drifted = one.now_ms * (speed - 1);
    low = std::min(low, behind(one) + drifted);
    high = std::max(high, behind(one) + drifted);
  }
  CHECK(high - low < 18);
  CHECK(buffer->reseats() == 0);
}

TEST_CASE("A second after a stall of the link the delay is as before [F23, S28]",
          "[sync][sys-53][sys-81]") {
  const double stall_ms = GENERATE(300.0, 1000.0, 10'000.0, 31'000.0);
  CAPTURE(stall_ms);
  const double end = 10'000 + stall_ms;
  const auto buffer = make_jitter_buffer(options_of(JitterPolicy::quantile));
  const auto frames = play_link(*buffer, with_stall(10'000, end), {.seconds = 45});
  const double before = behind_at(frames, 9900);
  CHECK(behind_max(frames, end + 1000, 45'000) < before + kIntervalMs);
  CHECK(buffer->reseats() <= 1);
}

TEST_CASE("A second after the client was stopped the delay is as before [P11, S27, S54, S57]",
          "[sync][sys-53][sys-81]") {
  const double stop_ms = GENERATE(1000.0, 10'000.0, 60'000.0);
  CAPTURE(stop_ms);
  const double end = 10'000 + stop_ms;
  const auto buffer = make_jitter_buffer(options_of(JitterPolicy::quantile));
  const auto frames =
      play_link(*buffer, constant_delay(20),
                {.seconds = 80, .stopped_from_ms = 10'000, .stopped_until_ms = end});
  CHECK(behind_max(frames, end + 1000, 80'000) < behind_at(frames, 9900) + 70);
  CHECK(buffer->reseats() <= 1);
}

TEST_CASE("A server that stalls every 10 s does not change the delay [S83]",
          "[sync][sys-53][sys-81]") {
  const auto frames = play_default([](double sent) {
    const double phase = std::fmod(sent, 10'000);
    return phase > 9600 ? std::max(20.0, 10'000 - phase) : 20.0;
  });
  for (const double stall : {10'000.0, 20'000.0}) {
    CHECK(behind_max(frames, stall + 1000, stall + 9500) < 20 + 2 * kIntervalMs + 12);
  }
}

TEST_CASE("A client at one frame per second reaches its delay and does not run fast forever [S55]",
          "[sync][sys-53][sys-81]") {
  const auto buffer = make_jitter_buffer(options_of(JitterPolicy::quantile));
  const auto frames = play_link(*buffer, constant_delay(20), {.frame_ms = 1000});
  REQUIRE(frames.size() > 20);
  for (std::size_t i = 5; i < frames.size(); ++i) {
    CHECK(std::abs(frames[i].shown_ms - frames[i - 1].shown_ms - 1000) < 20);
  }
}

TEST_CASE("A server that has run for months is played exactly like a new server [S22]",
          "[sync][sys-53][sys-81]") {
  const auto young = play_default(random_link(5));
  const auto old = play_default(random_link(5), {.first_tick = 4'000'000'000});
  REQUIRE(young.size() == old.size());
  for (std::size_t i = 0; i < young.size(); ++i) {
    REQUIRE(std::abs(young[i].shown_ms - old[i].shown_ms) < 0.01);
  }
}

TEST_CASE("When snapshots are reordered, the newest snapshot stays the newest [S12]",
          "[sync][sys-53][sys-81]") {
  const auto buffer = make_jitter_buffer(options_of(JitterPolicy::quantile));
  const auto other = make_jitter_buffer(options_of(JitterPolicy::quantile));
  for (std::uint32_t tick = 30; tick < 900; tick += 3) {
    const Time now = at_ms(tick * kIntervalMs / 3);
    buffer->note(Tick(tick), now);
    buffer->note(Tick(tick - 9), now);
    other->note(Tick(tick), now);
    REQUIRE(buffer->shown(now) == other->shown(now));
  }
}

TEST_CASE("The weight `quick` gives less delay, and the weight `smooth` gives fewer late snapshots",
          "[sync][sys-53][sys-81]") {
  double delay[3] = {};
  int late[3] = {};
  for (const JitterWeight weight :
       {JitterWeight::quick, JitterWeight::balanced, JitterWeight::smooth}) {
    const auto index = static_cast<std::size_t>(weight);
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const auto buffer = make_jitter_buffer({.snapshot_ticks = 3, .weight = weight});
      for (const ShownFrame& one : play_link(*buffer, random_link(seed), {})) {
        delay[index] += behind(one);
        if (one.shown_ms > one.newest_ms + kIntervalMs) ++late[index];
      }
    }
  }
  CHECK(delay[0] < delay[1]);
  CHECK(delay[1] < delay[2]);
  CHECK(late[0] > late[1]);
  CHECK(late[1] > late[2]);
}

TEST_CASE("No policy allocates memory after its construction", "[sync][sys-53][sys-81]") {
  const auto policy =
      GENERATE(JitterPolicy::quantile, JitterPolicy::variance, JitterPolicy::newest);
  const auto buffer = make_jitter_buffer(options_of(policy));
  const std::uint64_t before = allocation_count();
  double sum = 0;
  for (std::uint32_t tick = 0; tick < 30'000; tick += 3) {
    const Time now = at_ms(tick * kIntervalMs / 3 + (tick % 7));
    buffer->note(Tick(tick), now);
    sum += buffer->shown(now);
  }
  CHECK(allocation_count() == before);
  CHECK(sum > 0);
}

TEST_CASE("Seed 001's rule begins with three snapshots, and adds an interval to a full buffer",
          "[sync][sys-53][sys-82]") {
  VarianceBuffer buffer(options_of(JitterPolicy::variance));
  const auto frames = play_link(buffer, with_stall(5000, 5160), {});
  CHECK(frames.front().shown_ms == frames[3].shown_ms);
  CHECK(buffer.added() > 0);
}

TEST_CASE("Seed 001's rule waits an interval when the buffer is empty, except on a wild link",
          "[sync][sys-53][sys-82]") {
  VarianceBuffer late(options_of(JitterPolicy::variance));
  play_link(late, [](double sent) { return sent > 5000 ? 140.0 : 20.0; }, {});
  CHECK(late.skipped() > 0);
  VarianceBuffer wild(options_of(JitterPolicy::variance));
  play_link(wild, [](double sent) { return std::fmod(sent, 1000) < 500 ? 20.0 : 600.0; }, {});
  CHECK(wild.skipped() == 0);
}

TEST_CASE("FPSSample's rule stops at the newest snapshot, and jumps when it is 10 ticks behind",
          "[sync][sys-53][sys-81]") {
  const auto buffer = make_jitter_buffer(options_of(JitterPolicy::newest));
  buffer->note(Tick(100), at_ms(0));
  CHECK(buffer->shown(at_ms(0)) == 100);
  CHECK(buffer->shown(at_ms(500)) == 100);
  buffer->note(Tick(111), at_ms(501));
  CHECK(buffer->shown(at_ms(501)) == 103);
  CHECK(buffer->reseats() == 1);
  buffer->note(Tick(112), at_ms(502));
  CHECK(buffer->shown(at_ms(501 + 1000.0 / 60)) == Approx(104.01).margin(0.001));
}

}  // namespace
}  // namespace muster
