// What the two ends of a flow of snapshots agree on, besides the model.
#pragma once

#include <cstdint>

namespace muster {

class BitMeter;

/// The version of SNAPSHOT_FORMAT.md that is written and read here; whoever connects two ends
/// compares it, for a snapshot does not say it.
inline constexpr std::uint16_t kSnapshotFormatVersion = 5;

/// How snapshots become bytes.
enum class SnapshotCoder : std::uint8_t {
  range = 0,      ///< Trained predictions and one trained probability for each decision.
  mix = 1,        ///< The same with many contexts for each decision: fewer bytes, more time.
  huffman = 2,    ///< Changes since the newest known state by a code of sixteen lengths.
  raw = 3,        ///< The values that changed, as they are.
  reference = 4,  ///< As `huffman`, predicted from three known states by integer extrapolation.
};

struct SnapshotOptions {
  SnapshotCoder coder = SnapshotCoder::range;
  /// When there is one, a reader tells it what every decision cost. It must outlive the reader, and
  /// be of the same model.
  BitMeter* meter = nullptr;
};

}  // namespace muster
