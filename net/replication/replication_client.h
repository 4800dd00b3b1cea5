// A client's side of replication: turns a connection's payloads into entities that are created,
// changed and removed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/replication/bandwidth.h"
#include "net/replication/replication_messages.h"
#include "net/replication/replication_schema.h"
#include "net/replication/timed_events.h"
#include "net/replication/type_views.h"
#include "net/replication/unsent_messages.h"
#include "net/replication/world_mirror.h"
#include "net/snapshot/model_file.h"
#include "net/transport/connection.h"
#include "registry/base/bytes.h"
#include "registry/base/tick.h"

namespace muster {

/// Options of a replication client.
struct ReplicationClientOptions {
  std::size_t channel =
      /// The connection's channel for replication. It must be reliable and ordered, and nothing
      /// else may use it.
      0;
  ReplicationWish wish{};
  /// The encoded schema that this client expects, or empty. The server does not send an equal
  /// schema.
  std::span<const std::byte> known_schema{};
  /// The model files that this client has in its bundles. If one of these files is the server's
  /// model, the server does not send the model. The files must outlive the client.
  std::vector<std::span<const std::byte>> models{};
  ReaderLimits limits{};
  /// True if `bandwidth` counts the bits of snapshots. Counting costs some time.
  bool has_meter = false;
};

/// The state of a client.
enum class ReplicationPhase : std::uint8_t {
  joining,
  receiving,  ///< Waiting for the schema, the model and the map's data.
  playing,
  failed,  ///< This client cannot follow the server until the next map (`failure` has the reason).
};

/// Whether the game has a received entity.
enum class EntityFound : std::uint8_t {
  here = 0,
  missing = 1,
  lacks_component = 2,
  not_kept = 3,  ///< The game never accepted the entity, so there is nothing to compare.
};

/// The game's copies of the received entities, for comparison with the server's checksums.
class EntityValues {
 public:
  virtual ~EntityValues() = default;
  /// Overwrites `values` with the game's values of an entity. If the entity lacks a component that
  /// it received, sets `lacking` to that component.
  virtual EntityFound values(NetworkId id, std::span<std::int64_t> values,
                             SchemaComponent& lacking) const = 0;
};

struct ReplicationClientCounters {
  std::uint64_t snapshots = 0;
  std::uint64_t snapshot_bytes = 0;
  std::uint64_t late = 0;  ///< Snapshots that arrived too late to be used.
  /// Snapshots that refer to missing snapshots. They are reported to the server.
  std::uint64_t unknown = 0;
  /// Data that no valid server sends, or that this client cannot use.
  std::uint64_t malformed = 0;
  std::uint64_t events = 0;       ///< Events that became due.
  std::uint64_t events_lost = 0;  ///< Due events that the game did not read in time.
  /// Dropped events about entities. The entity was removed before it was shown, or could not be
  /// read, or too many events waited.
  std::uint64_t events_dropped = 0;
  std::uint64_t checksums = 0;    ///< Checksums that were compared with this client's values.
  std::uint64_t divergences = 0;  ///< Checksums that differed.
  std::uint64_t resyncs = 0;      ///< Requests for the whole state.
};

/// Follows a server's world. In each tick, after the connection has received: call `update`, read
/// `changes()` and `events()`, and call `clear()`. The client uses all payloads of the connection,
/// and the blocks for which `is_setup` is true. Only one thread at a time may use this object.
class ReplicationClient {
 public:
  /// `log` may be null. It must outlive the client.
  explicit ReplicationClient(const ReplicationClientOptions& options, DivergenceLog* log = nullptr);
  /// Not copyable, because the members refer to each other.
  ReplicationClient(const ReplicationClient&) = delete;
  ReplicationClient& operator=(const ReplicationClient&) = delete;

  /// Reads received data and sends answers.
  void update(Connection& connection);

  ReplicationPhase phase() const { return phase_; }
  /// The reason of a failure as text; empty if there is no failure.
  const std::string& failure() const { return failure_; }
  /// The server's schema; null before it has arrived. It changes when a map begins.
  const ReplicationSchema* schema() const { return schema_ ? &*schema_ : nullptr; }
  const TypeViews* views() const { return views_ ? &*views_ : nullptr; }
  /// The transport's number of the current map.
  std::uint16_t map() const { return map_; }
  /// The game's own data of the current map, as the server sent it.
  std::span<const std::byte> map_info() const { return map_info_; }

  /// The changes since `clear`, in the order in which to apply them: removed, created, and then
  /// changed entities. When a map begins, all entities are removed. The changes of several
  /// `update`s are combined, so that each entity is removed, created and changed at most once.
  std::span<const ReplicatedChange> changes() const { return changes_; }
  /// Writes an entity's values into `values`, which has all values of its type. Values that this
  /// client does not receive stay unchanged. Returns false if the entity does not exist.
  bool values(NetworkId id, std::span<std::int64_t> values) const {
    return mirror_ && mirror_->values(id, values);
  }
  /// True when an entity exists. A game can use this function to resolve a reference that arrived
  /// before its entity.
  bool has(NetworkId id) const { return mirror_ && mirror_->has(id); }
  /// True when any state of an entity is stored: the entity exists, or the entity was in a snapshot
  /// that newer snapshots had overtaken. In the second case the entity is shown with one of the
  /// next snapshots, unless the entity was removed before that. So the result may stay true for
  /// about 64 snapshots after an entity was removed.
  bool holds(NetworkId id) const { return mirror_ && mirror_->holds(id); }
  /// The tick of an entity's values, or 0 if the entity does not exist. The result is earlier than
  /// `tick()` if the server deferred a change.
  Tick tick_of(NetworkId id) const { return mirror_ ? mirror_->tick_of(id) : Tick(); }
  /// True when all first entities have arrived. The first entities are the entities that were of
  /// interest to this client when the server began to send this map. After that, an entity of the
  /// game for which `holds` is false does not exist at the server, or is not visible to this
  /// client. An entity whose state is too large for a datagram (`UnfitEntity`) does not delay the
  /// result.
  bool is_complete() const { return is_complete_; }
  /// The events since `clear` whose tick has been reached, sorted by tick. At most
  /// `kTimedEventsDueMax` events are kept, and older events are lost. An event about an entity is
  /// never earlier than the `changes()` that contain the entity. The event is also reported if the
  /// entity was created and removed between two `clear`s. The result is valid until the next
  /// `update` or `clear`.
  std::span<const TimedEvent> events() const { return events_.due(); }
  void clear();
  /// Compares the server's checksums of some entities with the game's values. Call this function
  /// after the game has applied `changes()`. If `game` is null or `verify` is not called, the
  /// codec's values are compared. A difference is reported to the server and to the logs of both
  /// ends, and the client requests the whole state.
  void verify(const EntityValues* game);

  /// The newest tick with known state.
  Tick tick() const { return mirror_ ? mirror_->reader().tick() : Tick(); }
  const ReplicationClientCounters& counters() const { return counters_; }
  /// The bandwidth of this map's snapshots. Returns nothing if `has_meter` is false, or before the
  /// client plays.
  std::optional<Bandwidth> bandwidth() const;

 private:
  /// A checksum that waits for its entity to be applied.
  struct Check {
    SliceId id{};
    Tick tick{};
    std::uint32_t expected = 0;
    bool is_pending = false;
    /// True if the entity is missing in the snapshot that should contain it.
    bool is_missing = false;
  };

  void begin_map(std::uint16_t map);
  void apply_message(std::span<const std::byte> message);
  void apply_begin(const BeginMessage& begin);
  void apply_setup(std::span<const std::byte> block);
  std::string use_setup(std::span<const std::byte> block);
  void fail(std::string why);
  bool use_schema(std::span<const std::byte> encoded);
  void apply_payload(std::span<const std::byte> payload);
  bool read_payload_head(ByteReader& reader, Check& check, bool& is_complete);
  void refuse_payload();
  void settle_events();
  bool compare(const Check& check, const SeenEntity& entity, const EntityValues* game);
  void report_missing(const MissingMessage& missing);
  void apply_truth(const TruthMessage& truth);
  void request_everything();
  void disown();

  ReplicationClientOptions options_;
  DivergenceLog* log_;
  ReplicationPhase phase_ = ReplicationPhase::joining;
  std::string failure_;
  std::uint16_t map_ = 0;
  bool has_joined_ = false;
  bool is_complete_ = false;
  std::optional<BeginMessage> begin_;
  WantMessage requested_{};
  std::vector<std::byte> schema_bytes_;
  std::vector<std::byte> model_bytes_;
  std::optional<ReplicationSchema> schema_;
  std::optional<TypeViews> views_;
  std::vector<std::byte> map_info_;
  std::unique_ptr<SnapshotModel> model_;
  std::optional<BitMeter> meter_;
  std::optional<WorldMirror> mirror_;  ///< Has a value while the client plays.
  std::vector<ReplicatedChange> changes_;
  TimedEventReceiver events_;
  std::vector<Check> checks_;
  std::vector<LaneValue> lanes_;
  std::vector<std::int64_t> values_;
  /// The number of snapshots that were received up to the last readable snapshot.
  std::uint64_t applied_at_ = 0;
  std::uint64_t next_resync_ = 0;
  /// When this many snapshots were received, the server knows which snapshots were unreadable.
  std::uint64_t settled_at_ = 0;
  UnsentMessages unsent_;
  ReplicationClientCounters counters_;
};

}  // namespace muster
