// A ring of `kSnapshotWindow` slots; a snapshot's number chooses its slot.
#include "net/replication/snapshots_in_flight.h"

#include <algorithm>

namespace muster {

SnapshotInFlight& SnapshotsInFlight::add(SnapshotNumber number, std::uint32_t part, Tick tick) {
  SnapshotInFlight& flight = slot(number);
  flight.number = number;
  flight.is_known = true;
  flight.is_used = true;
  flight.has_arrived = false;
  flight.is_settled = false;
  flight.part = part;
  flight.tick = tick;
  flight.listed.clear();
  return flight;
}

const SnapshotInFlight* SnapshotsInFlight::find(SnapshotNumber number) const {
  const SnapshotInFlight& flight = slot(number);
  return flight.is_used && flight.number == number ? &flight : nullptr;
}

const SnapshotInFlight* SnapshotsInFlight::deliver(SnapshotNumber number) {
  SnapshotInFlight& flight = slot(number);
  if (!flight.is_used || flight.number != number) return nullptr;
  flight.is_used = false;
  flight.has_arrived = true;
  return &flight;
}

std::optional<Tick> SnapshotsInFlight::tick_of(SnapshotNumber number) const {
  const SnapshotInFlight& flight = slot(number);
  if (!flight.is_known || flight.number != number) return std::nullopt;
  return flight.tick;
}

double SnapshotsInFlight::oldest_ticks(Tick now, double ticks_min) const {
  double oldest = ticks_min;
  for (const SnapshotInFlight& flight : slots_) {
    if (!flight.is_used && !flight.has_arrived) continue;
    oldest = std::max<double>(oldest, now - flight.tick);
  }
  return oldest;
}

bool SnapshotsInFlight::lists(const EventSubject& entity) const {
  return std::ranges::any_of(slots_, [&](const SnapshotInFlight& flight) {
    return flight.is_used &&
           std::ranges::find(flight.listed, entity, &ListedSlice::entity) != flight.listed.end();
  });
}

void SnapshotsInFlight::clear() {
  for (SnapshotInFlight& flight : slots_) {
    flight.is_known = flight.is_used = flight.has_arrived = false;
  }
}

std::size_t SnapshotsInFlight::memory_bytes() const {
  std::size_t bytes = 0;
  for (const SnapshotInFlight& flight : slots_) {
    bytes += flight.listed.capacity() * sizeof(ListedSlice);
  }
  return bytes;
}

}  // namespace muster
