// Estimates a delay with which only few packets of a stream are late.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/sync/lateness_history.h"

namespace muster {

struct DelayEstimateOptions {
  /// The cost of late packets, as milliseconds of delay; above 0. If all packets are late, the cost
  /// is `late_cost_ms`. If one packet in n is late, the cost is `late_cost_ms / n`.
  double late_cost_ms = 5000;
  double margin_ms = 3;  ///< A time that is always added to the delay.
  /// The minimum delay is a sum: the delay with which a share of `floor_share` of the packets is in
  /// time, plus `floor_ms`.
  double floor_ms = 0;
  double floor_share = 0.7;
  double peak_share = 0.5;   ///< The share of a spike that is added to the peak, 0 to 1.
  double peak_max_ms = 200;  ///< The maximum of the estimate's peak.
  double mean_packets = 8;   ///< The number of packets in the mean of the typical need. At least 1.
};

/// Estimates a delay for a stream of packets. A packet's need is the minimum delay with which the
/// packet is in time. The estimate is the sum of three parts: the typical need, the quantile and
/// the peak. The typical need is a mean over the last packets. A spike changes this mean only a
/// little. An additional need is the difference between a packet's need and the typical need. The
/// quantile is a quantile of the additional needs in the last 12 s (long pauses of the stream do
/// not count). The quantile is chosen so that the sum of its delay and the cost of late packets
/// (`late_cost_ms`) is as low as possible. The peak rises immediately with a packet that needs
/// more, and halves every 0.4 s. If the typical need rises by more than 30 ms in one step, the
/// estimate follows within a second, provided that 10 to 1,000 packets arrive per second. At lower
/// rates, the estimate follows after 8 packets.
///
/// Needs are milliseconds from any origin, because only their differences are used. Times must not
/// decrease. The state depends only on the calls and their arguments. Memory is allocated at
/// construction.
class DelayEstimate {
 public:
  explicit DelayEstimate(const DelayEstimateOptions& options);

  /// Adds a packet with the need `needed_ms`.
  void note(double needed_ms, double now_ms);
  /// Adds a lost packet. `needed_ms` is the need of the packet that replaces the lost packet.
  void note_lost(double needed_ms);
  /// The typical need; 0 before the first packet.
  double typical_ms() const { return typical_ms_; }
  /// The delay without the peak.
  double settled_ms() const;
  /// The delay at `now_ms`.
  double wanted_ms(double now_ms) const;
  double peak_max_ms() const { return options_.peak_max_ms; }
  std::uint32_t packets() const { return seen_; }

 private:
  /// The number of remembered packets, which must cover the time of a step at 1,000 packets per
  /// second.
  static constexpr std::uint32_t kRecent = 512;
  struct Recent {
    double needed_ms = 0;
    double at_ms = 0;
    double typical_ms = 0;  ///< The typical need before this packet.
    bool is_lost = false;
    bool is_in_history = false;
  };
  void remember(double needed_ms, double now_ms, bool is_lost);
  double peak_ms(double now_ms) const;
  void follow_step(double now_ms);
  void choose_quantile();

  DelayEstimateOptions options_;
  LatenessHistory history_;
  std::vector<Recent> recent_;    ///< A ring of the last packets that arrived or were lost.
  std::uint32_t remembered_ = 0;  ///< The number of packets that were stored in `recent_`.
  std::uint32_t seen_ = 0;        ///< The number of arrived packets.
  double noted_at_ms_ = 0;
  double active_ms_ = 0;  ///< The time that the history uses. Long pauses are left out.
  double typical_ms_ = 0;
  double beyond_ms_ = 0;  ///< The larger of quantile and floor, relative to `typical_ms_`.
  double peak_ms_ = 0;    ///< The peak at the time `peak_at_ms_`.
  double peak_at_ms_ = 0;
  std::vector<double> late_ms_;  ///< For `follow_step`.
};

}  // namespace muster
