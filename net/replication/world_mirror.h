// Snapshots as changes of a world: what comes, changes and goes. An entity that travels in slices
// comes when all of them are there, and goes with the last of them, or when another is there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "net/replication/timed_events.h"
#include "net/replication/type_views.h"
#include "net/snapshot/snapshot_reader.h"

namespace muster {

/// Something that a server says of an entity.
struct ReplicatedChange {
  enum class Kind : std::uint8_t { despawned = 0, spawned = 1, updated = 2 };
  Kind kind = Kind::updated;
  std::uint32_t id = 0;
  std::uint16_t type = 0;  ///< Index into the schema.
  SeenBy seen_by = SeenBy::others;
  /// At which the values were the truth; of an entity in slices, the oldest of them.
  std::uint32_t tick = 0;
};

/// Reads snapshots and tells what they changed. One thread at a time.
class WorldMirror {
 public:
  /// All must outlive the mirror.
  WorldMirror(const ReplicationSchema& schema, const TypeViews& views, const SnapshotModel& model,
              const ReaderLimits& limits, const SnapshotOptions& options)
      : schema_(schema), views_(views), reader_(model, limits, options) {}

  SnapshotVerdict read(std::span<const std::byte> snapshot) { return reader_.read(snapshot); }

  /// Adds what happened since the last call: what goes, what comes, what changes. Of what stays as
  /// it is nothing is said, though snapshots say so. With what `changes` had before it becomes one
  /// list: what came and has gone again is not in it, and so on.
  void list_changes(std::vector<ReplicatedChange>& changes);
  /// Adds the end of everything that was told of.
  void list_end(std::vector<ReplicatedChange>& changes);

  /// Whether an entity has come and not gone, as far as was listed.
  bool has(std::uint32_t id) const { return find_told(id) != nullptr; }
  /// Of the entity that its first slice stands for, whether it was listed, as an event of this tick
  /// asks: also one that has gone since, of the last `kGoneMax`.
  SubjectState state_of(const EventSubject& entity, std::uint32_t tick) const;
  /// Whether anything of an entity is kept (`SnapshotReader::holds`).
  bool holds(std::uint32_t id) const;
  /// Puts an entity's values into `values`, which has all values of its type; those that do not
  /// travel to this end stay as they are. False when there is no such entity, or another view of it
  /// has come in part: an update is listed when it is whole.
  bool values(std::uint32_t id, std::span<std::int64_t> values) const;
  /// A slice, or an entity that has only one, by its id in snapshots; null when there is none.
  const SeenEntity* find_slice(std::uint32_t slice_id) const;
  /// Whether a slice is part of what was listed of its entity.
  bool is_told(const SeenEntity& slice) const;
  /// Whether the other slices of its entity are as new as this one. If not, the whole may equal no
  /// state of the server: half of a text may be old.
  bool is_of_one_tick(const SeenEntity& slice) const;

  const SnapshotReader& reader() const { return reader_; }
  SnapshotReader& reader() { return reader_; }

 private:
  /// What was told of an entity; of one in slices the first one's kind, the least tick, and all
  /// versions together.
  struct Told {
    std::uint32_t id = 0;
    EntityKind kind;
    std::uint32_t tick = 0;
    std::uint64_t version = 0;
    /// It is what the reader has. Else the slices of another view, or of another entity, have begun
    /// to come, or some are older than it, and it is shown as it was.
    bool is_whole = true;
  };

  /// Of an entity that has gone: it may still be spoken of.
  struct Gone {
    std::uint32_t id = 0;
    std::uint32_t generation = 0;
    std::uint32_t tick = 0;  ///< That was known then: what is later is about one that came back.
  };
  static constexpr std::size_t kGoneMax = 1024;

  ReplicatedChange go(const Told& told);
  ReplicatedChange change(ReplicatedChange::Kind kind, const Told& told) const;
  const Told* find_told(std::uint32_t id) const;
  std::span<const SeenEntity> slices_from(std::size_t first) const;
  std::optional<Told> whole_of(std::span<const SeenEntity> slices) const;
  bool is_same_entity(const Told& told, const SeenEntity& seen) const;
  void merge(std::vector<ReplicatedChange>& changes);

  const ReplicationSchema& schema_;
  const TypeViews& views_;
  SnapshotReader reader_;
  std::vector<Told> told_;  ///< Sorted by id.
  std::vector<Told> next_told_;
  std::array<Gone, kGoneMax> gone_{};  ///< A ring.
  std::size_t gone_count_ = 0;         ///< Of all time.
  std::vector<ReplicatedChange> spawned_;
  std::vector<ReplicatedChange> updated_;
  std::vector<ReplicatedChange> next_changes_;
  std::vector<std::uint32_t> order_;  ///< Of a list, by id.
};

}  // namespace muster
