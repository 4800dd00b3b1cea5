// Recorded delays of packets: what `jitter_lab` plays.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster {

/// One sent packet.
struct SentPacket {
  double sent_ms = 0;
  double delay_ms = 0;  ///< 0 if it was lost.
  bool is_lost = false;
};

struct DelayFile {
  std::string name;  ///< Without folder and endings.
  std::vector<SentPacket> packets;
};

/// Reads CSV: a header line `send_ms,rtt_ms` or `send_ms,delay_ms`, then one line a packet in order
/// of sending. An empty second column is a lost packet. Fails with `malformed`; the message has
/// `path:line`, also for a file that is shorter than what the caller needs.
struct DelayNeeds {
  std::size_t packets = 100;
  std::size_t arrived = 10;
};
Result<DelayFile> parse_delays(Bytes csv, const std::string& path, const DelayNeeds& needs = {});

/// Reads such a file; one whose name ends in `.zst` is decompressed. Fails as reading does, too.
Result<DelayFile> load_delays(const std::string& path, const DelayNeeds& needs = {});

/// Every n-th packet as a snapshot, so that their rate is nearest to `rate_hz`.
struct SnapshotSeries {
  std::vector<SentPacket> snapshots;
  double interval_ms = 0;      ///< The median.
  double median_delay_ms = 0;  ///< All packets that arrived count.
};
SnapshotSeries choose_snapshots(const DelayFile& file, double rate_hz);

double median(std::vector<double> values);

}  // namespace muster
