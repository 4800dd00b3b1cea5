// A snapshot covers all entities of the client; a deferred one stays unchanged. Nothing is deferred
// while all changes fit. Otherwise a change's urgency grows with its waiting time, and the most
// urgent ones are sent. REPLICATION_FORMAT.md, "Which changes go first".
#include "net/replication/client_view.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "net/wire/byte_io.h"

namespace muster {
namespace {

/// Events may use this fraction (1 / this) of a payload.
constexpr std::size_t kEventShare = 3;
/// Beyond this number of unacknowledged snapshots the next one waits for a delivery. The newest
/// acknowledged one must not leave the window, or everything would be sent again.
constexpr std::size_t kUnacknowledgedMax = 48;
static_assert(kUnacknowledgedMax > kPartsInFlightMax && kUnacknowledgedMax + 8 < kSnapshotWindow);
/// A snapshot that cannot contain all changes is worth its overhead from this size on. A smaller
/// one waits for more room, up to this fraction of a second.
constexpr std::size_t kWorthBytes = 80;
constexpr std::uint32_t kWorthWait = 4;

}  // namespace

void ClientView::restart() {
  ++epoch_;
  writer_.emplace(options_.model, options_.snapshot);
  events_.clear();
  open_events_.clear();
  open_bytes_.clear();
  interest_.clear();
  has_interest_ = false;
  has_first_ = false;
  is_complete_ = false;
  records_.clear();
  for (InFlight& flight : in_flight_) flight.is_used = flight.has_arrived = false;
}

void ClientView::resync() {
  ++counters_.resyncs;
  is_complete_ = false;
  writer_->forget_acknowledged();
  for (InFlight& flight : in_flight_) flight.is_used = flight.has_arrived = false;
  for (std::uint32_t i = 0; i < records_.size(); ++i) {
    records_[i].acked_since = kNotAcked;
    records_[i].sent_at = 0;
    records_[i].was_sent = false;
    records_[i].is_there = false;
    activate(i, budget_tick_);
  }
}

/// The contents of that snapshot may be missing at the client, so all states that depend on it are
/// checked again.
void ClientView::disown(SnapshotNumber number) {
  ++counters_.disowned;
  writer_->disown(number);
  InFlight& flight = in_flight_[window_index(number)];
  const bool is_kept = flight.number == number;
  // Some snapshots take this long, independently of the round trip of those that are not overtaken,
  // and others take longer.
  pace_.was_late(is_kept ? budget_tick_ - flight.tick : oldest_flight_ticks());
  if (!is_kept) return;
  is_complete_ = false;
  flight.is_used = flight.has_arrived = false;
  for (const InFlight& part : in_flight_) {
    if (part.tick != flight.tick) continue;
    for (const ListedSlice& listed : part.listed) {
      // Of other parts, only uncertain contents may have been in this one.
      if (part.number == number || !listed.is_certain) forget(listed);
    }
  }
}

/// The age of the oldest remembered snapshot; a forgotten one was even slower.
double ClientView::oldest_flight_ticks() const {
  double oldest = options_.ticks_per_second / 4.0;
  for (const InFlight& flight : in_flight_) {
    if (!flight.is_used && !flight.has_arrived) continue;
    oldest = std::max<double>(oldest, budget_tick_ - flight.tick);
  }
  return oldest;
}

void ClientView::forget(const ListedSlice& listed) {
  const auto found = std::ranges::lower_bound(records_, listed.entity.id, {}, &Record::id);
  if (found == records_.end() || found->id != listed.entity.id ||
      found->generation != listed.entity.generation) {
    return;
  }
  // Later confirmed states may depend on it.
  found->acked_since = kNotAcked;
  found->sent_at = 0;
  found->is_there = false;
  activate(static_cast<std::uint32_t>(found - records_.begin()), budget_tick_);
}

bool ClientView::knows(std::uint32_t slice_id) const {
  const Record* record = find_record(slice_id);
  return record != nullptr && record->was_sent;
}

bool ClientView::knows_as(std::uint32_t slice_id, std::uint16_t codec_type) const {
  const auto found = std::ranges::lower_bound(states_, slice_id, {}, &EntityState::id);
  return found != states_.end() && found->id == slice_id && found->kind.type == codec_type &&
         knows(slice_id);
}

void ClientView::apply_delivery_reports(std::span<const DeliveryReport> reports) {
  for (const DeliveryReport& report : reports) {
    if (report.tag >> 16U != epoch_) continue;
    const auto number = static_cast<std::uint16_t>(report.tag);
    InFlight& flight = in_flight_[window_index(number)];
    if (!report.delivered) {
      ++counters_.lost;
      apply_loss(number);
      continue;
    }
    ++counters_.delivered;
    events_.delivered(number);
    if (!flight.is_used || flight.number != number) {
      ++counters_.too_late;
      continue;
    }
    flight.is_used = false;
    flight.has_arrived = true;
    writer_->acknowledge(number);
    for (const ListedSlice& listed : flight.listed) {
      // Uncertain contents were in another part, which may not have arrived.
      if (!listed.is_certain) continue;
      if (Record* const record = find_listed(flight, listed)) {
        record->is_there = true;
        record->acked_since = listed.row_since;
        record->outdated_since = flight.tick;
      }
      release_events(listed);
    }
    settle_parts(flight);
  }
}

/// If the parts of a tick arrived from the first on, all their contents have arrived.
void ClientView::settle_parts(const InFlight& flight) {
  auto number = static_cast<std::uint16_t>(flight.number - flight.part);
  for (std::uint32_t part = 0;; ++part, ++number) {
    InFlight& arrived = in_flight_[window_index(number)];
    if (arrived.number != number || arrived.part != part || arrived.tick != flight.tick ||
        !arrived.has_arrived) {
      return;
    }
    if (std::exchange(arrived.is_settled, true)) continue;
    for (const ListedSlice& listed : arrived.listed) {
      Record* const record = find_listed(arrived, listed);
      if (record == nullptr || record->is_there) continue;
      record->is_there = true;
      record->acked_since = listed.row_since;
      record->outdated_since = flight.tick;
      release_events(listed);
    }
  }
}

/// True when a listed entity is the one that the client sees now. For an entity with one slice any
/// view counts; for others, only slices of the same view.
bool ClientView::is_still(const ListedSlice& listed, const Record& record) const {
  const TypeViews& views = options_.views;
  return listed.codec_type == record.codec_type ||
         (!views.is_cut(listed.codec_type) && !views.is_cut(record.codec_type));
}

/// The record of a listed entity, if the client should still have it. An entity that was out of
/// interest meanwhile is gone at the client.
ClientView::Record* ClientView::find_listed(const InFlight& flight, const ListedSlice& listed) {
  Record* const record = find_record(listed.entity);
  const bool is_same_stay = record != nullptr && flight.tick >= record->since;
  return is_same_stay && is_still(listed, *record) ? record : nullptr;
}

/// A lost change that no later snapshot contains waits as if it was never sent.
void ClientView::apply_loss(std::uint16_t number) {
  InFlight& flight = in_flight_[window_index(number)];
  if (!flight.is_used || flight.number != number) return;
  for (const ListedSlice& listed : flight.listed) {
    Record* const record = find_record(listed.entity);
    if (record == nullptr || record->sent_at != flight.tick) continue;
    record->waiting_since = record->outdated_since;
    record->sent_at = 0;
  }
}

void ClientView::send(const ReplicatedWorld& world, const InterestGrid& grid,
                      Connection& connection, Time now) {
  const std::uint32_t ticks = world.tick() - budget_tick_;
  budget_tick_ = world.tick();
  if (!has_first_) settled_at_ = world.tick();
  const bool is_other = refresh_interest(world, grid);
  // After a longer time an entity may have the same row again as before its last changes.
  const bool is_comparable = ticks <= kPastTicksMax;
  if (is_other || !is_comparable || !apply_changes(world)) merge_records(world);
  decide_open_events();
  settle_events();
  // For a client that receives almost nothing, everything has changed eventually.
  if (is_merged_ || changed_.size() > states_.size()) {
    changed_.clear();
    is_merged_ = true;
  }
  std::size_t budget = byte_budget(connection, now, ticks);
  std::size_t parts_max = pace_.allowed(connection.round_trip(), ticks);
  if (parts_max == 0 || waits_for_news(connection)) {
    ++counters_.paced;
    return;
  }
  if (budget == 0 || waits_for_room(budget)) {
    ++counters_.choked;
    return;
  }
  sent_at_ = world.tick();
  delivered_at_send_ = connection.counters().delivered;
  memory_.resize(connection.payload_bytes_max());
  // Bytes beyond the allowed number of datagrams do not count as room.
  budget = std::min(budget, parts_max * memory_.size());
  tick_overhead_bits_ = 0;
  choose(world, budget - std::min(budget / 2, events_.waiting_bytes(memory_.size() / kEventShare)));
  parts_max = std::min(parts_max, parts_for_new());
  if (is_merged_) {
    writer_->begin(world.tick(), states_);
  } else {
    writer_->begin(world.tick(), states_, changed_);
  }
  is_merged_ = false;
  changed_.clear();
  std::uint32_t first_id = 0;
  bool is_complete = false;
  bool keeps_unknown = false;
  for (std::size_t part = 0; part < parts_max && !writer_->is_done() && budget > 0; ++part) {
    const Written written = write_part(world, first_id);
    const std::size_t bytes = written.payload_bytes;
    if (bytes == 0) break;
    const std::uint64_t tag = epoch_ << 16U | writer_->last_number();
    // A payload that was not queued was never sent: it gets no delivery report, and nothing refers
    // to it.
    if (connection.send_payload(std::span(memory_).first(bytes), tag) != SendStatus::queued) break;
    remember(part, first_id, world.tick(), written.snapshot_bytes);
    first_id = writer_->end_id();
    is_complete = writer_->is_done();
    keeps_unknown = keeps_unknown || writer_->keeps_unknown();
    ++counters_.snapshots;
    counters_.snapshot_bytes += bytes;
    budget -= std::min(budget, bytes);
    bytes_saved_ -= static_cast<double>(bytes);
    pace_.sent();
  }
  if (is_complete && !keeps_unknown) settled_at_ = world.tick();
  if (tick_overhead_bits_ > 0) overhead_bits_ += (tick_overhead_bits_ - overhead_bits_) / 8;
  // After the attempt, because entities that had no room before may have fitted this time.
  note_complete();
}

/// True when the next snapshot must wait for a delivered packet, because too many are
/// unacknowledged. While a path is down, the client's newest acknowledged snapshot must not leave
/// the window.
bool ClientView::waits_for_news(const Connection& connection) const {
  const std::size_t count = writer_->unacknowledged_count();
  return count >= kUnacknowledgedMax && count < kSnapshotWindow &&
         connection.counters().delivered == delivered_at_send_;
}

/// True when a snapshot that cannot contain all changes would be mostly overhead.
bool ClientView::waits_for_room(std::size_t budget) const {
  return is_short_ && budget < kWorthBytes &&
         budget_tick_ - sent_at_ < options_.ticks_per_second / kWorthWait;
}

/// The bytes that may be sent now, by the path and by the client's own limit.
std::size_t ClientView::byte_budget(const Connection& connection, Time now, std::uint32_t ticks) {
  std::size_t budget = connection.budget(now);
  if (bytes_per_second_max == 0) return budget;
  const double per_tick = static_cast<double>(bytes_per_second_max) / options_.ticks_per_second;
  bytes_saved_ = std::min(bytes_saved_ + per_tick * ticks,
                          static_cast<double>(bytes_per_second_max) / 4 + 1200);
  return std::min(budget, static_cast<std::size_t>(std::max(bytes_saved_, 0.0)));
}

/// Only entities that existed at the start are waited for, because later ones never end. A state
/// that fits into no datagram may never be sent.
void ClientView::note_complete() {
  const auto is_lacking = [&](std::uint32_t i) {
    return records_[i].is_first && records_[i].acked_since == kNotAcked && !is_unfit(i);
  };
  is_complete_ = is_complete_ || std::ranges::none_of(active_, is_lacking);
}

void ClientView::defer(std::uint32_t i) {
  states_[i].is_deferred = true;
  deferred_.push_back(i);
}

/// Writes the next payload of the tick. If an entity does not fit, the data before the snapshot is
/// left out; if it still does not fit, the entity is left out.
ClientView::Written ClientView::write_part(const ReplicatedWorld& world, std::uint32_t first_id) {
  const bool has_checksum = options_.checksum_interval != 0 && !states_.empty() &&
                            payload_count_++ % options_.checksum_interval == 0;
  Written written = write_payload(world, first_id, events_.has_any(), has_checksum);
  while (written.payload_bytes == 0) {
    written = write_payload(world, first_id, false, false);
    if (written.payload_bytes == 0 && !leave_out(writer_->unfit_id())) break;
  }
  return written;
}

/// Defers an entity whose state does not fit. False if it cannot be sent later.
bool ClientView::leave_out(std::uint32_t id) {
  const auto found = std::ranges::lower_bound(states_, id, {}, &EntityState::id);
  if (found == states_.end() || found->id != id || found->is_deferred) return false;
  const auto i = static_cast<std::size_t>(found - states_.begin());
  defer(static_cast<std::uint32_t>(i));
  records_[i].unfit_since = row_since(i);
  records_[i].unfit_type = found->kind.type;
  records_[i].unfit_bytes = static_cast<std::uint16_t>(memory_.size());
  ++counters_.unfit;
  constexpr std::size_t kUnfitMax = 16;  // Per tick; more are only counted.
  if (unfit_.size() < kUnfitMax) {
    unfit_.push_back({.id = options_.views.entity_of(id),
                      .codec_type = found->kind.type,
                      .payload_bytes = memory_.size()});
  }
  return true;
}

/// True when this state was found not to fit. A larger path gives another chance.
bool ClientView::is_unfit(std::size_t i) const {
  const Record& record = records_[i];
  return record.unfit_bytes != 0 && record.unfit_bytes >= memory_.size() &&
         record.unfit_since == row_since(i) && record.unfit_type == states_[i].kind.type;
}

/// The tick since which all values of the entity are unchanged.
std::uint32_t ClientView::row_since(std::size_t i) const {
  return entities_[i]->since(seen_by(*entities_[i]));
}

ClientView::Written ClientView::write_payload(const ReplicatedWorld& world, std::uint32_t first_id,
                                              bool has_events, bool has_checksum) {
  settle_events_of_part(first_id, kEveryId);
  const std::size_t events_max =
      has_events ? events_.waiting_bytes(memory_.size() / kEventShare) : 0;
  constexpr std::size_t kChecksumBytes = 8;
  const std::size_t head_max = 1 + events_max + (has_checksum ? kChecksumBytes : 0);
  const std::span<std::byte> memory = memory_;
  const std::span<const std::byte> bytes = writer_->write(memory.subspan(head_max));
  if (bytes.empty()) return {};
  // The end of this part decides which events it may contain.
  settle_events_of_part(first_id, writer_->end_id());
  SectionWriter writer(memory.first(head_max));
  writer.write_zeros(1);
  std::uint32_t flags = has_checksum ? kPayloadHasChecksum : 0U;
  if (has_events && events_.write(writer, events_max, writer_->last_number()) > 0) {
    flags |= kPayloadHasEvents;
  }
  if (is_complete_) flags |= kPayloadIsComplete;
  if (has_checksum) write_checksum(writer, world, first_id);
  memory_[0] = static_cast<std::byte>(flags);
  std::ranges::copy(bytes, memory_.begin() + static_cast<std::ptrdiff_t>(writer.used()));
  return {.payload_bytes = writer.used() + bytes.size(), .snapshot_bytes = bytes.size()};
}

/// Writes the checksum of one entity of this snapshot, a different one each time; id `kEveryId`:
/// none.
void ClientView::write_checksum(SectionWriter& writer, const ReplicatedWorld& world,
                                std::uint32_t first_id) {
  for (std::size_t tries = 0; tries < states_.size(); ++tries) {
    const std::size_t i = next_checksum_++ % states_.size();
    const EntityState& state = states_[i];
    if (!is_certainly_listed(i, first_id, writer_->end_id())) continue;
    const std::size_t lanes = world.views().view(state.kind.type).parts.size();
    writer.write_u32(state.id);
    writer.write_u32(checksum(std::span(state.values, lanes)));
    return;
  }
  writer.write_u32(kEveryId);
  writer.write_u32(0);
}

/// Records the contents of the snapshot just queued, and measures its cost.
void ClientView::remember(std::size_t part, std::uint32_t first_id, std::uint32_t tick,
                          std::size_t snapshot_bytes) {
  InFlight& flight = in_flight_[window_index(writer_->last_number())];
  flight.number = writer_->last_number();
  flight.is_used = true;
  flight.has_arrived = false;
  flight.is_settled = false;
  flight.part = static_cast<std::uint32_t>(part);
  flight.tick = tick;
  flight.listed.clear();
  double predicted = 0;
  double predicted_new = 0;
  for (const std::uint32_t i : active_) {
    const EntityState& state = states_[i];
    if (state.id < first_id || state.id >= writer_->end_id() || state.is_deferred) continue;
    Record& record = records_[i];
    flight.listed.push_back({.entity = {.id = record.id, .generation = record.generation},
                             .codec_type = record.codec_type,
                             .is_certain = is_certainly_listed(i, first_id, writer_->end_id()),
                             .row_since = row_since(i)});
    (record.acked_since != kNotAcked ? predicted : predicted_new) += predicted_bits(i);
    record.sent_at = tick;
    record.was_sent = true;
    record.may_be_shown = true;
    states_[i].may_be_shown = true;
    record.waiting_since = tick;
  }
  learn_cost(predicted, predicted_new, snapshot_bytes);
}

std::size_t ClientView::memory_bytes() const {
  std::size_t bytes = sizeof(*this) + writer_->memory_bytes() + memory_.capacity() +
                      (records_.capacity() + next_records_.capacity()) * sizeof(Record) +
                      states_.capacity() * sizeof(EntityState) +
                      entities_.capacity() * sizeof(void*) +
                      (interest_.capacity() + next_interest_.capacity() + candidates_.capacity() +
                       active_.capacity() + deferred_.capacity() + changed_.capacity()) *
                          sizeof(std::uint32_t);
  bytes += open_events_.capacity() * sizeof(OpenEvent) + open_bytes_.capacity();
  for (const InFlight& flight : in_flight_) bytes += flight.listed.capacity() * sizeof(ListedSlice);
  return bytes;
}

}  // namespace muster
