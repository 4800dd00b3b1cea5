#include "net/transport/simulated_network.h"

#include <algorithm>
#include <array>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/net_bytes.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

const Address kHere = Address::ipv4({10, 0, 0, 1}, 1);
const Address kThere = Address::ipv4({10, 0, 0, 2}, 2);

struct Arrived {
  Time at;
  Address from;
  NetBytes bytes;
};

/// One sender, one receiver, one link between them.
struct Lane {
  explicit Lane(const LinkOptions& options, std::uint64_t seed = 1)
      : network(seed),
        link(network.add_link(options)),
        here(network.open(kHere, {link})),
        there(network.open(kThere)) {
    network.advance(Time(1s));
  }

  void send(std::uint32_t number, std::size_t size = 100) {
    const NetBytes bytes = pattern(number, size);
    const OutgoingDatagram out{.to = kThere, .bytes = bytes};
    REQUIRE(here->send(std::span(&out, 1)).sent == 1);
  }
  /// Advances the network from event to event, and records the arrivals.
  void run_until(Time end) {
    while (network.now() < end) {
      network.advance(std::min(std::max(network.next_event(), network.now()), end));
      std::array<std::byte, 2000> memory;
      IncomingDatagram in{.from = {}, .memory = memory};
      while (there->receive(std::span(&in, 1)) == 1) {
        arrived.push_back(
            {network.now(), in.from, copy_of(std::span(memory).first(in.byte_count))});
      }
    }
  }
  const LinkCounters& counters() const { return network.counters(link); }

  SimulatedNetwork network;
  LinkId link;
  std::unique_ptr<DatagramSocket> here;
  std::unique_ptr<DatagramSocket> there;
  std::vector<Arrived> arrived;
};

/// Returns the number of a datagram that `pattern` made.
std::uint32_t number_of(const Arrived& datagram, std::uint32_t count) {
  for (std::uint32_t number = 0; number < count; ++number) {
    if (datagram.bytes == pattern(number, datagram.bytes.size())) return number;
  }
  return count;
}

TEST_CASE("A link has the latency and jitter of its options", "[net][transport][sys-22]") {
  const auto kind = GENERATE(Jitter::uniform, Jitter::exponential);
  Lane lane({.latency = 20ms, .jitter = 10ms, .jitter_kind = kind});
  constexpr int kCount = 4000;
  std::vector<Time> sent;
  for (int i = 0; i < kCount; ++i) {
    lane.send(static_cast<std::uint32_t>(i % 7));
    sent.push_back(lane.network.now());
    // Only one datagram is in flight, so the order is kept.
    lane.run_until(lane.network.now() + 500ms);
  }
  REQUIRE(lane.arrived.size() == kCount);
  double sum = 0;
  Duration delay_min = 1s;
  Duration delay_max{};
  for (std::size_t i = 0; i < kCount; ++i) {
    const Duration delay = lane.arrived[i].at - sent[i];
    delay_min = std::min(delay_min, delay);
    delay_max = std::max(delay_max, delay);
    sum += std::chrono::duration<double, std::milli>(delay).count();
  }
  REQUIRE(delay_min >= 20ms);
  REQUIRE(delay_min < 21ms);
  REQUIRE(sum / kCount == Approx(kind == Jitter::uniform ? 25 : 30).margin(0.6));
  REQUIRE(delay_max <= (kind == Jitter::uniform ? Duration(30ms) : Duration(120ms)));
  REQUIRE(delay_max > (kind == Jitter::uniform ? Duration(29ms) : Duration(60ms)));
}

TEST_CASE("A datagram reports how long it waited in a socket", "[net][transport][sys-28]") {
  Lane lane({.latency = 30ms});
  lane.send(1);
  lane.network.advance(Time(1s) + 42ms);
  std::array<std::byte, 2000> memory;
  IncomingDatagram in{.from = {}, .memory = memory};
  REQUIRE(lane.there->receive(std::span(&in, 1)) == 1);
  REQUIRE(in.waited == 12ms);
}

TEST_CASE("Datagrams are lost, duplicated and corrupted at the requested rates",
          "[net][transport][sys-22]") {
  Lane lane({.loss = 0.2, .duplicate = 0.3, .corrupt = 0.25});
  constexpr double kCount = 20000;
  for (std::uint32_t i = 0; i < kCount; ++i) lane.send(0);
  lane.run_until(Time(2s));
  const LinkCounters& counters = lane.counters();
  REQUIRE(static_cast<double>(counters.datagrams) == kCount);
  REQUIRE(static_cast<double>(counters.lost) == Approx(0.2 * kCount).epsilon(0.05));
  const double passed = kCount - static_cast<double>(counters.lost);
  REQUIRE(static_cast<double>(counters.duplicated) == Approx(0.3 * passed).epsilon(0.05));
  REQUIRE(static_cast<double>(counters.corrupted) == Approx(0.25 * passed).epsilon(0.05));
  REQUIRE(counters.delivered == lane.arrived.size());
  REQUIRE(counters.delivered == counters.datagrams - counters.lost + counters.duplicated);
  const auto damaged = std::ranges::count_if(lane.arrived, [](const Arrived& datagram) {
    REQUIRE(datagram.bytes.size() == 100);
    return datagram.bytes != pattern(0, 100);
  });
  // A duplicate is as damaged as the original.
  REQUIRE(static_cast<double>(damaged) == Approx(0.25 * 1.3 * passed).epsilon(0.05));
}

TEST_CASE("Bursts of loss begin, last and end with the requested probabilities",
          "[net][transport][sys-22]") {
  Lane lane({.burst_begin = 0.01, .burst_end = 0.1, .burst_loss = 1});
  constexpr std::uint32_t kCount = 60000;
  std::vector<bool> is_lost;
  std::uint64_t lost_before = 0;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    lane.send(0);
    is_lost.push_back(lane.counters().lost != lost_before);
    lost_before = lane.counters().lost;
  }
  double runs = 0;
  for (std::size_t i = 1; i < is_lost.size(); ++i) runs += is_lost[i] && !is_lost[i - 1] ? 1 : 0;
  // On average, the link is bad for 1 / (1 + 0.1 / 0.01) of the datagrams, in runs of ten.
  REQUIRE(static_cast<double>(lost_before) / kCount == Approx(1.0 / 11).epsilon(0.1));
  REQUIRE(static_cast<double>(lost_before) / runs == Approx(10).epsilon(0.1));
}

TEST_CASE(
    "A bottleneck sends datagrams at its rate, queues some others, and drops those beyond its "
    "queue",
    "[net][transport][sys-22][sys-31]") {
  // A datagram has 128 bytes with its headers, so 1000 pass per second.
  Lane lane({.bytes_per_second = 128'000, .queue_bytes = 12'800});
  for (std::uint32_t i = 0; i < 200; ++i) lane.send(i, 100);
  lane.run_until(Time(3s));
  REQUIRE(lane.counters().dropped == 200 - lane.arrived.size());
  REQUIRE(lane.arrived.size() == 101);  // One datagram is being sent, and a hundred wait.
  for (std::size_t i = 0; i < lane.arrived.size(); ++i) {
    REQUIRE(lane.arrived[i].at == Time(1s) + 1ms * static_cast<int>(i + 1));
  }
  REQUIRE(lane.counters().queue_delay_max == 100ms);
}

TEST_CASE("A link without a queue holds one datagram", "[net][transport][sys-22]") {
  Lane lane({.bytes_per_second = 128'000});
  lane.send(0, 100);
  lane.send(1, 100);
  lane.run_until(Time(2s));
  REQUIRE(lane.arrived.size() == 1);
  REQUIRE(lane.counters().dropped == 1);
}

TEST_CASE("Jitter reorders only if overtaking is allowed", "[net][transport][sys-22]") {
  const bool may_overtake = GENERATE(true, false);
  const double duplicate = GENERATE(0.0, 0.3);
  CAPTURE(may_overtake, duplicate);
  Lane lane({.latency = 5ms, .jitter = 40ms, .may_overtake = may_overtake, .duplicate = duplicate});
  constexpr std::uint32_t kCount = 300;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    lane.send(i);
    lane.run_until(lane.network.now() + 2ms);
  }
  lane.run_until(lane.network.now() + 1s);
  int overtaken = 0;
  std::uint32_t highest = 0;
  for (const Arrived& datagram : lane.arrived) {
    const std::uint32_t number = number_of(datagram, kCount);
    REQUIRE(number < kCount);
    if (number < highest) ++overtaken;
    highest = std::max(highest, number);
  }
  REQUIRE((overtaken > 0) == may_overtake);
}

TEST_CASE("Datagrams that are too large are lost, and nothing passes a link that is down",
          "[net][transport][sys-22]") {
  Lane lane({.mtu = 1000});
  lane.send(1, 1000);
  lane.send(2, 1001);
  lane.network.link(lane.link).is_down = true;
  lane.send(3, 100);
  lane.network.link(lane.link).is_down = false;
  lane.send(4, 100);
  lane.run_until(Time(2s));
  REQUIRE(lane.arrived.size() == 2);
  REQUIRE(lane.counters().too_large == 1);
  REQUIRE(lane.counters().lost == 1);
}

TEST_CASE("A link follows its trace and repeats it", "[net][transport][sys-22]") {
  Lane lane({.latency = 1s,
             .loss = 1,
             .trace = {{.delay = 10ms}, {.delay = 20ms, .is_lost = true}, {.delay = 30ms}}});
  for (std::uint32_t i = 0; i < 4; ++i) lane.send(i);
  lane.run_until(Time(2s));
  REQUIRE(lane.arrived.size() == 3);
  REQUIRE(lane.arrived[0].at == Time(1s) + 10ms);
  REQUIRE(lane.arrived[1].at == Time(1s) + 10ms);
  REQUIRE(lane.arrived[2].at == Time(1s) + 30ms);
  REQUIRE(lane.arrived[2].bytes == pattern(2, 100));
}

TEST_CASE("A rebinding NAT gives a socket a new address and loses datagrams to the old address",
          "[net][transport][sys-22]") {
  Lane lane({.latency = 10ms});
  lane.network.rebind(kHere, Address::ipv4({9, 9, 9, 9}, 9));
  lane.send(1);
  const NetBytes bytes = pattern(2, 10);
  for (const Address& to : {kHere, Address::ipv4({9, 9, 9, 9}, 9)}) {
    const OutgoingDatagram out{.to = to, .bytes = bytes};
    REQUIRE(lane.there->send(std::span(&out, 1)).sent == 1);
  }
  lane.run_until(Time(2s));
  REQUIRE(lane.arrived.size() == 1);
  REQUIRE(lane.arrived[0].from == Address::ipv4({9, 9, 9, 9}, 9));
  std::array<std::byte, 100> memory;
  IncomingDatagram in{.from = {}, .memory = memory};
  REQUIRE(lane.here->receive(std::span(&in, 1)) == 1);
  REQUIRE(lane.here->receive(std::span(&in, 1)) == 0);
}

TEST_CASE("A datagram passes its sender's links and then its receiver's",
          "[net][transport][sys-22]") {
  SimulatedNetwork network(1);
  const LinkId up = network.add_link({.latency = 10ms});
  const LinkId shared = network.add_link({.latency = 100ms});
  const LinkId down = network.add_link({.latency = 1ms});
  const auto here = network.open(kHere, {up, shared}, {});
  const auto there = network.open(kThere, {}, {down});
  const NetBytes bytes = pattern(1, 10);
  const OutgoingDatagram out{.to = kThere, .bytes = bytes};
  REQUIRE(here->send(std::span(&out, 1)).sent == 1);
  const OutgoingDatagram answer{.to = kHere, .bytes = bytes};
  REQUIRE(there->send(std::span(&answer, 1)).sent == 1);
  std::array<std::byte, 100> memory;
  IncomingDatagram in{.from = {}, .memory = memory};
  network.advance(Time(110ms));
  REQUIRE(here->receive(std::span(&in, 1)) == 1);
  REQUIRE(there->receive(std::span(&in, 1)) == 0);
  network.advance(Time(111ms));
  REQUIRE(there->receive(std::span(&in, 1)) == 1);
  REQUIRE(network.counters(down).delivered == 1);
}

TEST_CASE("A datagram may be empty, and is cut if the memory is too small",
          "[net][transport][sys-22]") {
  Lane lane({.duplicate = 1, .corrupt = 1});
  lane.send(1, 0);
  lane.run_until(Time(2s));
  REQUIRE(lane.arrived.size() == 2);
  REQUIRE(lane.arrived[0].bytes.empty());
  lane.network.link(lane.link) = {};
  lane.send(2, 50);
  lane.network.advance(Time(3s));
  std::array<std::byte, 20> memory;
  IncomingDatagram in{.from = {}, .memory = memory};
  REQUIRE(lane.there->receive(std::span(&in, 1)) == 1);
  REQUIRE(in.byte_count == 20);
}

TEST_CASE("Equal seeds give equal networks, and different seeds different networks",
          "[net][transport][sys-22]") {
  const auto result_of = [](std::uint64_t seed) {
    Lane lane({.latency = 20ms,
               .jitter = 30ms,
               .jitter_kind = Jitter::exponential,
               .loss = 0.1,
               .burst_begin = 0.05,
               .burst_end = 0.3,
               .duplicate = 0.1,
               .corrupt = 0.1,
               .bytes_per_second = 100'000,
               .queue_bytes = 5000},
              seed);
    for (std::uint32_t i = 0; i < 500; ++i) {
      lane.send(i, 20 + i % 100);
      lane.run_until(lane.network.now() + 1ms);
    }
    lane.run_until(lane.network.now() + 2s);
    std::vector<std::pair<Time, NetBytes>> result;
    for (const Arrived& datagram : lane.arrived) result.emplace_back(datagram.at, datagram.bytes);
    return result;
  };
  REQUIRE(result_of(7) == result_of(7));
  REQUIRE(result_of(7) != result_of(8));
}

}  // namespace
}  // namespace muster
