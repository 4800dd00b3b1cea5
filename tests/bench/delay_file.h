// Recorded delays of packets, which `jitter_lab` plays.
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
  double delay_ms = 0;  ///< 0 if the packet was lost.
  bool is_lost = false;
};

struct DelayFile {
  std::string name;  ///< The file's name without folder and extensions.
  std::vector<SentPacket> packets;
};

/// Parses CSV: a header line `send_ms,rtt_ms` or `send_ms,delay_ms`, then one line per packet in
/// order of sending. An empty second column is a lost packet. Fails with `malformed` and
/// `path:line` in the message, also if the file is shorter than the caller needs.
struct DelayNeeds {
  std::size_t packets = 100;
  std::size_t arrived = 10;
};
Result<DelayFile> parse_delays(Bytes csv, const std::string& path, const DelayNeeds& needs = {});

/// Reads and parses a file of this form. Decompresses the file if its name ends in `.zst`. Also
/// fails if the file cannot be read.
Result<DelayFile> load_delays(const std::string& path, const DelayNeeds& needs = {});

/// Every n-th packet as a snapshot; n is chosen so that the rate is nearest to `rate_hz`.
struct SnapshotSeries {
  std::vector<SentPacket> snapshots;
  double interval_ms = 0;      ///< The median interval.
  double median_delay_ms = 0;  ///< The median of all packets that arrived.
};
SnapshotSeries choose_snapshots(const DelayFile& file, double rate_hz);

double median(std::vector<double> values);

}  // namespace muster
