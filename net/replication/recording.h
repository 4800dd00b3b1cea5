// Records a server's world to a file, and plays the file like the world of a server.
// See REPLICATION_FORMAT.md, "Recording".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/replication/bandwidth.h"
#include "net/replication/replicated_world.h"
#include "net/replication/timed_events.h"
#include "net/replication/world_mirror.h"
#include "net/snapshot/snapshot_writer.h"
#include "registry/base/tick.h"

namespace muster {

struct RecordingOptions {
  std::uint16_t ticks_per_second = 60;
  /// The number of ticks between keyframes (full world states). A seek reads at most this many
  /// ticks.
  std::uint32_t keyframe_ticks = 300;
  SnapshotCoder coder = SnapshotCoder::range;
  /// The file of a trained model; empty for the built-in priors. It must outlive the recording.
  std::span<const std::byte> model_file{};
};

/// Records every field of every entity, for all receivers. The caller appends the pending bytes to
/// an empty file. The file can be played at any time, even after the program was killed.
///
///     RecordingWriter recording({}, schema);
///     ... recording.add(server.world());                       // each tick, or each third
///     if (file.append(recording.pending())) recording.clear_pending();
class RecordingWriter {
 public:
  /// Requires: `schema` has no fault, and the model file decodes or is empty.
  RecordingWriter(const RecordingOptions& options, const ReplicationSchema& schema);
  /// Not copyable, because the members refer to each other.
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  /// Starts another map: the world is empty, and `map_info` is the game's data of this map.
  void begin_map(std::span<const std::byte> map_info);
  /// Adds the current world. Requires: the world's tick is after the tick that was added last.
  void add(const ReplicatedWorld& world);
  /// Adds an event of a tick. Requires: the tick is not before the tick that was added last.
  void add_event(Tick tick, std::span<const std::byte> event);
  /// Adds the index. After this call, nothing may be added.
  void finish();

  /// The next bytes of the file. Valid until the next addition.
  std::span<const std::byte> pending() const { return pending_; }
  void clear_pending();
  std::uint64_t byte_count() const { return cleared_ + pending_.size(); }

 private:
  struct Keyframe {
    Tick tick{};
    std::uint64_t offset = 0;
  };

  void follow(const ReplicatedWorld& world);
  void add_record(std::uint8_t kind, Tick tick, std::span<const std::byte> bytes);

  RecordingOptions options_;
  /// The server's schema, changed so that everyone receives every field.
  ReplicationSchema schema_;
  TypeViews views_;
  SnapshotModel model_;
  std::unique_ptr<ReplicatedWorld> world_;
  std::optional<SnapshotWriter> writer_;
  Tick last_tick_{};
  Tick next_keyframe_{};
  std::vector<Keyframe> keyframes_;
  std::vector<std::byte> pending_;
  std::uint64_t cleared_ = 0;
  std::vector<std::int64_t> values_;
  std::vector<NetworkId> gone_;
  /// The server's generation of each entity in `world_`. The generations in `world_` are different
  /// numbers.
  std::unordered_map<NetworkId, std::uint32_t> generations_;
  std::vector<EntityState> states_;
  std::vector<std::byte> memory_;
};

/// A recording with more or larger entities is refused as damaged.
inline constexpr ReaderLimits kRecordedLimits = {.memory_bytes_max = std::size_t{1} << 30U};

/// The result of a step.
enum class [[nodiscard]] RecordingStatus : std::uint8_t{
    tick,     ///< Another tick was played.
    end,      ///< The recording is complete.
    cut,      ///< The file ends within a record, because its writer was stopped.
    damaged,  ///< The bytes are not from a valid writer. Playing cannot continue.
};

/// Plays a recording from untrusted bytes. Only one thread at a time may use this object.
class RecordingReader {
 public:
  /// `file` must outlive the reader. Returns null and sets `error` if `file` is not a recording.
  static std::unique_ptr<RecordingReader> open(std::span<const std::byte> file, std::string& error);
  /// Not copyable, because the members refer to each other.
  RecordingReader(const RecordingReader&) = delete;
  RecordingReader& operator=(const RecordingReader&) = delete;

  std::uint16_t ticks_per_second() const { return ticks_per_second_; }
  const ReplicationSchema& schema() const { return schema_; }
  const TypeViews& views() const { return *views_; }
  std::span<const std::byte> map_info() const { return map_info_; }
  /// The tick of the first keyframe, and the tick of the last keyframe.
  Tick first_tick() const { return keyframes_.empty() ? Tick() : keyframes_.front().tick; }
  Tick last_keyframe_tick() const { return keyframes_.empty() ? Tick() : keyframes_.back().tick; }

  /// Plays the next tick: appends to `changes()` and `events()`.
  RecordingStatus step();
  /// Goes to the last recorded tick at or before `tick`. All entities are removed and created
  /// again. If `tick` is after the end, goes to the last tick. Returns `end` if the recording
  /// begins later or has no tick. If the recording is damaged on the way, the readable part is
  /// applied.
  RecordingStatus seek(Tick tick);

  Tick tick() const { return tick_.value_or(Tick()); }
  /// True when a tick was played. (The first tick may be 0.)
  bool has_tick() const { return tick_.has_value(); }
  std::span<const ReplicatedChange> changes() const { return changes_; }
  std::span<const TimedEvent> events() const { return events_; }
  void clear();
  const WorldMirror& mirror() const { return *mirror_; }

  /// Starts counting the bits of snapshots.
  void begin_meter();
  /// Requires: `begin_meter` was called.
  Bandwidth bandwidth() const { return bandwidth_of(*meter_, *model_, *views_); }

 private:
  struct Keyframe {
    Tick tick{};
    std::size_t offset = 0;
  };
  struct Record {
    std::uint8_t kind = 0;
    Tick tick{};
    std::span<const std::byte> bytes;
    std::size_t end = 0;
  };

  RecordingReader() = default;
  bool read_head(std::string& error);
  RecordingStatus read_record(std::size_t offset, Record& record) const;
  RecordingStatus play(const Record& record);
  RecordingStatus play_tick();
  std::optional<Tick> next_tick() const;
  void find_keyframes();
  bool read_index();
  void reset();
  void begin_mirror();
  void find_map(std::size_t offset);

  std::span<const std::byte> file_;
  std::size_t first_record_ = 0;
  std::size_t position_ = 0;
  std::uint16_t ticks_per_second_ = 60;
  ReplicationSchema schema_;
  std::unique_ptr<TypeViews> views_;
  SnapshotCoder coder_ = SnapshotCoder::range;
  std::unique_ptr<SnapshotModel> model_;
  std::optional<BitMeter> meter_;
  std::unique_ptr<WorldMirror> mirror_;
  std::vector<Keyframe> keyframes_;
  std::span<const std::byte> map_info_;
  std::optional<Tick> tick_;
  std::vector<ReplicatedChange> changes_;
  std::vector<TimedEvent> events_;
  std::uint32_t event_count_ = 0;
};

}  // namespace muster
