// How large a datagram the path carries: found by probing (RFC 8899), given up when it shrinks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "net/transport/datagram_socket.h"
#include "registry/base/clock.h"

namespace muster {

/// The size of datagram that a connection may use. Begins at what every path carries and looks for
/// more; the connection sends the probes and tells what became of them.
class PathSize {
 public:
  /// `limit`: the most that either end takes.
  explicit PathSize(std::size_t limit = kDatagramBytesMax) : limit_(limit) {}

  /// Bytes of the largest datagram that is known to arrive.
  std::size_t bytes() const { return bytes_; }

  /// The size to probe now; 0 when it is not time for one.
  std::size_t wanted_probe(Time now) const;
  void probe_sent(Time now);
  void probe_delivered(std::size_t size);
  void probe_lost();

  /// What became of a packet that is no probe. Some large ones lost in a row, without one that
  /// arrived, say that the path has shrunk (a black hole).
  void settled(Time now, std::size_t size, bool delivered);
  /// The path is another: begins anew.
  void restart();

 private:
  std::size_t candidate_from(std::size_t from) const;
  void next_candidate();

  std::size_t limit_;
  std::size_t bytes_ = kDatagramBytesSafe;
  std::size_t candidate_ = 0;  ///< In the list of sizes; past its end: nothing left to try.
  unsigned tries_ = 0;
  unsigned large_lost_ = 0;  ///< In a row.
  bool is_on_the_way_ = false;
  bool has_begun_ = false;
  Time last_probe_{};
};

}  // namespace muster
