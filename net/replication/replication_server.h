// A server's side of replication: sends each client its part of the world, within the rate of its
// connection.
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
#include "registry/base/player_id.h"
#include "registry/base/tick.h"

namespace muster {

/// Options for all clients of a server.
struct ReplicationServerOptions {
  /// The channel for replication, of every connection. It must be reliable and ordered, and nothing
  /// else may use it.
  std::size_t channel = 0;
  std::uint16_t ticks_per_second = 60;
  /// The number of ticks between two snapshots to a client, unless the client requests fewer
  /// snapshots.
  std::uint16_t snapshot_ticks = 3;
  std::vector<UpdateClass> classes = {UpdateClass{}};
  InterestOptions interest{};
  /// The file of a trained model; empty for the built-in priors. It must outlive the server.
  std::span<const std::byte> model_file{};
  SnapshotCoder coder = SnapshotCoder::range;
  /// One of this many snapshots carries a checksum of one entity; 0 for no checksums.
  std::uint16_t checksum_interval = 8;
};

/// Identifies a client of the replication; the game chooses the number.
enum class ClientId : std::uint32_t {};

/// The identity of a client.
struct ReplicationClientInfo {
  PlayerId player = PlayerId::none;
  std::uint8_t team = 0;
};

/// Replicates one world to all clients. In each tick: call `begin_tick`, change `world()`, call
/// `end_tick`, and then call `update` for each client with its connection. `update` reads answers,
/// and sends a snapshot if one is due. Only one thread at a time may use this object, with one
/// exception: several threads may call `update` for different clients at the same time. The log is
/// then called from several threads.
class ReplicationServer {
 public:
  /// Requires: `schema` has no fault, and the model file decodes or is empty. `log` may be null,
  /// and must outlive the server.
  ReplicationServer(const ReplicationServerOptions& options, ReplicationSchema schema,
                    DivergenceLog* log = nullptr);
  ~ReplicationServer();

  /// Requires: `tick` is after the previous tick.
  void begin_tick(Tick tick);
  void end_tick();
  ReplicatedWorld& world() { return world_; }
  const ReplicatedWorld& world() const { return world_; }

  /// Requires: no client has this id.
  void add_client(ClientId id, const ReplicationClientInfo& info);
  /// Requires: the client's connection has ended, because a connection may still read a setup block
  /// of this server.
  void remove_client(ClientId id);
  void set_info(ClientId id, const ReplicationClientInfo& info);
  /// Adds an update class and returns its index. There are at most 256 classes, and they cannot be
  /// removed.
  std::uint8_t add_class(const UpdateClass& added);
  /// Sets the view position of a client. A client without a view position receives no entities of
  /// `Relevance::near`. Entities that become near only after the client began do not count for
  /// `ReplicationClient::is_complete`.
  void set_view_position(ClientId id, const WorldPosition& position);

  /// Whether a client plays the current map. A client that does not play yet receives the world
  /// first.
  bool is_playing(ClientId id) const;
  /// Sends an event that happened at a tick. The client reports it to its game when its world
  /// reaches that tick. Returns false if too many events wait for that client, or if the event is
  /// longer than `kTimedEventBytesMax`. A client for which `is_playing` is false gets no event, and
  /// the function then returns true. The world that such a client receives already contains the
  /// result. `ClientViewCounters::events_lost` counts lost events with `EventLoss::counted`.
  bool send_event(ClientId id, Tick tick, std::span<const std::byte> event,
                  EventLoss loss = EventLoss::ignored);
  /// Sends an event to every client that has the entity or receives it with its next snapshot. No
  /// client receives the event before the entity, even if the entity waits for room.
  void send_event_about(NetworkId entity, Tick tick, std::span<const std::byte> event);

  /// Starts another map: the world is empty, and every client receives `map_info` before all other
  /// data of the map. The next `update` of each client calls its connection's `begin_map`.
  /// Requires: the call is between `begin_tick` and `end_tick`.
  void begin_map(std::span<const std::byte> map_info);

  /// Reads the client's answers, and sends the data that is due.
  void update(ClientId id, Connection& connection, Time now);

  /// Returns null if the client does not exist.
  const ClientView* view(ClientId id) const;
  std::size_t memory_bytes() const;

 private:
  struct Client;

  Client* find(ClientId id) const;
  void report_clamped();
  std::uint32_t ticks_to_turn(const Client& client, Tick tick) const;
  void apply_message(Client& client, std::span<const std::byte> message);
  void begin(Client& client);
  void prepare_setup(Client& client, const WantMessage& want) const;
  void send_answers(Client& client, Connection& connection) const;
  void compare(Client& client, const DivergedMessage& message) const;
  void apply_missing(Client& client, const MissingMessage& message) const;

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
  std::size_t clamped_reported_ = 0;  ///< The number of clamped fields that were reported.
  std::vector<std::unique_ptr<Client>> clients_;  ///< Sorted by id.
};

}  // namespace muster
