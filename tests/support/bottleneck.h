// Connections that always have more data to send, over one shared link. Measures the use of the
// link and its queue.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tests/support/connection_pair.h"
#include "tests/support/net_bytes.h"

namespace muster {

/// The data that a flow offers to its connection.
enum class Offer : std::uint8_t {
  messages,        ///< Endless messages; both ends tick every 4 ms.
  small_messages,  ///< Endless messages of 100 bytes; both ends tick every 4 ms.
  block,           ///< One block after another; both ends tick every 4 ms.
  payloads,  ///< As many payloads per 60 Hz tick as the budget allows, like a game's snapshots.
};

/// Senders that share one link. The return links are unlimited. Time is simulated.
class Bottleneck {
 public:
  /// The measurements of a period.
  struct Report {
    double used = 0;       ///< The used fraction of the link's capacity.
    Duration delay_p95{};  ///< The 95th percentile of the delay in the link's queue.
    double fairness = 1;   ///< Jain's fairness index of the flows.
  };

  Bottleneck(std::uint64_t seed, const LinkOptions& link, Offer offer = Offer::messages)
      : network_(seed), options_(link), offer_(offer) {
    network_.advance(now);
    link_ = network_.add_link(link);
  }

  void add_flow() {
    const auto number = static_cast<std::uint8_t>(flows_.size() + 1);
    const Address at_a = Address::ipv4({10, 0, 1, number}, 1);
    const Address at_b = Address::ipv4({10, 0, 2, number}, 1);
    const LinkId back = network_.add_link({.latency = options_.latency});
    ConnectionOptions plain{.channels = {{.delivery = Delivery::unreliable}}};
    plain.overhead_bytes = 2;
    flows_.push_back(std::make_unique<Flow>());
    Flow& flow = *flows_.back();
    flow.a.emplace(plain, network_.open(at_a, {link_}, {back}), at_b, now);
    flow.b.emplace(plain, network_.open(at_b), at_a, now);
  }

  /// Runs one tick of every flow. The flows tick at different times.
  void step() {
    for (const auto& flow : flows_) {
      now += tick() / flows_.size();
      network_.advance(now);
      flow->a->receive(now);
      flow->b->receive(now);
      read(flow->b->connection);
      offer(flow->a->connection);
      flow->a->send(now);
      flow->b->send(now);
    }
  }

  void run(Duration duration) {
    for (const Time end = now + duration; now < end;) step();
  }

  /// Runs for `duration`, and returns the measurements of this period.
  Report measure(Duration duration) {
    std::vector<double> before;
    for (std::size_t i = 0; i < flows_.size(); ++i) before.push_back(carried(i));
    std::vector<Duration> delays;
    const Time began = now;
    while (now < began + duration) {
      step();
      delays.push_back(queue_delay());
    }
    Report report;
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      const double bytes = carried(i) - before[i];
      sum += bytes;
      squares += bytes * bytes;
    }
    report.fairness = sum * sum / (static_cast<double>(flows_.size()) * squares);
    report.used =
        sum / (options_.bytes_per_second * std::chrono::duration<double>(now - began).count());
    std::ranges::sort(delays);
    report.delay_p95 = delays[delays.size() * 95 / 100];
    return report;
  }

  void set_rate(double bytes_per_second) {
    options_.bytes_per_second = bytes_per_second;
    network_.link(link_).bytes_per_second = bytes_per_second;
  }
  void set_latency(Duration latency) { network_.link(link_).latency = latency; }
  /// The current capacity of the link in bytes per second.
  double rate() { return network_.link(link_).bytes_per_second; }

  std::size_t flow_count() const { return flows_.size(); }
  /// The bytes of a flow that the link has delivered, including IPv4 and UDP headers.
  double carried(std::size_t flow) const {
    const ConnectionCounters counters = flows_[flow]->b->connection.counters();
    return static_cast<double>(counters.bytes_in + 28 * counters.packets_in);
  }
  /// The mean time that the link needs for one packet of a flow.
  Duration packet_time(std::size_t flow) const {
    const auto packets = static_cast<double>(flows_[flow]->b->connection.counters().packets_in);
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(
        carried(flow) / std::max(packets, 1.0) / options_.bytes_per_second));
  }
  struct Deliveries {
    std::uint64_t delivered = 0;
    std::uint64_t lost = 0;
  };
  /// The numbers of packets that a flow's sender counts as delivered and lost.
  Deliveries deliveries(std::size_t flow) const {
    const ConnectionCounters counters = flows_[flow]->a->connection.counters();
    return {.delivered = counters.delivered, .lost = counters.lost_out};
  }
  /// The largest datagram size that a flow's sender uses.
  std::size_t datagram_bytes(std::size_t flow) const {
    return flows_[flow]->a->connection.datagram_bytes();
  }
  const SendRate& estimate(std::size_t flow) const { return flows_[flow]->a->connection.rate(); }
  /// The delay of the last datagram in the link's queue.
  Duration queue_delay() const { return network_.counters(link_).queue_delay; }

  Time now{std::chrono::seconds(1)};

 private:
  struct Flow {
    std::optional<ConnectionEnd> a;
    std::optional<ConnectionEnd> b;
  };

  Duration tick() const {
    return offer_ != Offer::payloads ? Duration(std::chrono::milliseconds(4))
                                     : Duration(std::chrono::microseconds(16'667));
  }
  static void read(Connection& connection) {
    for (; !connection.message(0).empty(); connection.pop_message(0)) {
    }
    for (; !connection.payload().bytes.empty(); connection.pop_payload()) {
    }
    for (; !connection.block().empty(); connection.pop_block()) {
    }
  }
  void offer(Connection& connection) {
    if (offer_ == Offer::messages || offer_ == Offer::small_messages) {
      const std::size_t size = offer_ == Offer::messages ? bytes_.size() : 100;
      while (connection.send_message(0, std::span(bytes_).first(size)) == SendStatus::queued) {
      }
      return;
    }
    if (offer_ == Offer::block) {
      connection.clear_finished_blocks();
      std::uint16_t id = 0;
      while (connection.send_block(block_, id) == SendStatus::queued) {
      }
      return;
    }
    for (std::size_t size = next_payload(connection); size > 0; size = next_payload(connection)) {
      if (connection.send_payload(std::span(bytes_).first(size), 0) != SendStatus::queued) break;
    }
    connection.clear_delivery_reports();
  }
  std::size_t next_payload(const Connection& connection) const {
    return std::min({connection.budget(now), connection.payload_bytes_max(), bytes_.size()});
  }

  SimulatedNetwork network_;
  LinkOptions options_;
  Offer offer_;
  LinkId link_ = 0;
  NetBytes bytes_ = pattern(1, kMessageBytesMax);
  NetBytes block_ = pattern(2, 1'000'000);
  std::vector<std::unique_ptr<Flow>> flows_;
};

/// Converts kilobits per second to bytes per second.
constexpr double kilobits(double count) { return count * 1000 / 8; }

}  // namespace muster
