// Events about entities. A client receives an event only if it receives the entity, which is known
// when its view is updated. Until a snapshot with the entity is confirmed, only payloads that
// contain the entity carry the event. Such a snapshot may be overtaken by one without the entity;
// so the event names its entity, and the client waits for it. A client shows an entity of several
// slices when all have arrived; here its first slice represents it.
#include <algorithm>
#include <cassert>

#include "net/replication/client_view.h"

namespace muster {

bool ClientView::send_event_about(const ReplicatedWorld& world, std::uint32_t entity,
                                  std::uint32_t tick, std::span<const std::byte> event) {
  assert(entity < options_.views.id_end());
  const std::uint32_t id = options_.views.slice_id(entity, 0);
  const Record* record = find_record(id);
  const ReplicatedEntity* now = world.find(entity);
  // A removed entity still exists for the client, if it ever did.
  if (record != nullptr && (now == nullptr || now->generation == record->generation)) {
    const EventTurn turn = is_complete(*record) ? EventTurn::any : EventTurn::waits;
    return events_.push_about({.id = id, .generation = record->generation}, turn, tick, event);
  }
  if (now == nullptr) {
    ++counters_.events_not_meant;
    return true;
  }
  if (event.size() > kTimedEventBytesMax || open_events_.size() == kOpenEventsMax) return false;
  open_events_.push_back({.subject = {.id = id, .generation = now->generation},
                          .tick = tick,
                          .size_bytes = event.size()});
  open_bytes_.insert(open_bytes_.end(), event.begin(), event.end());
  return true;
}

/// The interest is up to date for this tick: an event about any other entity is dropped.
void ClientView::decide_open_events() {
  std::span<const std::byte> left = open_bytes_;
  for (const OpenEvent& event : open_events_) {
    const std::span<const std::byte> bytes = left.first(event.size_bytes);
    left = left.subspan(event.size_bytes);
    if (find_record(event.subject) == nullptr) {
      ++counters_.events_not_meant;
    } else if (!events_.push_about(event.subject, EventTurn::waits, event.tick, bytes)) {
      ++counters_.events_refused;
    }
  }
  open_events_.clear();
  open_bytes_.clear();
}

void ClientView::settle_events() {
  events_.settle([&](const EventSubject& subject) {
    const Record* record = find_record(subject);
    if (record != nullptr && is_complete(*record)) return EventTurn::any;
    const auto does_not_fit = [&](const Record& slice) {
      return is_unfit(static_cast<std::size_t>(&slice - records_.data()));
    };
    const bool may_come = record != nullptr ? std::ranges::none_of(slices_of(*record), does_not_fit)
                                            : is_in_flight(subject);
    if (may_come) return EventTurn::waits;
    ++counters_.events_not_meant;
    return EventTurn::never;
  });
}

/// The client has the contents of a snapshot. For a removed entity that is enough if it had one
/// slice; for several slices their arrival is not recorded.
void ClientView::release_events(const ListedSlice& listed) {
  if (!events_.has_waiting()) return;
  const std::uint32_t entity = options_.views.entity_of(listed.entity.id);
  const EventSubject first{.id = options_.views.slice_id(entity, 0),
                           .generation = listed.entity.generation};
  const Record* record = find_record(first);
  if (record != nullptr ? !is_complete(*record) : options_.views.is_cut(listed.codec_type)) return;
  events_.settle([&](const EventSubject& subject) {
    return subject == first ? EventTurn::any : EventTurn::waits;
  });
}

std::span<const ClientView::Record> ClientView::slices_of(const Record& first) const {
  const auto i = static_cast<std::size_t>(&first - records_.data());
  return std::span(records_).subspan(i, options_.views.slice_count(first.codec_type));
}

/// True when the client has all slices of an entity.
bool ClientView::is_complete(const Record& first) const {
  return std::ranges::all_of(slices_of(first), &Record::is_there);
}

/// Allows the events whose entities this part of the snapshot, with these ids, contains.
void ClientView::settle_events_of_part(std::uint32_t first_id, std::uint32_t end_id) {
  events_.settle([&](const EventSubject& subject) {
    const Record* record = find_record(subject);
    const auto is_certain = [&](const Record& slice) {
      return is_certainly_listed(static_cast<std::size_t>(&slice - records_.data()), first_id,
                                 end_id);
    };
    const bool is_listed = record != nullptr && std::ranges::all_of(slices_of(*record), is_certain);
    return is_listed ? EventTurn::together : EventTurn::waits;
  });
}

/// True when the last written snapshot contains an entity for certain; before it is written, when
/// it may.
bool ClientView::is_certainly_listed(std::size_t i, std::uint32_t first_id,
                                     std::uint32_t end_id) const {
  const std::uint32_t id = records_[i].id;
  return id >= first_id && id < end_id && !states_[i].is_deferred && !writer_->passes_over(id);
}

/// True when a snapshot with an entity that is removed by now may still arrive.
bool ClientView::is_in_flight(const EventSubject& entity) const {
  return std::ranges::any_of(in_flight_, [&](const InFlight& flight) {
    return flight.is_used &&
           std::ranges::find(flight.listed, entity, &ListedSlice::entity) != flight.listed.end();
  });
}

}  // namespace muster
