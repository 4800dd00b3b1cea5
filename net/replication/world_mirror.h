// Converts snapshots to changes of a world: created, changed and removed entities. An entity in
// slices is created when all its slices have arrived. It is removed when its last slice is removed,
// or when another entity with the same id has arrived.
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
  /// The tick of the values. For an entity in slices, the tick of the oldest slice.
  Tick tick{};
};

/// Reads snapshots and lists the changes of entities. Only one thread at a time may use this
/// object.
class WorldMirror {
 public:
  /// All arguments must outlive the mirror.
  WorldMirror(const ReplicationSchema& schema, const TypeViews& views, const SnapshotModel& model,
              const ReaderLimits& limits, const SnapshotOptions& options)
      : schema_(schema), views_(views), reader_(model, limits, options) {}

  SnapshotVerdict read(std::span<const std::byte> snapshot) { return reader_.read(snapshot); }

  /// Adds the changes since the last call: removed, created, and then changed entities. An
  /// unchanged entity is not listed, even when a snapshot mentions the entity. The result is
  /// combined with the list already in `changes`: for example, an entity that was created and
  /// removed is not in the list.
  void list_changes(std::vector<ReplicatedChange>& changes);
  /// Adds the removal of every listed entity.
  void list_end(std::vector<ReplicatedChange>& changes);

  /// True when an entity was listed as created and not as removed.
  bool has(NetworkId id) const { return find_listed(id) != nullptr; }
  /// Returns whether an event's entity was listed as created. `tick` is the event's tick. The
  /// entity may be one of the last `kGoneMax` removed entities.
  SubjectState state_of(const EventSubject& entity, Tick tick) const;
  /// The tick of the shown state, or 0 if the entity does not exist. This tick is earlier than the
  /// tick of the newest snapshot if a change was deferred. For an entity in slices, the result is
  /// the tick of the oldest slice.
  Tick tick_of(NetworkId id) const {
    const Listed* const listed = find_listed(id);
    return listed != nullptr ? listed->tick : Tick();
  }
  /// True when any state of an entity is stored (`SnapshotReader::holds`).
  bool holds(NetworkId id) const;
  /// Writes an entity's values into `values`, which has all values of its type. Values that this
  /// client does not receive stay unchanged. Returns false if the entity does not exist, or if only
  /// some slices of another view of the entity have arrived. An update is listed when all slices
  /// have arrived.
  bool values(NetworkId id, std::span<std::int64_t> values) const;
  /// Returns a slice by its id in snapshots, or null if the slice does not exist.
  const SeenEntity* find_slice(SliceId slice) const;
  /// True when a slice is part of a listed entity.
  bool is_listed(const SeenEntity& slice) const;
  /// True when all slices of the entity have the tick of this slice. Otherwise the entity may have
  /// a mixture of old and new values, for example half of an old text.
  bool is_of_one_tick(const SeenEntity& slice) const;

  const SnapshotReader& reader() const { return reader_; }
  SnapshotReader& reader() { return reader_; }

 private:
  /// A listed entity. For an entity in slices, `kind` is the kind of the first slice, `tick` is the
  /// minimum tick of all slices, and `version` is the sum of their versions.
  struct Listed {
    NetworkId id{};
    EntityKind kind;
    Tick tick{};
    std::uint64_t version = 0;
    /// True if the listed state equals the reader's state. Otherwise slices of another view or
    /// entity have begun to arrive, or some slices are older. The old state is then still shown.
    bool is_complete = true;
  };

  /// A removed entity. Later events may still refer to it.
  struct Gone {
    NetworkId id{};
    std::uint32_t generation = 0;
    /// The newest tick at the time of the removal. A later event is about a newer entity with the
    /// id.
    Tick tick{};
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
  std::array<Gone, kGoneMax> gone_{};  ///< A ring buffer of the last removed entities.
  std::size_t gone_count_ = 0;         ///< The number of removed entities so far.
  std::vector<ReplicatedChange> spawned_;
  std::vector<ReplicatedChange> updated_;
  std::vector<ReplicatedChange> next_changes_;
  std::vector<std::uint32_t> order_;  ///< Indices into a list of changes, sorted by id.
};

}  // namespace muster
