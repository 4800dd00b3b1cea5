// A recording of delays as the way of a client's packets.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/bench/delay_file.h"

namespace muster {

/// What a packet meets.
struct MetDelay {
  double delay_ms = 0;
  bool is_lost = false;
};

/// Plays a recording: a packet that is sent at a time meets the delay of that time. Between two
/// rows the delay is interpolated; a packet is lost when the row before it is. The recording begins
/// again after its end. A value; times must not decrease.
class DelayCourse {
 public:
  /// Requires: a packet that arrived.
  explicit DelayCourse(const DelayFile& file);

  /// `start_ms` in the recording is time 0.
  void start_at(double start_ms) { start_ms_ = start_ms; }
  MetDelay at(double now_ms);
  /// The median of the packets that arrived.
  double median_ms() const { return median_ms_; }

 private:
  std::vector<SentPacket> packets_;
  double length_ms_ = 1;
  double median_ms_ = 0;
  double start_ms_ = 0;
  std::size_t row_ = 0;
};

}  // namespace muster
