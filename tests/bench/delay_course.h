// Uses a recording of delays as the path of a client's packets.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/bench/delay_file.h"

namespace muster {

/// The result for a packet.
struct MetDelay {
  double delay_ms = 0;
  bool is_lost = false;
};

/// Plays a recording: a packet gets the delay at its time of sending. Between two rows the delay is
/// interpolated; a packet is lost if the previous row is a lost packet. The recording repeats after
/// its end. A value type; times must not decrease.
class DelayCourse {
 public:
  /// Requires: at least one packet arrived.
  explicit DelayCourse(const DelayFile& file);

  /// Time 0 is `start_ms` in the recording.
  void start_at(double start_ms) { start_ms_ = start_ms; }
  MetDelay at(double now_ms);
  /// The median delay of the packets that arrived.
  double median_ms() const { return median_ms_; }

 private:
  std::vector<SentPacket> packets_;
  double length_ms_ = 1;
  double median_ms_ = 0;
  double start_ms_ = 0;
  std::size_t row_ = 0;
};

}  // namespace muster
