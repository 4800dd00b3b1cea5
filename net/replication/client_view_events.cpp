// Events about entities. Whether a client gets an entity is known when its view is brought up to
// date; that it has it, when a snapshot that tells of it is known to have arrived. Until then such
// an event stands in those payloads alone that tell of the entity. The snapshot may have been
// overtaken by one that does not show it: so the entity stands with the event, and the client
// waits. A client shows an entity of several slices when it has them all; its first slice stands
// for it here.
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
  // One that has just gone is still there for the client, if it ever was.
  if (record != nullptr && (now == nullptr || now->generation == record->generation)) {
    const EventTurn turn = is_whole(*record) ? EventTurn::any : EventTurn::waits;
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

/// The interest is as it is this tick: who is not in it is not for this client.
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
    if (record != nullptr && is_whole(*record)) return EventTurn::any;
    const auto does_not_fit = [&](const Record& slice) {
      return is_unfit(static_cast<std::size_t>(&slice - records_.data()));
    };
    const bool may_come = record != nullptr ? std::ranges::none_of(slices_of(*record), does_not_fit)
                                            : is_on_its_way(subject);
    if (may_come) return EventTurn::waits;
    ++counters_.events_not_meant;
    return EventTurn::never;
  });
}

/// The client has what was said. Of an entity that is gone that will do if it was all of it;
/// whether the client has all slices of one, nobody keeps.
void ClientView::release_events(const Said& said) {
  if (!events_.has_waiting()) return;
  const std::uint32_t entity = options_.views.entity_of(said.entity.id);
  const EventSubject first{.id = options_.views.slice_id(entity, 0),
                           .generation = said.entity.generation};
  const Record* record = find_record(first);
  if (record != nullptr ? !is_whole(*record) : options_.views.is_cut(said.codec_type)) return;
  events_.settle([&](const EventSubject& subject) {
    return subject == first ? EventTurn::any : EventTurn::waits;
  });
}

std::span<const ClientView::Record> ClientView::slices_of(const Record& first) const {
  const auto i = static_cast<std::size_t>(&first - records_.data());
  return std::span(records_).subspan(i, options_.views.slice_count(first.codec_type));
}

/// Whether the client has all slices of an entity.
bool ClientView::is_whole(const Record& first) const {
  return std::ranges::all_of(slices_of(first), &Record::is_there);
}

/// Lets those go whose entities the snapshot tells of that speaks of these ids.
void ClientView::settle_events_of_part(std::uint32_t first_id, std::uint32_t end_id) {
  events_.settle([&](const EventSubject& subject) {
    const Record* record = find_record(subject);
    const auto is_certain = [&](const Record& slice) {
      return is_told_for_certain(static_cast<std::size_t>(&slice - records_.data()), first_id,
                                 end_id);
    };
    const bool is_told = record != nullptr && std::ranges::all_of(slices_of(*record), is_certain);
    return is_told ? EventTurn::together : EventTurn::waits;
  });
}

/// Whether the snapshot written last tells of an entity, or before it is written, may do so.
bool ClientView::is_told_for_certain(std::size_t i, std::uint32_t first_id,
                                     std::uint32_t end_id) const {
  const std::uint32_t id = records_[i].id;
  return id >= first_id && id < end_id && !states_[i].is_deferred && !writer_->passes_over(id);
}

/// Whether a snapshot that told of an entity, which is gone by now, may still arrive.
bool ClientView::is_on_its_way(const EventSubject& entity) const {
  return std::ranges::any_of(in_flight_, [&](const InFlight& flight) {
    return flight.is_used &&
           std::ranges::find(flight.said, entity, &Said::entity) != flight.said.end();
  });
}

}  // namespace muster
