// The sending side of snapshots for one receiver.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "net/snapshot/entity_code.h"
#include "net/snapshot/snapshot_head.h"
#include "net/snapshot/snapshot_model.h"
#include "net/snapshot/snapshot_track.h"

namespace muster {

/// An entity of the world that a receiver is to see. The values must stay where they are,
/// unchanged, until they have not been the truth for `kKnownTicksMax` ticks.
struct EntityState {
  std::uint32_t id = 0;
  EntityKind kind;
  /// The sender would rather not say now that this entity changed: it stays as it was.
  bool is_held = false;
  const LaneValue* values = nullptr;
};

/// Writes snapshots for one receiver: each tick's world in one or several datagrams, each of which
/// can be read without the others. Not thread-safe; writers of different receivers share nothing
/// but the model. After the first snapshots nothing is allocated while the world does not grow.
class SnapshotWriter {
 public:
  /// The model must outlive the writer, and the reader must have the same.
  explicit SnapshotWriter(const SnapshotModel& model) : model_(model) {}

  /// Begins the snapshots of a tick. `world` is sorted by id, and must stay until the last of them
  /// is written. Requires: a tick after the one before.
  void begin(std::uint32_t tick, std::span<const EntityState> world);
  /// Writes the next snapshot of the tick into `out` and returns its bytes. An `out` too small for
  /// a single entity returns nothing, and the entity is left out until there is more room.
  std::span<const std::byte> write(std::span<std::byte> out);
  /// True when the whole world stands in what was written since `begin`.
  bool is_done() const { return is_done_; }
  /// Where the snapshot written last ends: it says all there is of ids below this, from where the
  /// one before it in its tick ended, but for held entities.
  std::uint32_t end_id() const { return end_id_; }
  /// The number of the snapshot written last.
  SnapshotNumber last_number() const { return static_cast<SnapshotNumber>(next_number_ - 1); }

  /// The receiver has acknowledged a snapshot. What is older than the window counts no more.
  void acknowledge(SnapshotNumber number);
  /// The receiver may know nothing any more: the next snapshot says everything.
  void forget_acknowledged() { sent_ = {}; }

  /// Known entities in the last snapshot that differed from what the receiver has.
  std::size_t changed_count() const;
  /// Bytes of memory held.
  std::size_t memory_bytes() const;

 private:
  struct Encoder;
  struct Sent {
    SnapshotNumber number = 0;
    bool is_acknowledged = false;
    bool is_used = false;
    std::uint32_t tick = 0;
  };
  /// One entity that the receiver knows, in the snapshot being written.
  struct Listed {
    EntityTrack* track = nullptr;
    const EntityState* state = nullptr;  ///< Null when it is gone.
    KnownEntity known;
    bool is_quiet = false;
    bool is_changed = false;
    bool is_held = false;  ///< Changed, but not said so. A group at rest has none.
  };

  SnapshotHead next_head() const;
  std::uint32_t expected(const SnapshotHead& head) const;
  void list_world(SnapshotHead& head);
  Listed listed_of(EntityTrack& track, const EntityState* state, const KnownEntity& known) const;
  void write_body(Encoder& encoder, const SnapshotHead& head);
  bool write_new(Encoder& encoder, std::uint32_t& least_id, std::uint32_t last_id);
  bool write_group(Encoder& encoder, const SnapshotHead& head, std::span<const Listed> group);
  void write_entity(Encoder& encoder, const SnapshotHead& head, const Listed& listed);
  void write_new_entity(Encoder& encoder, const EntityState& state);
  bool says_anything() const;
  void remember(const SnapshotHead& head);
  void add_tracks();

  const SnapshotModel& model_;
  std::span<const EntityState> world_;
  std::uint32_t tick_ = 0;
  std::uint32_t next_id_ = 0;  ///< Where the next part of this tick begins.
  bool is_done_ = true;
  SnapshotNumber next_number_ = 0;
  std::array<Sent, kSnapshotWindow> sent_{};
  std::vector<EntityTrack> tracks_;  ///< Sorted by id.
  std::vector<KnownEntity> known_;   ///< Of each track, in the part being written.
  bool follows_changed_ = false;
  std::uint32_t end_id_ = 0;  ///< Where the part being written ends.

  std::vector<Listed> listed_;
  std::vector<const EntityState*> new_;
  std::size_t new_written_ = 0;
  std::vector<LaneValue> values_;
  EntityScratch scratch_;
};

}  // namespace muster
