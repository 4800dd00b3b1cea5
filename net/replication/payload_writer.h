// Writes the payloads of a tick. A payload contains a part of the snapshot, and can also contain
// events and a checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "net/replication/client_entities.h"
#include "net/replication/client_events.h"
#include "net/replication/client_view_counters.h"
#include "net/snapshot/codec_type.h"
#include "net/snapshot/slice_id.h"
#include "net/snapshot/snapshot_writer.h"

namespace muster {

/// A state of an entity, or of a slice of an entity, that does not fit into a datagram. Such a
/// state is not sent to the client. A state can be so large if the priors were trained on very
/// different data.
struct UnfitState {
  NetworkId id{};
  CodecType codec_type{};
  std::size_t payload_bytes = 0;  ///< The room in a datagram.
};

/// The inputs of the payloads of a tick.
struct PayloadSources {
  const ReplicatedWorld& world;
  ClientEntities& entities;
  SnapshotWriter& writer;
  ClientEvents& events;
  ClientViewCounters& counters;
};

/// Writes the payloads for one client. Only one thread at a time may use this object. It allocates
/// nothing in steady state.
class PayloadWriter {
 public:
  struct Written {
    std::span<const std::byte> payload;  ///< Empty if nothing fits. Valid until the next `write`.
    std::size_t snapshot_bytes = 0;
  };

  /// `views` must outlive this object. One of `checksum_interval` payloads carries a checksum; with
  /// 0, no payload does.
  PayloadWriter(const TypeViews& views, std::uint16_t checksum_interval)
      : views_(&views), checksum_interval_(checksum_interval) {}

  /// Sets the size of the largest payload.
  void set_room(std::size_t bytes) { memory_.resize(bytes); }
  std::size_t room_bytes() const { return memory_.size(); }
  /// The bytes of events that the next payload will contain, if all of them are allowed.
  std::size_t event_bytes(const TimedEventSender& events) const;
  /// Writes the next payload of the tick, with entities from `first_id` on. `is_complete` is true
  /// if the client has all entities that were of interest when it began. Requires: `writer.begin`
  /// was called.
  Written write(const PayloadSources& from, SliceId first_id, bool is_complete);

  /// The states that did not fit since `clear_unfit`. Each state is listed once.
  std::span<const UnfitState> unfit() const { return unfit_; }
  void clear_unfit() { unfit_.clear(); }
  std::size_t memory_bytes() const { return memory_.capacity(); }

 private:
  struct Parts {
    bool has_events = false;
    bool has_checksum = false;
    bool is_complete = false;
  };

  Written write_parts(const PayloadSources& from, SliceId first_id, const Parts& parts);
  bool leave_out(const PayloadSources& from, SliceId id);
  void write_checksum(SectionWriter& section, const PayloadSources& from, const IdRange& range);

  const TypeViews* views_;
  std::uint16_t checksum_interval_;
  std::uint32_t next_checksum_ = 0;
  std::uint32_t payload_count_ = 0;
  std::vector<std::byte> memory_;  ///< Room for the largest payload.
  std::vector<UnfitState> unfit_;
};

}  // namespace muster
