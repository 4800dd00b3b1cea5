// A client receives an event about an entity only if it receives the entity. Whether the client
// receives the entity is known after the client's entities of interest are updated. Until a
// snapshot with the entity is confirmed, the event is only in payloads that contain the entity. A
// snapshot without the entity may overtake a snapshot with the entity. So the event names its
// entity, and the client keeps the event until the entity arrives. A client shows an entity of
// several slices when all slices have arrived. In this file, an entity is represented by its first
// slice.
#include "net/replication/client_events.h"

#include <algorithm>
#include <cassert>

namespace muster {

void ClientEvents::clear() {
  sender_.clear();
  open_.clear();
  open_bytes_.clear();
}

bool ClientEvents::send_about(const ReplicatedWorld& world, const ClientEntities& entities,
                              NetworkId entity, Tick tick, std::span<const std::byte> event,
                              ClientViewCounters& counters) {
  assert(entity < views_->id_end());
  const SliceId id = views_->slice_id(entity, kFirstSlice);
  const ClientEntity* const known = entities.find(id);
  const ReplicatedEntity* const now = world.find(entity);
  // A client may still have an entity that the world has removed.
  if (known != nullptr && (now == nullptr || now->generation == known->generation)) {
    const EventTurn turn = entities.is_complete(*known) ? EventTurn::any : EventTurn::waits;
    return sender_.push_about({.id = id, .generation = known->generation}, turn, tick, event);
  }
  if (now == nullptr) {
    ++counters.events_not_meant;
    return true;
  }
  if (event.size() > kTimedEventBytesMax || open_.size() == kOpenEventsMax) return false;
  open_.push_back({.subject = {.id = id, .generation = now->generation},
                   .tick = tick,
                   .size_bytes = event.size()});
  open_bytes_.insert(open_bytes_.end(), event.begin(), event.end());
  return true;
}

void ClientEvents::update(const ClientEntities& entities, const SnapshotsInFlight& in_flight,
                          std::size_t room_bytes, ClientViewCounters& counters) {
  decide_open(entities, counters);
  sender_.settle([&](const EventSubject& subject) {
    const ClientEntity* const known = entities.find(subject);
    if (known != nullptr && entities.is_complete(*known)) return EventTurn::any;
    const auto does_not_fit = [&](const ClientEntity& slice) {
      return entities.is_unfit(entities.index_of(slice), room_bytes);
    };
    const bool may_come = known != nullptr
                              ? std::ranges::none_of(entities.slices_of(*known), does_not_fit)
                              : in_flight.lists(subject);
    if (may_come) return EventTurn::waits;
    ++counters.events_not_meant;
    return EventTurn::never;
  });
}

/// Drops each open event whose entity is not of interest now. The entities of interest are up to
/// date for this tick.
void ClientEvents::decide_open(const ClientEntities& entities, ClientViewCounters& counters) {
  std::span<const std::byte> left = open_bytes_;
  for (const OpenEvent& event : open_) {
    const std::span<const std::byte> bytes = left.first(event.size_bytes);
    left = left.subspan(event.size_bytes);
    if (entities.find(event.subject) == nullptr) {
      ++counters.events_not_meant;
    } else if (!sender_.push_about(event.subject, EventTurn::waits, event.tick, bytes)) {
      ++counters.events_refused;
    }
  }
  open_.clear();
  open_bytes_.clear();
}

/// For a removed entity with one slice, one delivered snapshot with the entity is enough. For a
/// removed entity with several slices, it is not known which slices arrived.
void ClientEvents::release(const ClientEntities& entities, const ListedSlice& listed) {
  if (!sender_.has_waiting()) return;
  const NetworkId entity = views_->entity_of(listed.entity.id);
  const EventSubject first{.id = views_->slice_id(entity, kFirstSlice),
                           .generation = listed.entity.generation};
  const ClientEntity* const known = entities.find(first);
  if (known != nullptr ? !entities.is_complete(*known) : views_->is_cut(listed.codec_type)) return;
  sender_.settle([&](const EventSubject& subject) {
    return subject == first ? EventTurn::any : EventTurn::waits;
  });
}

void ClientEvents::allow_in_part(const ClientEntities& entities, const SnapshotWriter& writer,
                                 const IdRange& range) {
  sender_.settle([&](const EventSubject& subject) {
    const ClientEntity* const known = entities.find(subject);
    const auto is_certain = [&](const ClientEntity& slice) {
      return entities.is_certain_in(writer, entities.index_of(slice), range);
    };
    const bool is_listed =
        known != nullptr && std::ranges::all_of(entities.slices_of(*known), is_certain);
    return is_listed ? EventTurn::together : EventTurn::waits;
  });
}

std::size_t ClientEvents::memory_bytes() const {
  return open_.capacity() * sizeof(OpenEvent) + open_bytes_.capacity();
}

}  // namespace muster
