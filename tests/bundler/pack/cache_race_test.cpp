// Look-ups and workers share the pieces, and each is done once.
#include "bundler/pack/cache_race.h"

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace muster {
namespace {

TEST_CASE("Each piece is done once, by the cache or by a worker", "[bundler][cache]") {
  const std::size_t count = GENERATE(0U, 1U, 31U, 500U);
  const std::size_t every = GENERATE(1U, 2U, 7U, 1000U);  // what the cache has
  CAPTURE(count, every);
  const ManualClock clock;
  std::vector<std::atomic<int>> done(count);
  std::mutex mutex;
  std::set<unsigned> workers;
  const CacheRace race{.count = count,
                       .workers = 3,
                       .estimated = std::chrono::hours(1),
                       .look_up =
                           [&](std::size_t piece) {
                             if (piece % every != 0) return false;
                             ++done[piece];
                             return true;
                           },
                       .work =
                           [&](std::size_t piece, unsigned worker, bool) {
                             ++done[piece];
                             const std::lock_guard lock(mutex);
                             workers.insert(worker);
                           }};
  run_race(race, clock, {});
  for (const auto& times : done) CHECK(times == 1);
  for (const unsigned worker : workers) CHECK(worker < 3);
}

TEST_CASE("Workers do not wait for a cache that takes longer than the work", "[bundler][cache]") {
  const ManualClock clock;
  std::atomic<std::size_t> looked_up{0};
  std::atomic<std::size_t> worked{0};
  const CacheRace race{.count = 1000,
                       .workers = 2,
                       .estimated = {},  // no look-up pays
                       .look_up =
                           [&](std::size_t) {
                             ++looked_up;
                             while (worked < 100) std::this_thread::yield();
                             return true;
                           },
                       .work = [&](std::size_t, unsigned, bool) { ++worked; }};
  run_race(race, clock, {});
  CHECK(looked_up + worked == 1000);
  CHECK(worked >= 100);
}

TEST_CASE("At least 32 look-ups are under way at once", "[bundler][cache]") {
  const ManualClock clock;
  std::atomic<unsigned> under_way{0};
  const CacheRace race{.count = 32,
                       .workers = 1,
                       .estimated = std::chrono::hours(1),
                       .look_up =
                           [&](std::size_t) {
                             ++under_way;
                             while (under_way < CacheRace::kLookUpsMin) std::this_thread::yield();
                             return true;
                           },
                       .work = [](std::size_t, unsigned, bool) {}};
  run_race(race, clock, {});
  CHECK(under_way == 32);
}

}  // namespace
}  // namespace muster
