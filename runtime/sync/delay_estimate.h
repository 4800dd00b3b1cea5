// Estimates how much delay a stream of packets needs so that few of them are late.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/sync/lateness_history.h"

namespace muster {

struct DelayEstimateOptions {
  /// The cost of late packets in ms of delay, if all packets are late. One more late packet of n is
  /// accepted if that saves more than `late_cost_ms / n` of delay. Above 0.
  double late_cost_ms = 5000;
  double margin_ms = 3;  ///< Always added to the delay.
  /// The delay is at least `floor_ms` more than the delay that `floor_share` of the packets needed.
  double floor_ms = 0;
  double floor_share = 0.7;
  double peak_share = 0.5;   ///< The share of a spike that is added to the peak, 0 to 1.
  double peak_max_ms = 200;  ///< The maximum of the peak.
  double usual_packets = 8;  ///< Packets over which the usual need is averaged. At least 1.
};

/// A packet's need is the delay with which it would have been in time. The estimate is the sum of
/// three parts. The usual need is a mean of the last packets, which spikes change little. The
/// quantile is the cheapest quantile of what packets needed beyond the usual need in the last 12 s;
/// longer silences are not counted. The peak rises at once with a packet that needed more, and
/// halves every 0.4 s. If the usual need changes in a step, the estimate follows within a second.
///
/// Needs are milliseconds from any origin: only their differences count. The state is a function of
/// the calls. Memory is allocated at construction. Times must not decrease.
class DelayEstimate {
 public:
  explicit DelayEstimate(const DelayEstimateOptions& options);

  /// A packet would have been in time with a delay of `needed_ms`.
  void note(double needed_ms, double now_ms);
  /// A packet was lost. Its replacement would have been in time with a delay of `needed_ms`.
  void note_lost(double needed_ms);
  /// The usual need. 0 before the first packet.
  double usual_ms() const { return usual_ms_; }
  /// The delay without the peak.
  double settled_ms() const;
  /// The delay at `now_ms`.
  double wanted_ms(double now_ms) const;
  double peak_max_ms() const { return options_.peak_max_ms; }
  std::uint32_t packets() const { return seen_; }

 private:
  static constexpr std::uint32_t kRecent = 8;
  struct Recent {
    double needed_ms = 0;
    double at_ms = 0;
  };
  double peak_ms(double now_ms) const;
  void follow_step(double now_ms);
  void choose_quantile();

  DelayEstimateOptions options_;
  LatenessHistory history_;
  std::array<Recent, kRecent> recent_{};
  std::uint32_t seen_ = 0;
  double noted_at_ms_ = 0;
  double active_ms_ = 0;  ///< Time without silences: the history's clock.
  double usual_ms_ = 0;
  double beyond_ms_ = 0;  ///< The quantile or the floor, relative to `usual_ms_`.
  double peak_ms_ = 0;    ///< Beyond the sum of both, at `peak_at_ms_`.
  double peak_at_ms_ = 0;
};

}  // namespace muster
