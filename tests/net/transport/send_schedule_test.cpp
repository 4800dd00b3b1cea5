#include "net/transport/send_schedule.h"

#include <array>
#include <map>

#include <catch2/catch.hpp>

#include "net/transport/payload_queue.h"
#include "registry/base/seed.h"
#include "tests/support/net_bytes.h"

namespace muster {
namespace {

using Totals = std::array<double, SendSchedule::kSources>;

TEST_CASE("Sources share by weight, for any packet sizes", "[net][transport][sys-32]") {
  SendSchedule schedule;
  schedule.set_weight(0, 1);
  schedule.set_weight(1, 4);
  schedule.set_weight(2, 16);
  schedule.set_weight(SendSchedule::kPayloadSource, SendSchedule::kPayloadWeight);
  schedule.set_weight(SendSchedule::kBlockSource, SendSchedule::kBlockWeight);
  const std::map<std::size_t, std::pair<std::size_t, double>> size_and_weight = {
      {0, {900, 1}},
      {1, {20, 4}},
      {2, {300, 16}},
      {SendSchedule::kPayloadSource, {1000, 8}},
      {SendSchedule::kBlockSource, {1290, 1}}};
  Totals totals{};
  for (int i = 0; i < 20000; ++i) {
    const std::size_t source =
        schedule.next([&](std::size_t each) { return size_and_weight.contains(each); });
    REQUIRE(source < SendSchedule::kSources);
    schedule.sent(source, size_and_weight.at(source).first);
    totals[source] += static_cast<double>(size_and_weight.at(source).first);
  }
  const double share = totals[0];
  for (const auto& [source, what] : size_and_weight) {
    CAPTURE(source, totals[source], share);
    REQUIRE(totals[source] / what.second == Approx(share).epsilon(0.02));
  }
}

TEST_CASE("A source waits no longer than the weights of the other sources allow",
          "[net][transport][sys-32]") {
  SendSchedule schedule;
  for (std::size_t source = 0; source < SendSchedule::kSources; ++source) {
    schedule.set_weight(source, source == 3 ? 1 : 16);
  }
  Random random(1);
  double others = 0;  // The bytes of other sources since source 3 was last chosen.
  for (int i = 0; i < 50000; ++i) {
    const std::size_t source =
        schedule.next([&](std::size_t each) { return each == 3 || random.below(4) != 0; });
    const std::size_t size = 1 + random.below(1200);
    schedule.sent(source, size);
    others = source == 3 ? 0 : others + static_cast<double>(size);
    // While source 3 sends 1200 bytes, each of the nine other sources may send 16 times as much,
    // plus one packet.
    REQUIRE(others <= 9 * (1200 * 16 + 1200));
  }
}

TEST_CASE("An idle source neither collects a larger share nor loses its share",
          "[net][transport][sys-32]") {
  SendSchedule schedule;
  const auto only = [](std::size_t wanted) {
    return [wanted](std::size_t each) { return each == wanted; };
  };
  for (int i = 0; i < 1000; ++i) schedule.sent(schedule.next(only(0)), 1000);
  // Source 1 becomes ready after a long time. The schedule chooses source 1 next, but does not give
  // this source a thousand turns.
  int turns_of_1 = 0;
  for (int i = 0; i < 100; ++i) {
    const std::size_t source = schedule.next([](std::size_t each) { return each < 2; });
    schedule.sent(source, 1000);
    if (source == 1) ++turns_of_1;
  }
  REQUIRE(turns_of_1 >= 49);
  REQUIRE(turns_of_1 <= 52);
}

TEST_CASE("A schedule without ready sources chooses none", "[net][transport][sys-32]") {
  SendSchedule schedule;
  REQUIRE(schedule.next([](std::size_t) { return false; }) == SendSchedule::kSources);
}

TEST_CASE("A payload queue returns its payloads in order and counts their bytes",
          "[net][transport][sys-32]") {
  PayloadQueue queue(4);
  std::uint32_t pushed = 0;
  std::uint32_t popped = 0;
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    if (queue.has_room() && random.below(2) == 0) {
      queue.push(pattern(pushed, 1 + pushed % 97), pushed);
      ++pushed;
    } else if (!queue.is_empty()) {
      REQUIRE(queue.front_number() == popped);
      REQUIRE(copy_of(queue.front()) == pattern(popped, 1 + popped % 97));
      queue.pop();
      ++popped;
    }
    std::size_t bytes = 0;
    for (std::uint32_t each = popped; each < pushed; ++each) bytes += 1 + each % 97;
    REQUIRE(queue.byte_count() == bytes);
    REQUIRE(queue.has_room() == (pushed - popped < 4));
    REQUIRE(queue.is_empty() == (pushed == popped));
  }
}

}  // namespace
}  // namespace muster
