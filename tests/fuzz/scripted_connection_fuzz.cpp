// The input is a script for two ends and the path between them. If the script damages no datagram,
// the ordered messages of each map arrive once and in order, and blocks arrive complete. Each
// payload is always reported exactly once.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <set>
#include <span>

#include "tests/support/connection_pair.h"
#include "tests/support/net_bytes.h"

namespace {

using namespace muster;
using namespace std::chrono_literals;

void require(bool holds) {
  if (!holds) std::abort();
}

class Script {
 public:
  void run(std::span<const std::uint8_t> steps) {
    for (std::size_t i = 0; i + 1 < steps.size() && i < 1000; i += 2) {
      act(steps[i], steps[i + 1]);
      read();
    }
    calm_down();
  }

 private:
  void act(std::uint8_t action, std::uint8_t value) {
    Connection& a = pair_.a->connection;
    LinkOptions& link =
        pair_.network.link((action & 0x80U) != 0 ? pair_.back_link : pair_.there_link);
    switch (action % 10) {
      case 0:
        pair_.step(std::chrono::milliseconds(1 + value));
        break;
      case 1:
      case 2: {
        const NetBytes message = pattern(value, 1 + value * 4U);
        const std::size_t channel = action % 10 - 1U;
        if (a.send_message(channel, message) == SendStatus::queued && channel == 0) {
          expected_[a.map()].push_back(message);
        }
        break;
      }
      case 3:
        if (a.send_payload(pattern(value, 1 + value * 4U), payloads_) == SendStatus::queued) {
          ++payloads_;
        }
        break;
      case 4:
        if (blocks_.size() < 40) {
          blocks_.push_back(pattern(value, 1 + value * 37U));
          std::uint16_t id = 0;
          if (a.send_block(blocks_.back(), id) != SendStatus::queued) blocks_.pop_back();
        }
        break;
      case 5:
        link.loss = value / 300.0;
        break;
      case 6:
        link.duplicate = value / 255.0;
        break;
      case 7:
        link.jitter = std::chrono::milliseconds(value);
        break;
      case 8:
        if ((action & 0x40U) != 0) {
          a.begin_map();
        } else {
          link.mtu = 1200U + value * 2U;
        }
        break;
      default:
        link.corrupt = value / 512.0;
        is_damaged_ = is_damaged_ || value != 0;
    }
  }

  void read() {
    Connection& b = pair_.b->connection;
    std::deque<NetBytes>& expected = expected_[b.map()];
    for (; !b.message(0).empty(); b.pop_message(0)) {
      if (is_damaged_) continue;
      require(!expected.empty() && copy_of(b.message(0)) == expected.front());
      expected.pop_front();
    }
    for (; !b.message(1).empty(); b.pop_message(1)) {
    }
    for (; !b.payload().bytes.empty(); b.pop_payload()) {
    }
    for (; !b.block().empty(); b.pop_block()) {
      const NetBytes block = copy_of(b.block());
      require(is_damaged_ || std::ranges::find(blocks_, block) != blocks_.end());
    }
    for (const DeliveryReport& report : pair_.a->connection.delivery_reports()) {
      require(report.tag < payloads_);
      require(reports_.insert(report.tag).second);
    }
    pair_.a->connection.clear_delivery_reports();
    pair_.a->connection.clear_finished_blocks();
  }

  /// Makes both links fast and free of loss. All queued data then arrives, unless data was damaged.
  void calm_down() {
    for (const LinkId id : {pair_.there_link, pair_.back_link}) {
      pair_.network.link(id) = {.latency = 5ms};
    }
    if (is_damaged_ || pair_.a->connection.state() == ConnectionState::closed) return;
    for (int i = 0; i < 1500; ++i) {
      pair_.step(16ms);
      read();
      const std::uint16_t map = pair_.a->connection.map();
      const bool is_there = pair_.b->connection.map() == map && expected_[map].empty();
      if (is_there && reports_.size() == payloads_) return;
    }
    require(pair_.a->connection.state() == ConnectionState::closed);
  }

  ConnectionPair pair_{1,
                       {.channels = {{.delivery = Delivery::reliable_ordered},
                                     {.delivery = Delivery::reliable_unordered}}},
                       {.latency = 5ms},
                       {.latency = 5ms}};
  bool is_damaged_ = false;
  std::map<std::uint16_t, std::deque<NetBytes>> expected_;  ///< The expected messages of each map.
  std::deque<NetBytes> blocks_;
  std::uint64_t payloads_ = 0;
  std::set<std::uint64_t> reports_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Script().run(std::span(data, size));
  return 0;
}
