// The bandwidth of snapshots: by entity type, component and field, and by section.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "net/replication/type_views.h"
#include "net/snapshot/bit_meter.h"

namespace muster {

/// The bits of one field of one type, or of one part of a snapshot that is not a field.
struct BandwidthRow {
  /// `head`, `which` (the list of changed, created and removed entities), or `fields`.
  std::string section;
  std::string type;       ///< The game's type id; empty in the head.
  std::string component;  ///< Empty outside `fields`.
  std::string field;
  double bits = 0;
};

struct Bandwidth {
  std::uint64_t snapshots = 0;
  std::uint64_t bytes = 0;         ///< The bytes of the snapshots as sent.
  std::vector<BandwidthRow> rows;  ///< Largest first.

  double bits() const;  ///< The sum of the bits of all rows.
};

/// Returns the counts of a meter as rows. Requires: the meter was created for `model`.
Bandwidth bandwidth_of(const BitMeter& meter, const SnapshotModel& model, const TypeViews& views);

/// Returns a text table with the bits and the share of each row.
std::string table_of(const Bandwidth& bandwidth);

}  // namespace muster
