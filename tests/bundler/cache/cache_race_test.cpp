// Tests that cache look-ups and workers share the pieces of work, and do each piece once.
#include "bundler/cache/cache_race.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace muster {
namespace {

TEST_CASE("Each piece is delivered once, by the cache or by a worker", "[bundler][cache]") {
  const std::size_t count = GENERATE(0U, 1U, 31U, 500U);
  const std::size_t every = GENERATE(1U, 2U, 7U, 1000U);  // The cache has every n-th piece.
  CAPTURE(count, every);
  const ManualClock clock;
  std::vector<std::atomic<int>> done(count);
  std::mutex mutex;
  std::set<unsigned> workers;
  CacheRace race;
  race.estimates.assign(count, std::chrono::hours(1));
  race.workers = 3;
  race.look_up = [&](std::size_t piece, const std::stop_token&) -> CacheRace::Accept {
    if (piece % every != 0) return {};
    return [&done, piece] { ++done[piece]; };
  };
  race.work = [&](std::size_t piece, unsigned worker, bool) {
    ++done[piece];
    const std::lock_guard lock(mutex);
    workers.insert(worker);
  };
  (void)run_race(race, clock, {});
  for (const auto& times : done) CHECK(times == 1);
  for (const unsigned worker : workers) CHECK(worker < 3);
}

TEST_CASE("A cache that is known to be slower than the work is not queried", "[bundler][cache]") {
  const ManualClock clock;
  std::atomic<int> looked_up{0};
  std::atomic<int> worked{0};
  CacheRace race;
  race.estimates.assign(100, std::chrono::milliseconds(1));
  race.workers = 2;
  race.experience.look_up = std::chrono::seconds(1);
  race.look_up = [&](std::size_t, const std::stop_token&) {
    ++looked_up;
    return CacheRace::Accept();
  };
  race.work = [&](std::size_t, unsigned, bool) { ++worked; };
  CHECK(run_race(race, clock, {}).look_up == race.experience.look_up);
  CHECK(looked_up == 0);
  CHECK(worked == 100);
}

// Each call of `now` returns a time that is one millisecond later.
class TickingClock final : public Clock {
 public:
  Time now() const override {
    return Time(std::chrono::duration_cast<Duration>(std::chrono::milliseconds(++ticks_)));
  }

 private:
  mutable std::atomic<std::int64_t> ticks_{0};
};

// Waits until the race abandons the look-up, like a server that does not answer.
void wait_until_abandoned(const std::stop_token& abandoned) {
  while (!abandoned.stop_requested()) std::this_thread::yield();
}

TEST_CASE("If a cache does not answer, the workers do all pieces, and the look-ups are abandoned",
          "[bundler][cache]") {
  const std::size_t count = GENERATE(1U, 8U, 32U, 200U);
  CAPTURE(count);
  const TickingClock clock;
  std::vector<std::atomic<int>> done(count);
  CacheRace race;
  race.estimates.assign(count, std::chrono::milliseconds(1));
  race.workers = 2;
  std::atomic<bool> has_queried{false};
  std::atomic<bool> has_missed{false};
  race.look_up = [&](std::size_t, const std::stop_token& abandoned) {
    has_queried = true;
    wait_until_abandoned(abandoned);
    return CacheRace::Accept();
  };
  race.work = [&](std::size_t piece, unsigned, bool is_missed) {
    if (is_missed) has_missed = true;
    ++done[piece];
  };
  const RaceExperience measured = run_race(race, clock, {});
  CHECK(measured.look_up.has_value() == has_queried);
  CHECK_FALSE(has_missed);
  for (const auto& times : done) CHECK(times == 1);
}

TEST_CASE("A result that arrives after a worker took the piece is dropped", "[bundler][cache]") {
  const TickingClock clock;
  std::atomic<int> accepted{0};
  std::atomic<int> worked{0};
  CacheRace race;
  race.estimates.assign(4, std::chrono::milliseconds(1));
  race.look_up = [&](std::size_t, const std::stop_token& abandoned) -> CacheRace::Accept {
    wait_until_abandoned(abandoned);
    return [&] { ++accepted; };
  };
  race.work = [&](std::size_t, unsigned, bool) { ++worked; };
  (void)run_race(race, clock, {});
  CHECK(worked == 4);
  CHECK(accepted == 0);
}

TEST_CASE("Workers do not do a large piece that was requested from a cache without an answer",
          "[bundler][cache]") {
  const TickingClock clock;
  std::atomic<int> worked{0};
  CacheRace race;
  race.estimates.assign(3, std::chrono::milliseconds(1));
  race.large_count = 3;
  race.look_up = [&](std::size_t, const std::stop_token& abandoned) {
    wait_until_abandoned(abandoned);
    return CacheRace::Accept();
  };
  race.work = [&](std::size_t, unsigned, bool is_missed) { worked += is_missed ? 1 : 0; };
  (void)run_race(race, clock, {});
  CHECK(worked == 0);
}

TEST_CASE("A look-up that fails to allocate memory ends the race", "[bundler][cache]") {
  const ManualClock clock;
  CacheRace race;
  race.estimates.assign(3, std::chrono::hours(1));
  race.look_up = [](std::size_t piece, const std::stop_token&) -> CacheRace::Accept {
    if (piece == 1) throw std::bad_alloc();
    return [] {};
  };
  race.work = [](std::size_t, unsigned, bool) {};
  CHECK_THROWS_AS(run_race(race, clock, {}), std::bad_alloc);
}

TEST_CASE(
    "A race ends when every look-up fails, even if most pieces were neither requested nor done",
    "[bundler][cache]") {
  const ManualClock clock;
  CacheRace race;
  race.estimates.assign(std::size_t{CacheRace::kLookUpsMin} * 4, std::chrono::hours(1));
  race.look_up = [](std::size_t, const std::stop_token&) -> CacheRace::Accept {
    throw std::bad_alloc();
  };
  race.work = [](std::size_t, unsigned, bool) {};
  CHECK_THROWS_AS(run_race(race, clock, {}), std::bad_alloc);
}

TEST_CASE("A worker that fails ends the race, and abandons the look-ups", "[bundler][cache]") {
  const TickingClock clock;
  CacheRace race;
  race.estimates.assign(8, std::chrono::milliseconds(1));
  race.look_up = [](std::size_t, const std::stop_token& abandoned) {
    wait_until_abandoned(abandoned);
    return CacheRace::Accept();
  };
  race.work = [](std::size_t, unsigned, bool) { throw std::bad_alloc(); };
  CHECK_THROWS_AS(run_race(race, clock, {}), std::bad_alloc);
}

TEST_CASE("At least 32 look-ups run at the same time", "[bundler][cache]") {
  const ManualClock clock;
  std::atomic<unsigned> running{0};
  CacheRace race;
  race.estimates.assign(32, std::chrono::hours(1));
  race.look_up = [&](std::size_t, const std::stop_token&) -> CacheRace::Accept {
    ++running;
    while (running < CacheRace::kLookUpsMin) std::this_thread::yield();
    return [] {};
  };
  race.work = [](std::size_t, unsigned, bool) {};
  (void)run_race(race, clock, {});
  CHECK(running == 32);
}

TEST_CASE("The results in memory have a limited total size", "[bundler][cache]") {
  const ManualClock clock;
  std::atomic<int> done{0};
  std::atomic<unsigned> running{0};
  std::atomic<unsigned> at_once_max{0};
  CacheRace race;
  // The first piece exceeds the limit. Two other pieces at the same time are within the limit.
  race.result_bytes = {CacheRace::kBytesMax * 2};
  race.result_bytes.insert(race.result_bytes.end(), 6, CacheRace::kBytesMax / 2);
  race.estimates.assign(race.result_bytes.size(), std::chrono::hours(1));
  race.look_up = [&](std::size_t piece, const std::stop_token&) -> CacheRace::Accept {
    const unsigned now = ++running;
    if (piece == 0 && now != 1) at_once_max = 99;  // Only one thread may assert.
    unsigned known = at_once_max;
    while (known < now && !at_once_max.compare_exchange_weak(known, now)) {
    }
    // Pieces 1 and 2 run at the same time.
    while ((piece == 1 || piece == 2) && at_once_max < 2) std::this_thread::yield();
    return [&] {
      ++done;
      --running;
    };
  };
  race.work = [](std::size_t, unsigned, bool) {};
  (void)run_race(race, clock, {});
  CHECK(done == 7);
  CHECK(at_once_max == 2);
}

}  // namespace
}  // namespace muster
