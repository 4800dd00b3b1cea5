// The sending side of snapshots for one receiver.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "net/snapshot/entity_code.h"
#include "net/snapshot/quiet_walk.h"
#include "net/snapshot/snapshot_head.h"
#include "net/snapshot/snapshot_model.h"
#include "net/snapshot/snapshot_options.h"
#include "net/snapshot/snapshot_track.h"

namespace muster {

/// When the caller does not know since when an entity has been as it is.
inline constexpr std::uint32_t kUnknownTick = 0xFFFF'FFFF;

/// An entity of the world that a receiver is to see. The values must stay where they are,
/// unchanged, until they have not been the truth for `kKnownTicksMax` ticks.
struct EntityState {
  std::uint32_t id = 0;
  EntityKind kind;
  /// The sender would rather not say now that this entity changed: it stays as it was.
  bool is_held = false;
  const LaneValue* values = nullptr;
  /// The first tick of those up to now in which its values were these. Found by comparison when it
  /// is not given; a caller with many receivers finds it once for all.
  std::uint32_t since = kUnknownTick;
};

/// Writes snapshots for one receiver: each tick's world in one or several datagrams, each of which
/// can be read without the others. Not thread-safe; writers of different receivers share nothing
/// but the model. After the first snapshots nothing is allocated while the world does not grow.
class SnapshotWriter {
 public:
  /// The model must outlive the writer, and the reader must have the same, and the same options.
  explicit SnapshotWriter(const SnapshotModel& model, const SnapshotOptions& options = {})
      : model_(model), options_(options) {}

  /// Begins the snapshots of a tick. `world` is sorted by id, and must stay until the last of them
  /// is written. Requires: a tick after the one before.
  void begin(std::uint32_t tick, std::span<const EntityState> world);
  /// Writes the next snapshot of the tick into `out` and returns its bytes. An `out` too small for
  /// a single entity returns nothing; `unfit_id` says which. Whoever holds it, in the world that
  /// was given to `begin`, may write again: then it is left out, and those behind it are not.
  std::span<const std::byte> write(std::span<std::byte> out);
  /// The entity for which the last `write` had no room.
  std::uint32_t unfit_id() const { return unfit_id_; }
  /// True when the whole world stands in what was written since `begin`.
  bool is_done() const { return is_done_; }
  /// Where the snapshot written last ends: it says all there is of ids below this, from where the
  /// one before it in its tick ended, but for held entities.
  std::uint32_t end_id() const { return end_id_; }
  /// The number of the snapshot written last.
  SnapshotNumber last_number() const { return static_cast<SnapshotNumber>(next_ - 1); }

  /// The receiver has acknowledged a snapshot. What is older than the window counts no more.
  void acknowledge(SnapshotNumber number);
  /// The receiver has this snapshot, but could not read it: nothing is coded against it any more.
  void disown(SnapshotNumber number);
  /// The receiver may know nothing any more: the next snapshot says everything.
  void forget_acknowledged() { sent_ = {}; }

  /// Known entities in the last snapshot that differed from what the receiver has.
  std::size_t changed_count() const;
  /// Bytes of memory held.
  std::size_t memory_bytes() const;

 private:
  struct Sent {
    SnapshotSerial serial = 0;
    bool is_acknowledged = false;
    bool is_used = false;
  };
  /// A track, and what is known of the world that it follows.
  struct Followed {
    EntityTrack track;
    const EntityState* state = nullptr;  ///< In the world being written; null when it is not there.
    const LaneValue* values = nullptr;   ///< Of the newest tick, ...
    EntityKind kind;
    std::uint32_t since = 0;  ///< ... since when they are so.
  };
  /// One entity that the receiver knows, in the snapshot being written.
  struct Listed {
    Followed* followed = nullptr;
    const EntityState* state = nullptr;  ///< Null when it is gone.
    bool is_quiet = false;
    bool is_changed = false;
    bool is_held = false;  ///< Changed, but not said so. A group asleep has none.
    bool is_steady = false;
  };

  struct QuietView;

  SnapshotHead next_head() const;
  std::uint32_t expected(const SnapshotHead& head) const;
  void list_world(SnapshotHead& head);
  void list_track(SnapshotHead& head, Followed& followed);
  bool is_as_known(const Followed& followed) const;
  KnownEntity known_of(const EntityTrack& track) const;
  template <typename Encoder>
  std::span<const std::byte> write_with(std::span<std::byte> out);
  template <typename Encoder>
  void write_body(Encoder& encoder, const SnapshotHead& head);
  template <typename Encoder>
  bool write_new(Encoder& encoder, const SnapshotHead& head, std::uint32_t& least_id,
                 std::size_t first);
  template <typename Encoder>
  bool write_listed(Encoder& encoder, const SnapshotHead& head);
  std::uint32_t id_of(std::size_t listed) const { return listed_[listed].followed->track.id; }
  template <typename Encoder>
  void write_entity(Encoder& encoder, const SnapshotHead& head, const Listed& listed);
  template <typename Encoder>
  void write_new_entity(Encoder& encoder, const EntityState& state);
  bool says_anything() const;
  void remember();
  void remember_track(Followed& followed, bool is_said, bool is_there);
  void follow_world();
  void follow(Followed& followed, const EntityState& state);
  void forget_tracks();

  const SnapshotModel& model_;
  SnapshotOptions options_;
  std::span<const EntityState> world_;
  std::uint32_t tick_ = 0;
  bool is_comparable_ = false;  ///< The values of the tick before are still there.
  std::uint32_t next_id_ = 0;   ///< Where the next part of this tick begins.
  bool is_done_ = true;
  SnapshotSerial next_ = 0;
  std::array<Sent, kSnapshotWindow> sent_{};
  SnapshotTicks ticks_{};
  std::vector<Followed> tracks_;  ///< Sorted by id.
  TrackStore records_;
  ReferenceStates references_;  ///< Of the part being written.
  bool follows_changed_ = false;
  std::uint32_t end_id_ = 0;    ///< Where the part being written ends, ...
  std::uint32_t unfit_id_ = 0;  ///< ... and because of whom.

  std::vector<Listed> listed_;
  std::vector<KnownEntity> known_;  ///< Of those listed that are not steady, in their order.
  std::size_t next_listed_ = 0;     ///< The entity that is written next ...
  std::size_t next_known_ = 0;      ///< ... and what is known of it.
  std::size_t quiet_count_ = 0;     ///< Of those listed.
  std::vector<std::uint32_t> changed_quiet_;  ///< Which of the quiet ones changed.
  QuietWalk quiet_walk_;
  std::size_t quiet_passed_ = 0;
  std::size_t next_changed_ = 0;
  bool has_new_here_ = false;  ///< In the block of known entities being written.
  std::vector<const EntityState*> new_;
  std::size_t new_written_ = 0;
  std::vector<LaneValue> values_;
  EntityScratch scratch_;
};

}  // namespace muster
