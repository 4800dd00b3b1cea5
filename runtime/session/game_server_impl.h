// The private members of `GameServer`.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "net/endpoint/server.h"
#include "net/replication/replication_server.h"
#include "registry/base/player_id.h"
#include "runtime/replication/world_sender.h"
#include "runtime/session/build_content.h"
#include "runtime/session/content_store.h"
#include "runtime/session/entity_classes.h"
#include "runtime/session/game_server.h"
#include "runtime/session/message_pipe.h"
#include "runtime/session/packet_capture.h"
#include "runtime/session/problem_log.h"
#include "runtime/session/session_recorder.h"
#include "runtime/session/simulation.h"
#include "runtime/session/structure_check.h"
#include "runtime/session/tick_clock.h"
#include "runtime/spawn/level.h"
#include "runtime/spawn/prefab_instances.h"
#include "runtime/sync/claim_stream.h"
#include "runtime/sync/command_queue.h"
#include "runtime/sync/struct_codec.h"
#include "runtime/world/worker_pool.h"

namespace muster {

struct session_detail::ServerCalls::Impl final : public Admission,
                                                 public DivergenceLog,
                                                 public InterestRule {
  struct Player {
    Player(std::span<const ComponentDescription> command_types, const ViewClaimOptions& views)
        : commands(command_types, CommandPacing::by_server), view_claims(views) {}
    PlayerId id = PlayerId::none;
    ClientHandle client;
    Address address;  ///< The address of the player's last connection.
    MessagePipe pipe;
    std::uint16_t pipe_map = 0;  ///< The messages in `pipe` belong to this map of the connection.
    std::optional<StructDecoder> decoder;
    CommandQueue commands;
    bool has_resumed = false;  ///< The resumed connection's message `structs` has not arrived.
    bool is_waiting = false;   ///< Whether the last tick's command runs again in this tick.
    SpawnReport spawns;
    ClaimInbox claims;
    ViewClaims view_claims;
    /// The moment that the player saw when making the running command.
    std::optional<ViewTime> seen;
    EntityId view;
    std::optional<Vec3> view_position;
    std::uint8_t team = 0;
    /// The number of messages in this second, by the client's message type.
    std::vector<std::uint32_t> messages;
    Time messages_since{};
    Time connected_at{};
    /// The additional messages that are allowed after a reconnect.
    std::uint64_t message_burst = 0;
    /// The account that identifies the player on a later connection. It is a secret random number;
    /// unknown if the player was kicked.
    AccountId ticket;
    std::optional<Time> lost_at;    ///< When the connection was lost; empty while connected.
    std::string lost_text;          ///< Why the connection was lost.
    bool is_expired = false;        ///< Whether the next frame removes the lost player.
    std::uint64_t events_lost = 0;  ///< The lost messages that `report_lost_events` has reported.
  };
  using MessageHandler = std::function<void(PlayerId, Bytes)>;

  Impl(std::shared_ptr<const BuildContent> opened, Edges& given, const GameServerOptions& requested,
       std::unique_ptr<ContentStore> own_assets);
  ~Impl() override = default;

  // Opening.
  Result<void> load();
  Result<void> load_level();
  void make_replication();
  /// Gives the entities of the level their ids, and replicates the entities. Returns false if other
  /// entities have these ids.
  bool place_level();
  Result<void> listen();
  Result<SecretKey> identity();

  // A frame.
  Duration frame(Time at);
  void close();
  void update_connections();
  void join(const ServerEvent& event);
  void leave(const ServerEvent& event);
  void remove(std::size_t index, std::string_view reason);
  Welcome welcome_of(const Player& player) const;

  // Players whose connection was lost.
  Player* find_ticket(AccountId ticket);
  /// Whether the client of an ended connection may reconnect.
  bool is_lost(const Player& player, const ServerEvent& event) const;
  void lose(Player& player, std::string_view reason);
  /// If too many players with lost connections have the same address, removes the first of these
  /// players.
  void limit_lost(const Address& subscriber);
  void resume(Player& player, ClientHandle client);
  bool go_on(Player& player, std::span<const std::byte> body) const;
  void remove_expired();
  void run_tick();
  void replicate();
  void send_changes();
  void update_views();
  void read_messages(Player& player, Connection& connection);
  void read_loose(Player& player, Connection& connection);
  void read_commands(Player& player, Connection& connection);
  void check_view(Player& player);
  void report_commands(Player& player);
  bool force_command(PlayerId player, const session_detail::NamedValue& command,
                     std::string_view field);
  void update_infos();
  void report_problems();
  /// Adds the problems of the worker threads in a fixed order. Worker threads report problems in
  /// any order.
  void add_worker_problems();
  void update_clients();
  void write_files();

  // A change of the level or of the build.
  /// Whether a level is loading or the next tick begins a map. Players cannot join during this
  /// time.
  bool is_between_maps() const { return is_changing_level || begins_map; }
  void change_level(const Guid& guid);
  void update_level();
  void prepare_map();
  /// Reports that messages of the game may have been lost.
  void report_dropped(const Player& player, std::size_t count, std::string_view why);
  void report_lost_events(Player& player, bool ends);
  void begin_map(Player& player) const;
  void stop_recording();
  Result<ReloadSummary> reload(const Build& build);
  void restart_replication(ReplicatedTypes&& found);

  // Recording.
  SessionInfo info() const;
  void write_recording();
  /// The tick of a message that is sent now. Messages between two ticks are sent with the later
  /// tick.
  Tick message_tick() const {
    return simulation.is_running() ? simulation.tick() : simulation.tick().next();
  }
  void record_message(StructType type, const session_detail::NamedValue& message);

  // Messages.
  void report_clamped(const ClampedStructField& clamped);
  bool send(Player& player, StructType type, const session_detail::NamedValue& message,
            const SendOptions& how);
  void send_near(Vec3 position, float metres, const session_detail::NamedValue& message,
                 const SendOptions& how);
  /// Whether a player receives the current map, so that messages with `Timing::at_tick` reach it.
  bool is_playing(const Player& player) const;
  /// Whether a message to several players includes this player.
  bool may_send(const Player& player, const SendOptions& how) const {
    return how.timing != Timing::at_tick || is_playing(player);
  }
  /// Reports a message with `Timing::at_tick` to several players, if no player plays yet.
  void report_unplayed(std::string_view message, const SendOptions& how);
  void send_cue(const Cue& cue);
  bool is_near(const Player& player, const EffectOptions& effect) const;
  std::optional<StructType> message_type(std::string_view name, std::size_t bytes,
                                         std::string_view failure = "the message was not sent");
  void deliver(Player& player, std::span<const std::byte> body);
  bool is_over_rate(Player& player, PeerStructType type);

  Player* find(PlayerId player);
  std::uint8_t team_of(PlayerId player) {
    const Player* const found = find(player);
    return found != nullptr ? found->team : 0;
  }
  Player* find(ClientHandle client);
  std::optional<Vec3> view_position(const Player& player) const;
  PlayerId free_player() const;
  SentEntityOptions sent_options(const SpawnedEntity& spawned);
  /// Returns the replication's id of a player's client. Both ids have the same number.
  static ClientId client_of(PlayerId player) { return static_cast<ClientId>(player); }

  // Admission, DivergenceLog, InterestRule.
  std::optional<std::string> refusal(const Applicant& applicant) override;
  std::optional<std::string> refusal_of_new(const Address& address);
  bool admits_content(std::uint64_t theirs) override;
  AccountId account_of(const Applicant& applicant) override;
  void diverged(const Divergence& divergence) override;
  void left_out(const UnfitEntity& entity) override;
  void clamped(const ClampedValue& value) override;
  bool is_relevant(const Viewer& viewer, const ReplicatedEntity& entity) const override;

  /// Keeps alive the game that other members refer to. A reload replaces only `content`.
  const std::shared_ptr<const BuildContent> first_content;
  std::shared_ptr<const BuildContent> content;
  Edges& edges;
  GameServerOptions options;
  Time now{};
  ProblemLog problems;
  std::mutex worker_mutex;
  std::vector<Problem> worker_problems;
  std::uint64_t problem_count = 0;
  std::unique_ptr<ContentStore> assets;
  World world;
  PrefabInstances instances;
  Spawner spawner;
  ReplicatedCollection collection;
  Level level;
  Guid level_guid;
  bool is_changing_level = false;
  Tick level_left;              ///< The last tick before the level was changed.
  bool begins_map = true;       ///< Whether the next tick begins a map.
  std::uint16_t map_count = 0;  ///< `Welcome::map`.
  EntitySource entity_source;
  HitTests hit_tests;
  Simulation simulation;
  StructureCheck structure;
  StructEncoder encoder;
  TickClock clock;
  EntityClasses classes;
  ByteVector model;  ///< The trained model of snapshots; empty if the level has no model.
  std::unique_ptr<ReplicatedTypes> types;
  std::optional<WorldSender> sender;
  std::unique_ptr<ReplicationServer> replication;
  /// The replication servers that reloads with changed types have replaced. Connections may still
  /// send blocks of a replaced server.
  std::vector<std::unique_ptr<ReplicationServer>> earlier_replications;
  std::uint64_t earlier_spawned = 0;    ///< Entities that earlier senders have spawned.
  std::uint64_t earlier_despawned = 0;  ///< Entities that earlier senders have despawned.
  std::uint64_t clamped_messages = 0;   ///< Sent messages with a clamped value.
  std::uint64_t earlier_clamped = 0;    ///< Values that `earlier_replications` have clamped.
  std::unique_ptr<WorkerPool> workers;
  std::unique_ptr<PacketCapture> capture;
  std::unique_ptr<DatagramSocket> socket;
  std::unique_ptr<Server> net;
  std::unique_ptr<SessionRecorder> recorder;
  std::vector<std::unique_ptr<Player>> players;  ///< Players by ascending id.
  std::vector<PlayerInfo> infos;
  /// The number of commands of all players by the verdict about their view claims.
  std::array<std::uint64_t, kClaimVerdicts> claim_verdicts{};
  PlayerId last_player = PlayerId::none;  ///< The newest player; `none` before the first player.
  /// The number of read events of `net`. The other events wait while a map begins.
  std::size_t events_read = 0;
  std::uint64_t shared_seed = 0;  ///< The seed of shared systems, which clients receive.
  std::uint64_t skipped_ticks = 0;
  bool is_closed = false;
  bool is_in_frame = false;
  /// The argument of `close`, if a callback called `close`. The server closes when the frame ends.
  std::optional<std::string> close_reason;
  bool has_begun = false;  ///< Whether a tick was replicated.

  /// This member and the next four members are reused to avoid allocations.
  std::vector<std::byte> encoded;
  std::vector<std::byte> command_report;
  std::vector<std::byte> cue_message;
  std::vector<std::byte> cue_bytes;
  ByteVector decoded;
  /// Handlers by message name. A caller of a handler holds a reference, because a handler can
  /// replace itself while it runs.
  std::map<std::string, std::shared_ptr<const MessageHandler>, std::less<>> handlers;
  std::function<void()> on_level;
  std::function<void(PlayerId)> on_join;
  std::function<void(PlayerId, std::string_view)> on_leave;
  std::function<std::optional<std::string>(const PlayerInfo&)> on_apply;
  std::function<void(const Problem&)> on_problem;
};

/// The interval between two snapshots, in ticks.
std::uint16_t snapshot_ticks(const Game& game);
/// Returns a problem as a line of the log.
std::string to_line(const Problem& problem);

}  // namespace muster
