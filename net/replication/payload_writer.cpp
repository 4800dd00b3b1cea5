// A payload begins with a head of flags, events and a checksum. The size of the head is known only
// after the snapshot was written. So the snapshot is first written after room for the largest head,
// and is then moved to the end of the head. See REPLICATION_FORMAT.md, "Payload".
#include "net/replication/payload_writer.h"

#include <algorithm>

#include "net/replication/replication_messages.h"
#include "net/wire/section_writer.h"

namespace muster {
namespace {

/// Events may use 1 / `kEventShare` of a payload.
constexpr std::size_t kEventShare = 3;

}  // namespace

std::size_t PayloadWriter::event_bytes(const TimedEventSender& events) const {
  return events.waiting_bytes(memory_.size() / kEventShare);
}

/// If an entity does not fit, the events and the checksum are omitted. If the entity still does not
/// fit, the entity is omitted.
PayloadWriter::Written PayloadWriter::write(const PayloadSources& from, SliceId first_id,
                                            bool is_complete) {
  const bool has_checksum = checksum_interval_ != 0 && from.entities.size() > 0 &&
                            payload_count_++ % checksum_interval_ == 0;
  Written written = write_parts(from, first_id,
                                {.has_events = from.events.sender().has_any(),
                                 .has_checksum = has_checksum,
                                 .is_complete = is_complete});
  while (written.payload.empty()) {
    written = write_parts(from, first_id, {.is_complete = is_complete});
    if (written.payload.empty() && !leave_out(from, from.writer.unfit_id())) break;
  }
  return written;
}

/// Defers an entity whose state does not fit. Returns false if the entity cannot be deferred.
bool PayloadWriter::leave_out(const PayloadSources& from, SliceId id) {
  const std::span<const EntityState> states = from.entities.states();
  const auto found = std::ranges::lower_bound(states, id, {}, &EntityState::id);
  if (found == states.end() || found->id != id || found->is_deferred) return false;
  const auto i = static_cast<std::size_t>(found - states.begin());
  from.entities.defer(i);
  ClientEntity& entity = from.entities[i];
  entity.unfit_since = from.entities.row_since(i);
  entity.unfit_type = found->kind.type;
  entity.unfit_bytes = static_cast<std::uint16_t>(memory_.size());
  ++from.counters.unfit;
  constexpr std::size_t kUnfitMax = 16;  // The maximum per tick. Further states are only counted.
  if (unfit_.size() < kUnfitMax) {
    unfit_.push_back({.id = views_->entity_of(id),
                      .codec_type = found->kind.type,
                      .payload_bytes = memory_.size()});
  }
  return true;
}

PayloadWriter::Written PayloadWriter::write_parts(const PayloadSources& from, SliceId first_id,
                                                  const Parts& parts) {
  from.events.allow_in_part(from.entities, from.writer, {first_id, kEveryId});
  const std::size_t events_max = parts.has_events ? event_bytes(from.events.sender()) : 0;
  constexpr std::size_t kChecksumBytes = 8;
  const std::size_t head_max = 1 + events_max + (parts.has_checksum ? kChecksumBytes : 0);
  const std::span<std::byte> memory = memory_;
  const std::span<const std::byte> bytes = from.writer.write(memory.subspan(head_max));
  if (bytes.empty()) return {};
  // The end of this part decides which events it may contain.
  const IdRange range{first_id, from.writer.end_id()};
  from.events.allow_in_part(from.entities, from.writer, range);
  SectionWriter section(memory.first(head_max));
  section.write_zeros(1);
  std::uint32_t flags = parts.has_checksum ? kPayloadHasChecksum : 0U;
  TimedEventSender& events = from.events.sender();
  if (parts.has_events && events.write(section, events_max, from.writer.last_number()) > 0) {
    flags |= kPayloadHasEvents;
  }
  if (parts.is_complete) flags |= kPayloadIsComplete;
  if (parts.has_checksum) write_checksum(section, from, range);
  memory_[0] = static_cast<std::byte>(flags);
  std::ranges::copy(bytes, memory_.begin() + static_cast<std::ptrdiff_t>(section.used()));
  return {.payload = memory.first(section.used() + bytes.size()), .snapshot_bytes = bytes.size()};
}

/// Writes the checksum of one entity of this snapshot. Each call chooses a different entity. The id
/// `kEveryId` means that there is no checksum.
void PayloadWriter::write_checksum(SectionWriter& section, const PayloadSources& from,
                                   const IdRange& range) {
  const std::span<const EntityState> states = from.entities.states();
  for (std::size_t tries = 0; tries < states.size(); ++tries) {
    const std::size_t i = next_checksum_++ % states.size();
    const EntityState& state = states[i];
    if (!from.entities.is_certain_in(from.writer, i, range)) continue;
    const std::size_t lanes = from.world.views().view(state.kind.type).parts.size();
    section.write_u32(codec_id(state.id));
    section.write_u32(checksum(std::span(state.values, lanes)));
    return;
  }
  section.write_u32(codec_id(kEveryId));
  section.write_u32(0);
}

}  // namespace muster
