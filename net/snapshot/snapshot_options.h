// The options that both ends of a snapshot stream must share, besides the model.
#pragma once

#include <cstdint>

namespace muster {

class BitMeter;

/// The version of SNAPSHOT_FORMAT.md that this code writes and reads. The two ends must compare it
/// when they connect, because a snapshot does not contain it.
inline constexpr std::uint16_t kSnapshotFormatVersion = 5;

/// How snapshots become bytes.
enum class SnapshotCoder : std::uint8_t {
  range = 0,  ///< Trained predictions and one trained probability for each decision.
  /// Uses many contexts for each decision. This coder needs fewer bytes than `range`, and more
  /// time.
  mix = 1,
  huffman = 2,  ///< Changes since the newest known state in Huffman codes.
  raw = 3,      ///< The changed values as plain bits.
  /// As `huffman`, but changes are relative to an extrapolation of three known states.
  reference = 4,
};

struct SnapshotOptions {
  SnapshotCoder coder = SnapshotCoder::range;
  /// An optional meter, to which a reader reports the cost of every decision. The meter must
  /// outlive the reader, and must have as many slots as the reader's model.
  BitMeter* meter = nullptr;
};

}  // namespace muster
