#include "registry/base/parallel.h"

#include <atomic>
#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

using namespace muster;

TEST_CASE("parallel_for runs every index once, for any number of jobs", "[registry][parallel]") {
  const unsigned jobs = GENERATE(0U, 1U, 2U, 7U, 64U);
  const std::size_t count = GENERATE(0U, 1U, 2U, 1000U);
  CAPTURE(jobs, count);
  std::vector<std::atomic<int>> visits(count);
  std::atomic<bool> is_worker_good = true;
  const bool all = parallel_for(count, jobs, {}, [&](std::size_t index, unsigned worker) {
    visits[index].fetch_add(1);
    if (worker >= std::max(jobs, 1U)) is_worker_good = false;
  });
  CHECK(all);
  CHECK(is_worker_good);
  for (const auto& visit : visits) CHECK(visit.load() == 1);
}

TEST_CASE("parallel_for stops on request", "[registry][parallel]") {
  const unsigned jobs = GENERATE(1U, 4U);
  std::stop_source stop;
  std::atomic<std::size_t> done = 0;
  const bool all = parallel_for(1'000'000, jobs, stop.get_token(), [&](std::size_t, unsigned) {
    if (done.fetch_add(1) == 10) stop.request_stop();
  });
  CHECK_FALSE(all);
  CHECK(done.load() < 1'000'000);
}

TEST_CASE("A worker's number is never used by two threads at the same time",
          "[registry][parallel]") {
  constexpr unsigned kJobs = 4;
  std::vector<std::atomic<int>> inside(kJobs);
  std::atomic<bool> is_exclusive = true;
  REQUIRE(parallel_for(10'000, kJobs, {}, [&](std::size_t, unsigned worker) {
    if (inside[worker].fetch_add(1) != 0) is_exclusive = false;
    inside[worker].fetch_sub(1);
  }));
  CHECK(is_exclusive);
  CHECK(processor_count() >= 1);
}

TEST_CASE("A failed allocation on any thread stops all threads and reaches the caller",
          "[registry][parallel]") {
  const unsigned jobs = GENERATE(1U, 2U, 8U);
  const std::size_t bad = GENERATE(0U, 1U, 999U);
  std::atomic<std::size_t> done = 0;
  const auto work = [&](std::size_t index, unsigned) {
    if (index == bad) throw std::bad_alloc();
    done.fetch_add(1);
  };
  CHECK_THROWS_AS((void)parallel_for(1'000'000, jobs, {}, work), std::bad_alloc);
  CHECK(done.load() < 1'000'000);
}
