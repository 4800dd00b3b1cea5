// A client's side of replication: from a connection's payloads to entities that come, change and
// go.
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
#include "net/wire/byte_io.h"

namespace muster {

/// What a client wants of its server.
struct ReplicationClientOptions {
  std::size_t channel = 0;  ///< Of the connection: reliable and ordered, for replication alone.
  ReplicationWish wish{};
  /// The encoded schema that this end expects, when it has one: the same one is not sent.
  std::span<const std::byte> known_schema{};
  /// Model files that this end has, from its bundles. The one that the server names is used; one
  /// that is not here is sent. They must outlive the client.
  std::vector<std::span<const std::byte>> models{};
  ReaderLimits limits{};
  /// Whether `bandwidth` counts where the bits of snapshots go; costs some time.
  bool has_meter = false;
};

/// How far the client is.
enum class ReplicationPhase : std::uint8_t {
  joining,
  receiving,  ///< What the server's words mean, and the map.
  playing,
  failed,  ///< This server cannot be followed: `failure` says why. Until the next map.
};

/// What a game has of an entity that it was told of.
enum class EntityFound : std::uint8_t {
  here = 0,
  missing = 1,
  lacks_component = 2,
  not_kept = 3,  ///< It never took it: there is nothing to compare.
};

/// A game's world, as far as it follows a server's.
class EntityValues {
 public:
  virtual ~EntityValues() = default;
  /// Overwrites the values of an entity with those that the game has. When the entity lacks a
  /// component that it was given, `lacking` becomes that one's index in the schema.
  virtual EntityFound values(std::uint32_t id, std::span<std::int64_t> values,
                             std::uint16_t& lacking) const = 0;
};

struct ReplicationClientCounters {
  std::uint64_t snapshots = 0;
  std::uint64_t snapshot_bytes = 0;
  std::uint64_t late = 0;         ///< Snapshots that came too late to be of use.
  std::uint64_t unknown = 0;      ///< Coded against what is not here; the server was told.
  std::uint64_t malformed = 0;    ///< No server of ours sends this, or it cannot be used here.
  std::uint64_t events = 0;       ///< That became due.
  std::uint64_t events_lost = 0;  ///< Of those: the game did not read them in time.
  /// About an entity that went again before it was shown, or could not be read; or too many waited.
  std::uint64_t events_in_vain = 0;
  std::uint64_t checksums = 0;    ///< Compared with what is here.
  std::uint64_t divergences = 0;  ///< Of those: were not the same.
  std::uint64_t resyncs = 0;      ///< Everything was asked for again.
};

/// Each tick, after the connection received: `update`, then read `changes()` and `events()`, then
/// `clear()`. All payloads and the blocks that begin with its magic number belong to it. One thread
/// at a time.
class ReplicationClient {
 public:
  /// `log`, when there is one, must outlive the client.
  explicit ReplicationClient(const ReplicationClientOptions& options, DivergenceLog* log = nullptr);
  /// Its parts refer to each other.
  ReplicationClient(const ReplicationClient&) = delete;
  ReplicationClient& operator=(const ReplicationClient&) = delete;

  /// Reads what arrived and answers.
  void update(Connection& connection);

  ReplicationPhase phase() const { return phase_; }
  /// Why it has failed, for a person; empty when it has not.
  const std::string& failure() const { return failure_; }
  /// What the server's words mean; null before they arrived. Changes when a map begins.
  const ReplicationSchema* schema() const { return schema_ ? &*schema_ : nullptr; }
  const TypeViews* views() const { return views_ ? &*views_ : nullptr; }
  /// The transport's number of the present map.
  std::uint16_t map() const { return map_; }
  /// The game's own data of the present map, as the server gave it.
  std::span<const std::byte> map_info() const { return map_info_; }

  /// What happened since `clear`, in the order to be applied: what goes, what comes, what changes.
  /// When a map begins everything goes. Of what several `update`s have brought, the sum: an entity
  /// goes, comes and changes once at most.
  std::span<const ReplicatedChange> changes() const { return changes_; }
  /// Puts an entity's values into `values`, which has all values of its type; those that this end
  /// does not receive stay as they are. False when there is no such entity.
  bool values(std::uint32_t id, std::span<std::int64_t> values) const {
    return mirror_ && mirror_->values(id, values);
  }
  /// Whether an entity is there: what a reference means that came before it.
  bool has(std::uint32_t id) const { return mirror_ && mirror_->has(id); }
  /// Whether anything of an entity has arrived: it is there, or it was told of by a datagram that
  /// others overtook and is shown with one of the next, unless it has gone meanwhile. So long after
  /// an entity has gone, or one that came so late has, this may still be true: some 64 snapshots.
  bool holds(std::uint32_t id) const { return mirror_ && mirror_->holds(id); }
  /// Whether everything has arrived that there was of this map when the server began to tell this
  /// client of it: what the game has besides, and what nothing is held of (`holds`), is not there,
  /// or none of its business. An entity of which a state fitted into no datagram (`UnfitEntity`) is
  /// an exception: nobody waits for it.
  bool is_complete() const { return is_complete_; }
  /// Events whose tick has been reached and that `clear` has not taken away, by tick; of more than
  /// `kTimedEventsDueMax` the oldest are lost. One about an entity comes with `changes()` that have
  /// it, or later; also when it came and went between two `clear`s. Good until the next `update` or
  /// `clear`.
  std::span<const TimedEvent> events() const { return events_.due(); }
  void clear();
  /// Compares what the server said of some entities with what the game made of them, when
  /// `changes()` have been applied; without, `clear` compares what the codec has. What differs or
  /// is missing is told to the server and to the log on both sides, and everything is asked for
  /// again.
  void verify(const EntityValues* game);

  /// The newest tick of which something is known.
  std::uint32_t tick() const { return mirror_ ? mirror_->reader().tick() : 0; }
  const ReplicationClientCounters& counters() const { return counters_; }
  /// Where the bits of this map's snapshots went; nothing without a meter or before playing.
  std::optional<Bandwidth> bandwidth() const;

 private:
  /// A checksum that waits for its entity to be applied.
  struct Check {
    std::uint32_t id = 0;  ///< In snapshots: a slice's.
    std::uint32_t tick = 0;
    std::uint32_t expected = 0;
    bool is_pending = false;
    bool is_missing = false;  ///< In the snapshot that told of it.
  };

  void begin_map(std::uint16_t map);
  void take_message(std::span<const std::byte> message);
  void take_begin(const BeginMessage& begin);
  void take_setup(std::span<const std::byte> block);
  std::string use_setup(std::span<const std::byte> block);
  void fail(std::string why);
  bool use_schema(std::span<const std::byte> encoded);
  void take_payload(std::span<const std::byte> payload);
  bool read_payload_head(SectionReader& reader, Check& check, bool& is_complete);
  void refuse_payload();
  void settle_events();
  bool compare(const Check& check, const SeenEntity& entity, const EntityValues* game);
  void tell_missing(const MissingMessage& missing);
  void take_truth(const TruthMessage& truth);
  void want_everything();
  void disown();

  ReplicationClientOptions options_;
  DivergenceLog* log_;
  ReplicationPhase phase_ = ReplicationPhase::joining;
  std::string failure_;
  std::uint16_t map_ = 0;
  bool has_joined_ = false;
  bool is_complete_ = false;
  std::optional<BeginMessage> begin_;
  WantMessage wanted_{};
  std::vector<std::byte> schema_bytes_;
  std::vector<std::byte> model_bytes_;
  std::optional<ReplicationSchema> schema_;
  std::optional<TypeViews> views_;
  std::vector<std::byte> map_info_;
  std::unique_ptr<SnapshotModel> model_;
  std::optional<BitMeter> meter_;
  std::optional<WorldMirror> mirror_;  ///< While playing.
  std::vector<ReplicatedChange> changes_;
  TimedEventReceiver events_;
  std::vector<Check> checks_;
  std::vector<LaneValue> lanes_;
  std::vector<std::int64_t> values_;
  std::uint64_t applied_at_ = 0;  ///< How many snapshots had come when one could be read.
  std::uint64_t next_resync_ = 0;
  std::uint64_t settled_at_ = 0;  ///< As many snapshots: of what was unreadable the server knows.
  UnsentMessages unsent_;
  ReplicationClientCounters counters_;
};

}  // namespace muster
