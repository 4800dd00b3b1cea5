// Chooses the next source of data for a packet. A budget is shared by weight, and every source is
// chosen after some time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "net/transport/channel.h"

namespace muster {

/// Start-time fair queueing (Goyal, Vin, Cheng, SIGCOMM 1996) among a fixed number of sources. Each
/// source has a tag that grows by bytes / weight as it sends. The source with the lowest tag is
/// next. A source that sent nothing for some time continues at the current tag. So a source can
/// neither save up a share nor wait forever.
class SendSchedule {
 public:
  /// The number of sources: one for each channel, one for payloads, and one for blocks.
  static constexpr std::size_t kSources = kChannelsMax + 2;
  static constexpr std::size_t kPayloadSource = kChannelsMax;
  static constexpr std::size_t kBlockSource = kChannelsMax + 1;
  static constexpr double kPayloadWeight = 8;
  static constexpr double kBlockWeight = 1;

  SendSchedule() { weights_.fill(1); }

  /// Requires: `weight > 0`.
  void set_weight(std::size_t source, double weight) { weights_[source] = weight; }

  /// Returns the next source for which `is_ready` is true, or `kSources`.
  template <typename IsReady>
  std::size_t next(const IsReady& is_ready) {
    std::size_t best = kSources;
    for (std::size_t source = 0; source < kSources; ++source) {
      if (!is_ready(source)) continue;
      if (best == kSources || start_of(source) < start_of(best)) best = source;
    }
    return best;
  }

  /// True when `source` has sent more bytes per weight than `other`.
  bool is_ahead(std::size_t source, std::size_t other) const {
    return finish_[source] > finish_[other];
  }

  /// Records that a source has sent `bytes`.
  void sent(std::size_t source, std::size_t bytes) {
    const double start = start_of(source);
    present_ = start;
    finish_[source] = start + static_cast<double>(bytes) / weights_[source];
  }

 private:
  double start_of(std::size_t source) const { return std::max(finish_[source], present_); }

  std::array<double, kSources> weights_{};
  std::array<double, kSources> finish_{};
  double present_ = 0;
};

}  // namespace muster
