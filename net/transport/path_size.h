// Finds the maximum datagram size of a path with probes (RFC 8899). Resets the size when the
// maximum size of the path becomes smaller.
#pragma once

#include <cstddef>
#include <cstdint>

#include "net/transport/datagram_socket.h"
#include "registry/base/clock.h"

namespace muster {

/// The maximum datagram size for a connection. The first size is a size that every path is assumed
/// to carry. Larger sizes are then probed. The connection sends the probes and reports whether they
/// arrived.
class PathSize {
 public:
  /// `limit`: the maximum that both ends accept.
  explicit PathSize(std::size_t limit = kDatagramBytesMax) : limit_(limit) {}

  /// The current maximum size of a datagram.
  std::size_t bytes() const { return bytes_; }

  /// The size to probe now; 0 when no probe is due.
  std::size_t wanted_probe(Time now) const;
  void probe_sent(Time now);
  void probe_delivered(std::size_t size);
  void probe_lost();

  /// Reports that a packet that is not a probe was delivered or lost. If several large packets in a
  /// row are lost, the path has shrunk (a black hole).
  void settled(Time now, std::size_t size, bool delivered);
  /// Starts again after a change of the path.
  void restart();

 private:
  std::size_t candidate_from(std::size_t from) const;
  void next_candidate();

  std::size_t limit_;
  std::size_t bytes_ = kDatagramBytesSafe;
  /// The index of the next size to probe; the end of the list if no size is left.
  std::size_t candidate_ = 0;
  unsigned tries_ = 0;
  unsigned large_lost_ = 0;  ///< The number of consecutive large packets that were lost.
  bool is_in_flight_ = false;
  bool has_begun_ = false;
  Time last_probe_{};
};

}  // namespace muster
