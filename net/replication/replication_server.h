// A server's side of replication: tells each client what it should know of the world, within what
// its connection can carry.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "net/replication/client_view.h"
#include "net/replication/interest.h"
#include "net/replication/replicated_world.h"
#include "net/replication/replication_messages.h"
#include "net/snapshot/snapshot_model.h"
#include "net/transport/connection.h"

namespace muster {

/// What a server decides for all its clients.
struct ReplicationServerOptions {
  std::size_t channel = 0;  ///< Of every connection: reliable and ordered, for replication alone.
  std::uint16_t ticks_per_second = 60;
  /// Snapshots of a client are this many ticks apart, unless it wishes for fewer.
  std::uint16_t snapshot_ticks = 3;
  std::vector<UpdateClass> classes = {UpdateClass{}};
  InterestOptions interest{};
  /// A trained model's file; empty for the built-in priors. Must outlive the server.
  std::span<const std::byte> model_file{};
  SnapshotCoder coder = SnapshotCoder::range;
  /// One of so many snapshots carries a checksum of some entity; 0 for none.
  std::uint16_t checksum_interval = 8;
};

/// A client of replication, as the game calls it.
using ReplicationClientId = std::uint32_t;

/// Who a client is.
struct ReplicationClientInfo {
  PlayerNumber player = kNobody;
  std::uint8_t team = 0;
};

/// Each tick: `begin_tick`; what changed, at `world()`; `end_tick`; then `update` each client with
/// its connection, which reads answers and sends a snapshot when one is due. One thread at a time,
/// except that `update` may run for different clients at once (the log is then told by several).
class ReplicationServer {
 public:
  /// Requires: a schema without fault; a model file that decodes, or none.
  ReplicationServer(const ReplicationServerOptions& options, ReplicationSchema schema,
                    DivergenceLog* log = nullptr);
  ~ReplicationServer();

  /// Requires: a tick after the one before.
  void begin_tick(std::uint32_t tick);
  void end_tick();
  ReplicatedWorld& world() { return world_; }
  const ReplicatedWorld& world() const { return world_; }

  /// Requires: an id that is not in use.
  void add_client(ReplicationClientId id, const ReplicationClientInfo& info);
  /// Requires: its connection has ended: a block of ours may be on its way.
  void remove_client(ReplicationClientId id);
  void set_info(ReplicationClientId id, const ReplicationClientInfo& info);
  /// Adds an update class, at most 256 in all, and returns its index. Classes cannot be removed.
  std::uint8_t add_class(const UpdateClass& added);
  /// From where the client sees the world; before the first nothing is near. What is near only then
  /// does not count for `ReplicationClient::is_complete`.
  void set_eyes(ReplicationClientId id, const Place& place);

  /// Something that happened at a tick, and must be known to a client when it gets there. False
  /// when too many wait for that client, or the event is longer than `kTimedEventBytesMax`. A
  /// client that does not play yet, or has not begun the present map, gets no event: it starts with
  /// a world in which this has happened.
  bool send_event(ReplicationClientId id, std::uint32_t tick, std::span<const std::byte> event);
  /// To every client that has the entity, or is told of it with its next snapshot: to none of them
  /// before the entity, also when that has to wait for room. For the others it is not meant.
  void send_event_about(std::uint32_t entity, std::uint32_t tick, std::span<const std::byte> event);

  /// Another map: nothing is in the world any more, and every client is told `map_info` before what
  /// comes then. The connections' `begin_map` is called at their next `update`. Requires: between
  /// `begin_tick` and `end_tick`.
  void begin_map(std::span<const std::byte> map_info);

  /// Reads what the client answered, and sends it what is due.
  void update(ReplicationClientId id, Connection& connection, Time now);

  /// Null when there is no such client.
  const ClientView* view(ReplicationClientId id) const;
  std::size_t memory_bytes() const;

 private:
  struct Client;

  Client* find(ReplicationClientId id) const;
  void report_clamped();
  std::uint32_t ticks_to_turn(const Client& client, std::uint32_t tick) const;
  void take_message(Client& client, std::span<const std::byte> message);
  void begin(Client& client);
  void prepare_setup(Client& client, const WantMessage& want) const;
  void send_answers(Client& client, Connection& connection) const;
  void compare(Client& client, const DivergedMessage& message) const;
  void take_missing(Client& client, const MissingMessage& message) const;

  ReplicationServerOptions options_;
  ReplicationSchema schema_;
  TypeViews views_;
  SnapshotModel model_;
  ReplicatedWorld world_;
  InterestGrid grid_;
  DivergenceLog* log_;
  std::vector<std::byte> schema_bytes_;
  SchemaHash schema_hash_{};
  ModelHash model_hash_{};
  std::vector<std::byte> map_info_;
  std::uint32_t maps_begun_ = 0;
  std::size_t clamped_reported_ = 0;              ///< Fields.
  std::vector<std::unique_ptr<Client>> clients_;  ///< Sorted by id.
};

}  // namespace muster
