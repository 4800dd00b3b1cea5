// Where the bits of snapshots went: by entity type, component and field, and by section.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "net/replication/type_views.h"
#include "net/snapshot/bit_meter.h"

namespace muster {

/// Bits of one field of one type, or of what is said besides fields.
struct BandwidthRow {
  /// `head`, `which` (which entities changed, came or went), or `fields`.
  std::string section;
  std::string type;       ///< The game's id; empty in the head.
  std::string component;  ///< Empty outside `fields`.
  std::string field;
  double bits = 0;
};

struct Bandwidth {
  std::uint64_t snapshots = 0;
  std::uint64_t bytes = 0;         ///< Of the snapshots as they travelled.
  std::vector<BandwidthRow> rows;  ///< The greatest first.

  double bits() const;  ///< Of all rows.
};

/// What a meter counted of snapshots of these types. Requires: a meter of that model.
Bandwidth bandwidth_of(const BitMeter& meter, const SnapshotModel& model, const TypeViews& views);

/// A table for people, with the share of each row.
std::string table_of(const Bandwidth& bandwidth);

}  // namespace muster
