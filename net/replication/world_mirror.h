// Converts snapshots to changes of a world: created, changed and removed entities. An entity in
// slices is created when all of them have arrived. It is removed with the last of them, or when
// another entity of its id has arrived.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "net/replication/schema_type.h"
#include "net/replication/timed_events.h"
#include "net/replication/type_views.h"
#include "net/snapshot/snapshot_reader.h"
#include "registry/base/network_id.h"
#include "registry/base/tick.h"

namespace muster {

/// A change of an entity.
struct ReplicatedChange {
  enum class Kind : std::uint8_t { despawned = 0, spawned = 1, updated = 2 };
  Kind kind = Kind::updated;
  NetworkId id{};
  SchemaType type{};
  SeenBy seen_by = SeenBy::others;
  /// The tick of the values; for an entity in slices, of the oldest one.
  Tick tick{};
};

/// Reads snapshots and lists what they changed. One thread at a time.
class WorldMirror {
 public:
  /// All arguments must outlive the mirror.
  WorldMirror(const ReplicationSchema& schema, const TypeViews& views, const SnapshotModel& model,
              const ReaderLimits& limits, const SnapshotOptions& options)
      : schema_(schema), views_(views), reader_(model, limits, options) {}

  SnapshotVerdict read(std::span<const std::byte> snapshot) { return reader_.read(snapshot); }

  /// Adds the changes since the last call: removed, created, changed entities. Unchanged entities
  /// are not listed, even when a snapshot mentions them. The result is combined with the list
  /// already in `changes`: for example, an entity that was created and removed is not in it.
  void list_changes(std::vector<ReplicatedChange>& changes);
  /// Adds the removal of every listed entity.
  void list_end(std::vector<ReplicatedChange>& changes);

  /// True when an entity was listed as created and not as removed.
  bool has(NetworkId id) const { return find_listed(id) != nullptr; }
  /// Returns whether an event's entity, identified by its first slice, was listed at the event's
  /// tick. It may be one of the last `kGoneMax` removed entities.
  SubjectState state_of(const EventSubject& entity, Tick tick) const;
  /// The tick of the shown state. It is earlier than the tick of the newest snapshot if a change
  /// was deferred. For an entity in slices it is the tick of the oldest slice. 0 if the entity does
  /// not exist.
  Tick tick_of(NetworkId id) const {
    const Listed* const listed = find_listed(id);
    return listed != nullptr ? listed->tick : Tick{};
  }
  /// True when any state of an entity is stored (`SnapshotReader::holds`).
  bool holds(NetworkId id) const;
  /// Writes an entity's values into `values`, which has all values of its type. Values that are not
  /// sent to this end stay unchanged. Returns false if the entity does not exist, or if another
  /// view of it has arrived only in part: an update is listed when it is complete.
  bool values(NetworkId id, std::span<std::int64_t> values) const;
  /// Returns a slice, or an entity with only one, by its id in snapshots; null if it does not
  /// exist.
  const SeenEntity* find_slice(SliceId slice) const;
  /// True when a slice is part of a listed entity.
  bool is_listed(const SeenEntity& slice) const;
  /// True when all slices of the entity are as new as this one. Otherwise the whole entity may
  /// equal no state of the server: half of a text may be old.
  bool is_of_one_tick(const SeenEntity& slice) const;

  const SnapshotReader& reader() const { return reader_; }
  SnapshotReader& reader() { return reader_; }

 private:
  /// A listed entity. For an entity in slices it has the first slice's kind, the minimum tick of
  /// all slices, and the sum of their versions.
  struct Listed {
    NetworkId id{};
    EntityKind kind;
    Tick tick{};
    std::uint64_t version = 0;
    /// The listed state equals the reader's state. Otherwise slices of another view or entity have
    /// begun to arrive, or some slices are older, and the old state is still shown.
    bool is_complete = true;
  };

  /// A removed entity; later events may still refer to it.
  struct Gone {
    NetworkId id{};
    std::uint32_t generation = 0;
    Tick tick{};  ///< The newest tick then: a later event is about a newer entity of the
                  ///< id.
  };
  static constexpr std::size_t kGoneMax = 1024;

  ReplicatedChange go(const Listed& listed);
  ReplicatedChange change(ReplicatedChange::Kind kind, const Listed& listed) const;
  const Listed* find_listed(NetworkId id) const;
  std::span<const SeenEntity> slices_from(std::size_t first) const;
  std::optional<Listed> whole_of(std::span<const SeenEntity> slices) const;
  bool is_same_entity(const Listed& listed, const SeenEntity& seen) const;
  void merge(std::vector<ReplicatedChange>& changes);

  const ReplicationSchema& schema_;
  const TypeViews& views_;
  SnapshotReader reader_;
  std::vector<Listed> listed_;  ///< Sorted by id.
  std::vector<Listed> next_listed_;
  std::array<Gone, kGoneMax> gone_{};  ///< A ring.
  std::size_t gone_count_ = 0;         ///< Total count.
  std::vector<ReplicatedChange> spawned_;
  std::vector<ReplicatedChange> updated_;
  std::vector<ReplicatedChange> next_changes_;
  std::vector<std::uint32_t> order_;  ///< Indices of a list, by id.
};

}  // namespace muster
