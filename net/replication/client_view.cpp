// A snapshot covers all entities of the client. Nothing is deferred while all changes fit.
// Otherwise the most urgent changes are sent, and the entities of all other changes stay unchanged
// at the client. The urgency of a change grows with its waiting time. See REPLICATION_FORMAT.md,
// "Which changes go first".
#include "net/replication/client_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace muster {
namespace {

/// If this many snapshots are unacknowledged, the next snapshot waits until a packet is delivered.
/// Otherwise the newest acknowledged snapshot could leave the window, and the whole state would
/// have to be sent again.
constexpr std::size_t kUnacknowledgedMax = 48;
static_assert(kUnacknowledgedMax > kPartsInFlightMax && kUnacknowledgedMax + 8 < kSnapshotWindow);
/// A snapshot that cannot contain all changes is sent only if there is room for this many bytes. A
/// smaller snapshot would be mostly overhead. The snapshot waits for more room for at most 1 /
/// `kWorthWait` of a second.
constexpr std::size_t kWorthBytes = 80;
constexpr std::uint32_t kWorthWait = 4;
/// If all snapshots of this many seconds have deferred unknown entities, new entities wait. New
/// entities wait until a snapshot defers no unknown entities, but not longer than this many
/// seconds.
constexpr std::uint32_t kSettleSeconds = 2;

}  // namespace

ClientView::ClientView(const ClientViewOptions& options)
    : options_(options),
      writer_(std::in_place, options.model, options.snapshot),
      entities_(options.views, options.interest),
      events_(options.views),
      payloads_(options.views, options.checksum_interval),
      pace_(options.ticks_per_second) {}

void ClientView::restart() {
  ++epoch_;
  writer_.emplace(options_.model, options_.snapshot);
  counters_.events_lost += events_.sender().unconfirmed_count();
  events_.clear();
  entities_.clear();
  in_flight_.clear();
  is_complete_ = false;
}

void ClientView::resync() {
  ++counters_.resyncs;
  is_complete_ = false;
  writer_->forget_acknowledged();
  in_flight_.clear();
  entities_.forget_all(budget_tick_);
}

/// Makes all states that depend on this snapshot unconfirmed, because the client may not have the
/// contents of the snapshot.
void ClientView::disown(SnapshotNumber number) {
  ++counters_.disowned;
  writer_->disown(number);
  const std::optional<Tick> tick = in_flight_.tick_of(number);
  // This snapshot took much longer than the usual round trip, and other snapshots may take as long.
  // A snapshot that is no longer stored was slower than the oldest stored snapshot.
  pace_.was_late(tick ? budget_tick_ - *tick
                      : in_flight_.oldest_ticks(budget_tick_, options_.ticks_per_second / 4.0));
  if (!tick) return;
  is_complete_ = false;
  in_flight_.disown(
      number, [this](const ListedSlice& listed) { entities_.forget(listed.entity, budget_tick_); });
}

bool ClientView::send_event_about(const ReplicatedWorld& world, NetworkId entity, Tick tick,
                                  std::span<const std::byte> event) {
  return events_.send_about(world, entities_, entity, tick, event, counters_);
}

bool ClientView::knows(SliceId slice) const {
  const ClientEntity* const entity = entities_.find(slice);
  return entity != nullptr && entity->was_sent;
}

bool ClientView::knows_as(SliceId slice, CodecType codec_type) const {
  const ClientEntity* const entity = entities_.find(slice);
  return entity != nullptr && entity->was_sent && entity->codec_type == codec_type;
}

void ClientView::apply_delivery_reports(std::span<const DeliveryReport> reports) {
  for (const DeliveryReport& report : reports) {
    if (report.tag >> 16U != epoch_) continue;
    const auto number = static_cast<SnapshotNumber>(report.tag);
    if (!report.delivered) {
      ++counters_.lost;
      apply_loss(number);
      continue;
    }
    ++counters_.delivered;
    events_.sender().delivered(number);
    const SnapshotInFlight* const flight = in_flight_.deliver(number);
    if (flight == nullptr) {
      ++counters_.too_late;
      continue;
    }
    writer_->acknowledge(number);
    for (const ListedSlice& listed : flight->listed) {
      // If it is uncertain whether this part contains the slice, another part may contain it. That
      // part may not have arrived.
      if (listed.is_certain) confirm(*flight, listed, flight->tick);
    }
    in_flight_.settle(*flight, [&](const SnapshotInFlight& arrived, const ListedSlice& listed) {
      const ClientEntity* const entity = find_listed(arrived, listed);
      if (entity != nullptr && !entity->is_confirmed) confirm(arrived, listed, flight->tick);
    });
  }
}

/// Records that the client has the listed entity, from this tick on.
void ClientView::confirm(const SnapshotInFlight& flight, const ListedSlice& listed, Tick tick) {
  if (ClientEntity* const entity = find_listed(flight, listed)) {
    entity->is_confirmed = true;
    entity->acked_since = listed.row_since;
    entity->outdated_since = tick;
  }
  events_.release(entities_, listed);
}

/// Returns the record of a listed entity, or null if the client no longer has the listed state. If
/// the entity was out of interest since then, the client has removed the entity. For an entity with
/// one slice, a state of any view counts. For an entity with several slices, only slices of the
/// same view count.
ClientEntity* ClientView::find_listed(const SnapshotInFlight& flight, const ListedSlice& listed) {
  ClientEntity* const entity = entities_.find(listed.entity);
  if (entity == nullptr || flight.tick < entity->since) return nullptr;
  const TypeViews& views = options_.views;
  const bool is_same_view = listed.codec_type == entity->codec_type ||
                            (!views.is_cut(listed.codec_type) && !views.is_cut(entity->codec_type));
  return is_same_view ? entity : nullptr;
}

/// A lost change waits again if no later snapshot contains the change.
void ClientView::apply_loss(SnapshotNumber number) {
  const SnapshotInFlight* const flight = in_flight_.find(number);
  if (flight == nullptr) return;
  for (const ListedSlice& listed : flight->listed) {
    ClientEntity* const entity = entities_.find(listed.entity);
    if (entity == nullptr || entity->sent_at != flight->tick) continue;
    entity->waiting_since = entity->outdated_since;
    entity->sent_at = {};
  }
}

void ClientView::send(const ReplicatedWorld& world, const InterestGrid& grid,
                      Connection& connection, Time now) {
  const std::uint32_t ticks = world.tick() - budget_tick_;
  budget_tick_ = world.tick();
  if (!entities_.has_first()) settled_at_ = world.tick();
  entities_.update(world, grid, viewer, ticks <= kPastTicksMax);
  events_.update(entities_, in_flight_, payloads_.room_bytes(), counters_);
  std::size_t budget = byte_budget(connection, now, ticks);
  const std::size_t parts_max = pace_.allowed(connection.round_trip(), ticks);
  if (parts_max == 0 || waits_for_acknowledgement(connection)) {
    ++counters_.paced;
    return;
  }
  if (budget == 0 || waits_for_room(budget)) {
    ++counters_.choked;
    return;
  }
  sent_at_ = world.tick();
  delivered_at_send_ = connection.counters().delivered;
  payloads_.set_room(connection.payload_bytes_max());
  // Bytes beyond the allowed number of datagrams do not count as room.
  budget = std::min(budget, parts_max * payloads_.room_bytes());
  const std::size_t event_bytes = payloads_.event_bytes(events_.sender());
  choose(world.tick(), budget - std::min(budget / 2, event_bytes));
  if (entities_.is_replaced()) {
    writer_->begin(world.tick(), entities_.states());
  } else {
    writer_->begin(world.tick(), entities_.states(), entities_.changed());
  }
  entities_.clear_changes();
  send_parts(world, connection, std::min(parts_max, parts_for_new()), budget);
  // This call comes after sending, because a state that did not fit before may fit now.
  note_complete();
}

/// Writes and queues the payloads of the current snapshot.
void ClientView::send_parts(const ReplicatedWorld& world, Connection& connection,
                            std::size_t parts_max, std::size_t budget) {
  const PayloadSources sources{world, entities_, *writer_, events_, counters_};
  SliceId first_id{};
  bool is_whole = false;
  bool keeps_unknown = false;
  estimate_.begin_tick();
  for (std::uint32_t part = 0; part < parts_max && !writer_->is_done() && budget > 0; ++part) {
    const PayloadWriter::Written written = payloads_.write(sources, first_id, is_complete_);
    const std::size_t bytes = written.payload.size();
    if (bytes == 0) break;
    const std::uint64_t tag = epoch_ << 16U | writer_->last_number();
    // A payload that was not queued is never sent. No delivery report and no snapshot refers to
    // such a payload.
    if (connection.send_payload(written.payload, tag) != SendStatus::queued) break;
    record(part, {first_id, writer_->end_id()}, world.tick(), written.snapshot_bytes);
    first_id = writer_->end_id();
    is_whole = writer_->is_done();
    keeps_unknown = keeps_unknown || writer_->keeps_unknown();
    ++counters_.snapshots;
    counters_.snapshot_bytes += bytes;
    budget -= std::min(budget, bytes);
    bytes_saved_ -= static_cast<double>(bytes);
    pace_.sent();
  }
  if (is_whole && !keeps_unknown) settled_at_ = world.tick();
  estimate_.end_tick();
}

/// True when the next snapshot must wait for a delivered packet, because too many snapshots are
/// unacknowledged. While a path is down, the client's newest acknowledged snapshot must not leave
/// the window.
bool ClientView::waits_for_acknowledgement(const Connection& connection) const {
  const std::size_t count = writer_->unacknowledged_count();
  return count >= kUnacknowledgedMax && count < kSnapshotWindow &&
         connection.counters().delivered == delivered_at_send_;
}

/// True when a snapshot that cannot contain all changes would be mostly overhead.
bool ClientView::waits_for_room(std::size_t budget) const {
  return is_short_ && budget < kWorthBytes &&
         budget_tick_ - sent_at_ < options_.ticks_per_second / kWorthWait;
}

/// The number of bytes that the path and the client's own limit allow to send now.
std::size_t ClientView::byte_budget(const Connection& connection, Time now, std::uint32_t ticks) {
  std::size_t budget = connection.budget(now);
  if (bytes_per_second_max == 0) return budget;
  const double per_tick = static_cast<double>(bytes_per_second_max) / options_.ticks_per_second;
  bytes_saved_ = std::min(bytes_saved_ + per_tick * ticks,
                          static_cast<double>(bytes_per_second_max) / 4 + 1200);
  return std::min(budget, static_cast<std::size_t>(std::max(bytes_saved_, 0.0)));
}

/// Defers the changes that must wait. Changes of far entities wait for their turn. If there is too
/// little room for all changes, the least urgent changes wait.
void ClientView::choose(Tick tick, std::size_t budget_bytes) {
  const bool is_settling_now = is_settling(tick);
  find_candidates(tick, is_settling_now);
  const double room_bits = static_cast<double>(budget_bytes) * 8 - estimate_.overhead_bits();
  // `room_bits` may be negative. Then no candidate fits.
  is_short_ = !priority_.is_empty() && priority_.bits() > room_bits;
  if (!is_short_) return;
  const std::span<const std::uint32_t> deferred = priority_.choose(room_bits, is_settling_now);
  for (const std::uint32_t i : deferred) entities_.defer(i);
  counters_.deferred += deferred.size();
}

/// Collects the changes that can be sent now.
void ClientView::find_candidates(Tick tick, bool is_settling_now) {
  priority_.clear();
  entities_.drop_confirmed();
  for (const std::uint32_t i : entities_.active()) {
    const ClientEntity& entity = entities_[i];
    const UpdateClass& update_class = options_.classes[entities_.source(i).options.update_class];
    float distance = distance_to(entities_.source(i));
    if (!(distance < update_class.radius)) distance = update_class.radius;  // Also for NaN.
    const bool waits_for_turn = entity.is_acked() &&
                                tick - entity.sent_at < update_class.far_ticks &&
                                distance > update_class.near_distance;
    // The entity may never fit into a datagram, so settling the client's state does not wait for
    // it.
    const bool is_unfit = entities_.is_unfit(i, payloads_.room_bytes());
    if (is_unfit && is_settling_now && entities_.is_unknown(i)) {
      entities_.state(i).may_be_shown = false;
    }
    if (waits_for_turn || is_unfit) {
      entities_.defer(i);
      continue;
    }
    priority_.add({.index = i,
                   .update_class = &update_class,
                   .distance = distance,
                   .waited_ticks = tick - entity.waiting_since + 1,
                   .bits = expected_bits(i),
                   .is_confirmed = entity.is_acked(),
                   .may_be_shown = entity.may_be_shown,
                   .is_lost = entity.sent_at == Tick()});
  }
}

/// Returns true if new entities must wait, so that a snapshot can contain all unknown entities. A
/// snapshot that defers unknown entities makes the client keep all entities that the snapshot does
/// not list, even removed entities (`SnapshotHead::keeps_unknown`). The client must not keep
/// removed entities for a long time.
bool ClientView::is_settling(Tick tick) const {
  const std::uint32_t interval = kSettleSeconds * options_.ticks_per_second;
  return (tick - settled_at_) / interval % 2 == 1;
}

float ClientView::distance_to(const ReplicatedEntity& entity) const {
  if (!viewer.has_view_position || entity.options.relevance != Relevance::near) return 0;
  const WorldPosition& position = entity.options.position;
  return std::hypot(position.x - viewer.view_position.x, position.y - viewer.view_position.y,
                    position.z - viewer.view_position.z);
}

double ClientView::expected_bits(std::size_t i) const {
  const std::vector<LaneSchema>& lanes =
      options_.model.types[codec_index(entities_.state(i).kind.type)].schema.lanes;
  return entities_[i].is_acked() ? estimate_.update_bits(lanes.size()) : estimate_.new_bits(lanes);
}

/// The number of parts per snapshot while many entities are new to the client, for example when a
/// map begins. The number is low, because each part checks all active entities.
std::size_t ClientView::parts_for_new() const {
  constexpr std::size_t kNewMax = 1'024;
  constexpr std::size_t kChecksMax = 40'000;
  const std::span<const std::uint32_t> active = entities_.active();
  if (active.size() <= kNewMax) return kSnapshotWindow;
  const auto is_new = [&](std::uint32_t i) { return !entities_[i].is_acked(); };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(active, is_new));
  if (count <= kNewMax) return kSnapshotWindow;
  return std::max<std::size_t>(2, kChecksMax / active.size());
}

/// Records the contents of the snapshot that was queued last, and measures its cost.
void ClientView::record(std::uint32_t part, const IdRange& range, Tick tick,
                        std::size_t snapshot_bytes) {
  SnapshotInFlight& flight = in_flight_.add(writer_->last_number(), part, tick);
  double update_bits = 0;
  double new_bits = 0;
  for (const std::uint32_t i : entities_.active()) {
    EntityState& state = entities_.state(i);
    if (state.id < range.first_id || state.id >= range.end_id || state.is_deferred) continue;
    ClientEntity& entity = entities_[i];
    flight.listed.push_back({.entity = {.id = entity.id, .generation = entity.generation},
                             .codec_type = entity.codec_type,
                             .is_certain = entities_.is_certain_in(*writer_, i, range),
                             .row_since = entities_.row_since(i)});
    (entity.is_acked() ? update_bits : new_bits) += expected_bits(i);
    entity.sent_at = tick;
    entity.was_sent = true;
    entity.may_be_shown = true;
    state.may_be_shown = true;
    entity.waiting_since = tick;
  }
  estimate_.learn(update_bits, new_bits, writer_->last_cost(), snapshot_bytes);
}

/// Updates `is_complete_`. Only the entities that existed when the client began must arrive,
/// because new entities may be created all the time. An entity that does not fit into a datagram
/// does not count, because it may never be sent.
void ClientView::note_complete() {
  const auto is_lacking = [&](std::uint32_t i) {
    return entities_[i].is_first && !entities_[i].is_acked() &&
           !entities_.is_unfit(i, payloads_.room_bytes());
  };
  is_complete_ = is_complete_ || std::ranges::none_of(entities_.active(), is_lacking);
}

std::size_t ClientView::memory_bytes() const {
  return sizeof(*this) + writer_->memory_bytes() + payloads_.memory_bytes() +
         entities_.memory_bytes() + events_.memory_bytes() + in_flight_.memory_bytes() +
         priority_.memory_bytes();
}

}  // namespace muster
