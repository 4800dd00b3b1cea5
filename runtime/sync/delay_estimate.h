// How much delay a stream of packets needs so that few of them are late.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/sync/lateness_history.h"

namespace muster {

struct DelayEstimateOptions {
  /// The delay in ms that is given up to have all packets late: a further one of n packets is
  /// accepted as late when that saves more than `late_cost_ms / n` of delay. Above 0.
  double late_cost_ms = 5000;
  double margin_ms = 3;  ///< Added to everything.
  /// The delay is at least this much beyond what `floor_share` of the packets needed.
  double floor_ms = 0;
  double floor_share = 0.7;
  double peak_share = 0.5;   ///< The share of a spike that the peak takes over, 0 to 1.
  double peak_max_ms = 200;  ///< No peak makes the estimate rise by more than this.
  double usual_packets = 8;  ///< Packets over which the usual need is averaged. At least 1.
};

/// The estimate has three parts: the usual need, a mean of the last packets that spikes move
/// little; a quantile of what packets needed beyond it in the last 12 s, silences left out, at the
/// lowest cost; and a peak that rises at once with a packet that needed more and halves every 0.4
/// s. A step of the usual need, up or down, is followed within a second.
///
/// Needs are milliseconds from any origin: only their differences count. A function of its calls;
/// memory is allocated at construction. Times must not decrease.
class DelayEstimate {
 public:
  explicit DelayEstimate(const DelayEstimateOptions& options);

  /// A packet would have been in time with a delay of `needed_ms`.
  void note(double needed_ms, double now_ms);
  /// A packet was lost, and what replaced it would have been in time with a delay of `needed_ms`.
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
  double active_ms_ = 0;  ///< Time in which packets arrived: the history's clock.
  double usual_ms_ = 0;
  double beyond_ms_ = 0;  ///< The quantile, and at least the floor; beyond `usual_ms_`.
  double peak_ms_ = 0;    ///< Beyond both, as of `peak_at_ms_`.
  double peak_at_ms_ = 0;
};

}  // namespace muster
