// Snapshots as changes of a world: what comes, changes and goes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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
  std::uint32_t tick = 0;  ///< At which the values were the truth.
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

  /// Null when there is no such entity.
  const SeenEntity* find(std::uint32_t id) const;
  /// Puts an entity's values into `values`, which has all values of its type; those that do not
  /// travel to this end stay as they are. False when there is no such entity.
  bool values(std::uint32_t id, std::span<std::int64_t> values) const;

  const SnapshotReader& reader() const { return reader_; }
  SnapshotReader& reader() { return reader_; }

 private:
  /// What was told of an entity.
  struct Told {
    std::uint32_t id = 0;
    EntityKind kind;
    std::uint32_t tick = 0;
    std::uint64_t version = 0;
  };

  ReplicatedChange change(ReplicatedChange::Kind kind, const Told& told) const;
  bool is_same_entity(const Told& told, const SeenEntity& seen) const;
  void merge(std::vector<ReplicatedChange>& changes);

  const ReplicationSchema& schema_;
  const TypeViews& views_;
  SnapshotReader reader_;
  std::vector<Told> told_;  ///< Sorted by id.
  std::vector<Told> next_told_;
  std::vector<ReplicatedChange> spawned_;
  std::vector<ReplicatedChange> updated_;
  std::vector<ReplicatedChange> next_changes_;
  std::vector<std::uint32_t> order_;  ///< Of a list, by id.
};

}  // namespace muster
