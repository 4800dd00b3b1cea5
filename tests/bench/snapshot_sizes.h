// The sizes of the same snapshots in simpler encodings: the peers of the snapshot codec.
#pragma once

#include <cstdint>

#include "net/tools/training/trace.h"

namespace muster {

/// Mean bytes per snapshot, without head and acknowledgements.
struct PeerSizes {
  double bit_packed = 0;  ///< Every field of every entity in its fixed width.
  /// Changes since the acknowledged tick, with an ideal coder per field.
  double order0_entropy = 0;
  double zstd_delta = 0;  ///< The same changes as bytes, where zstd -3 packs each snapshot.
};

/// The sizes with one snapshot per `tick_step` ticks, coded against the state of `ack_ticks` ago.
/// The first second is not measured.
PeerSizes peer_sizes(const Trace& trace, std::uint32_t tick_step, std::uint32_t ack_ticks);

}  // namespace muster
