// The choice of changes when not all changes fit.
#include "net/replication/change_priority.h"

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

namespace muster {
namespace {

constexpr UpdateClass kClass{.weight = 1, .radius = 100, .longest_ticks = 60};

/// A change of 100 bits at the view position.
ChangeCandidate candidate(std::uint32_t index) {
  return {.index = index, .update_class = &kClass, .bits = 100};
}

std::vector<std::uint32_t> deferred_of(const std::vector<ChangeCandidate>& candidates,
                                       double room_bits, bool is_settling = false) {
  ChangePriority priority;
  for (const ChangeCandidate& one : candidates) priority.add(one);
  const auto deferred = priority.choose(room_bits, is_settling);
  std::vector<std::uint32_t> sorted(deferred.begin(), deferred.end());
  std::ranges::sort(sorted);
  return sorted;
}

using Indices = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("The candidate that waited longest, is nearest or weighs most is sent",
          "[net][replication]") {
  static constexpr UpdateClass kHeavy{.weight = 3, .radius = 100, .longest_ticks = 60};
  ChangeCandidate other = candidate(1);
  const auto [what, change] = GENERATE(table<const char*, void (*)(ChangeCandidate&)>({
      {"waited", [](ChangeCandidate& one) { one.waited_ticks = 2; }},
      {"weight", [](ChangeCandidate& one) { one.update_class = &kHeavy; }},
  }));
  CAPTURE(what);
  change(other);
  CHECK(deferred_of({candidate(0), other}, 100) == Indices{0});
  ChangeCandidate far = candidate(0);
  far.distance = 50;
  CHECK(deferred_of({far, candidate(1)}, 100) == Indices{0});
}

TEST_CASE("Among equally urgent candidates, the lowest indices are chosen", "[net][replication]") {
  CHECK(deferred_of({candidate(3), candidate(2), candidate(1), candidate(0)}, 200) ==
        Indices{2, 3});
}

TEST_CASE("One candidate is always sent, and candidates that fit are not deferred",
          "[net][replication]") {
  CHECK(deferred_of({candidate(0), candidate(1)}, -5) == Indices{1});
  CHECK(deferred_of({candidate(0), candidate(1)}, 200).empty());
}

TEST_CASE("A part of the space is for candidates that have waited longer than their maximum",
          "[net][replication]") {
  static constexpr UpdateClass kUnimportant{.weight = 0.001F, .radius = 100, .longest_ticks = 10};
  std::vector<ChangeCandidate> candidates;
  for (std::uint32_t i = 0; i < 8; ++i) candidates.push_back(candidate(i));
  for (std::uint32_t i = 8; i < 12; ++i) {
    candidates.push_back(candidate(i));
    candidates.back().update_class = &kUnimportant;
    candidates.back().waited_ticks = 10 + (i == 10 ? 1 : 0);
  }
  // Two of the four overdue candidates fit into a quarter of the room: the candidate that waited
  // longest, and then the first candidate.
  CHECK(deferred_of(candidates, 800) == Indices{6, 7, 9, 11});
  candidates[8].waited_ticks = candidates[9].waited_ticks = candidates[11].waited_ticks = 9;
  CHECK(deferred_of(candidates, 800) == Indices{7, 8, 9, 11});
}

TEST_CASE("While settling, unconfirmed entities are chosen first, and new entities wait",
          "[net][replication]") {
  ChangeCandidate unknown = candidate(2);
  unknown.is_confirmed = false;
  ChangeCandidate lost = candidate(3);
  lost.is_confirmed = false;
  lost.is_lost = true;
  ChangeCandidate is_new = candidate(1);
  is_new.is_confirmed = is_new.may_be_shown = false;
  is_new.waited_ticks = 100;
  CHECK(deferred_of({candidate(0), is_new, unknown, lost}, 200, true) == Indices{0, 1});
  // The two unknown candidates do not fit together. So only the lost candidate is chosen first, and
  // the other candidates follow by urgency.
  CHECK(deferred_of({candidate(0), is_new, unknown, lost}, 150, true) == Indices{0, 1, 2});
  CHECK(deferred_of({candidate(0), is_new, unknown, lost}, 200, false) == Indices{2, 3});
}

TEST_CASE("With equal space in every tick, no candidate waits forever", "[net][replication]") {
  constexpr std::uint32_t kCount = 200;
  std::vector<std::uint32_t> waited(kCount, 1);
  std::uint32_t longest = 0;
  for (int tick = 0; tick < 1'000; ++tick) {
    ChangePriority priority;
    for (std::uint32_t i = 0; i < kCount; ++i) {
      ChangeCandidate one = candidate(i);
      one.distance = static_cast<float>(i % 100);
      one.waited_ticks = waited[i];
      priority.add(one);
    }
    std::vector<bool> is_deferred(kCount);
    for (const std::uint32_t i : priority.choose(1'000, false)) is_deferred[i] = true;
    REQUIRE(std::ranges::count(is_deferred, false) == 10);
    for (std::uint32_t i = 0; i < kCount; ++i) waited[i] = is_deferred[i] ? waited[i] + 1 : 1;
    longest = std::max(longest, std::ranges::max(waited));
  }
  CHECK(longest < 150);
}

}  // namespace muster
