// The private members of `GameClient`.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/endpoint/client.h"
#include "net/replication/recording.h"
#include "net/replication/replication_client.h"
#include "registry/base/player_id.h"
#include "registry/base/tick.h"
#include "runtime/replication/world_receiver.h"
#include "runtime/session/build_content.h"
#include "runtime/session/client_rules.h"
#include "runtime/session/component_history.h"
#include "runtime/session/content_store.h"
#include "runtime/session/entity_walk.h"
#include "runtime/session/game_client.h"
#include "runtime/session/message_pipe.h"
#include "runtime/session/own_prediction.h"
#include "runtime/session/packet_capture.h"
#include "runtime/session/prediction_choice.h"
#include "runtime/session/problem_log.h"
#include "runtime/session/shown_offsets.h"
#include "runtime/session/shown_world.h"
#include "runtime/session/tick_clock.h"
#include "runtime/spawn/deferred_spawner.h"
#include "runtime/spawn/level.h"
#include "runtime/sync/claim_stream.h"
#include "runtime/sync/command_forces.h"
#include "runtime/sync/command_sampler.h"
#include "runtime/sync/command_sender.h"
#include "runtime/sync/struct_codec.h"

namespace muster {

struct session_detail::ClientCalls::Impl final : public DivergenceLog {
  using MessageHandler = std::function<void(Bytes)>;

  /// A component type that is interpolated: its received states, and its values as shown now.
  struct ShownComponent {
    ComponentHistory history;
    ByteVector values;  ///< The shown values, in the layout of the world's array.
  };

  /// An effect or message that plays when its tick is shown.
  struct QueuedCue {
    double tick = 0;       ///< The tick at which the cue plays; 0 for immediately.
    bool is_done = false;  ///< The cue has played, and its memory can be reused.
    bool is_predicted = false;
    bool is_late = false;
    std::string_view message{};  ///< The name of a predicted message; a static text.
    EntityId cause{};            ///< The cause of a predicted cue.
    std::vector<std::byte> bytes{};
  };

  Impl(std::shared_ptr<const BuildContent> opened, Edges& given, const GameClientOptions& requested,
       const PublicKey& server_key, std::unique_ptr<ContentStore> own_assets);
  ~Impl() override = default;

  static Result<std::unique_ptr<Impl>> open(const Build& build, Edges& edges,
                                            const GameClientOptions& requested,
                                            const PublicKey& key);

  // A frame.
  void frame(Time at);
  Result<void> open_view();
  Result<void> open_capture();
  void resolve();
  void load();
  /// Begins to load the level that `welcome` names.
  void request_level();
  /// Begins a map with another level. Removes all entities of the last level.
  void begin_level(Connection& connection);
  Result<ReloadSummary> reload(const Build& build);
  void follow(Connection& connection);
  void play();
  /// Whether a shared system writes components with this name.
  bool is_predicted(std::string_view component) const;
  void predict();
  void end_predicted_spawns();
  Result<void> seek(Tick to);
  void go_to(Tick to);
  void apply(const WorldSource& source, std::span<const TimedEvent> events);
  void note_states(const WorldSource& source);
  void show();
  /// The position field of a component; null if the component has no position.
  const FieldDescription* position_field(ComponentId component) const;
  void show_offsets(ShownComponent& one);
  void show_from(EntityId entity, Vec3 position, Duration length);
  /// Shows presentations and effects.
  void show_view();
  /// Calls `on_ready` for the entities whose prefab is complete now.
  void note_ready();
  void add_load_problems(std::vector<Error> errors);
  void add_metrics(GameClientMetrics& metrics) const;
  /// Returns the value of a component at an index of the world's array of this component: the shown
  /// value if `is_view` is true, or else the received value.
  const std::byte* locate(ComponentId id, std::uint32_t index, bool is_view) const;
  /// Finds a component of the game. Reports a problem if the game does not list the component.
  std::optional<ComponentId> component_id(std::string_view name, std::size_t bytes);
  /// Reports each component that the game does not list.
  void report_unknown(std::span<const session_detail::VisitedComponent> components);
  /// Visits the shown entities, but not the hidden entities.
  void visit_visible(std::span<const session_detail::VisitedComponent> components, void* visitor,
                     session_detail::VisitRun visit);
  void send_commands(Connection& connection);
  void send_command(Connection& connection, CommandNumber number, double ahead);
  void begin_predicted_time();
  ServerTime server_time() const;
  /// Adds the presses in lost commands to the next command.
  void repeat_lost(std::uint32_t count);
  /// The claim for the view that is drawn `ahead` ticks after the last frame, if there is a view.
  std::optional<ViewClaim> view_claim(double ahead) const;
  double round_trip_ticks(const Connection& connection) const;
  void end_if_over();

  // Reconnecting after a lost connection.
  bool may_resume() const;
  bool retries();
  /// Drops the connection and begins another connection.
  void resume();
  /// Call this function when the new connection exists. Drops all data that was in flight on the
  /// lost connection.
  void begin_connection();
  /// Ends all entities of the lost connection's world.
  void end_world();
  /// Makes this client another player, because the server has not kept the previous player.
  void become(PlayerId other);
  void fail_with(ErrorCode code, std::string text);
  void report_problems();

  // Messages.
  void follow_map(const Connection& connection);
  void read_messages(Connection& connection);
  void read_loose(Connection& connection);
  bool apply_message(SessionMessage kind, std::span<const std::byte> body);
  bool apply_welcome(std::span<const std::byte> body);
  bool begin_level(const LevelBegin& begin);
  bool apply_forced(std::span<const std::byte> body);
  bool apply_resumed(std::span<const std::byte> body);
  /// Reports that messages of the game may have been lost.
  void report_dropped(std::size_t count, std::string_view why);
  void read_reports(Connection& connection);
  void deliver(std::span<const std::byte> body);
  /// Delivers an event of a tick, which is a message or a cue.
  void deliver_event(const TimedEvent& event);
  void receive_cue(const TimedEvent& event);
  void predict_cue(const Cue& cue, bool is_late);
  /// Plays the cues whose tick is not later than the shown tick.
  void play_cues();
  void play_cue(std::size_t index);
  QueuedCue& queue_cue();
  std::optional<StructType> message_type(std::string_view name, std::size_t bytes,
                                         std::string_view failure = "the message was not sent");

  void agree_on_level();
  void despawned(NetworkId id);
  /// The tick of the newest received state.
  Tick tick() const { return recording ? recording->tick() : replication->tick(); }
  Result<void> open_recording(const std::string& path);

  void diverged(const Divergence& divergence) override;

  /// Keeps alive the game that other members refer to. A reload replaces only `content`.
  const std::shared_ptr<const BuildContent> first_content;
  std::shared_ptr<const BuildContent> content;
  Edges& edges;
  GameClientOptions options;
  PublicKey key{};
  Time now{};
  Time opened_at{};
  ProblemLog problems;
  std::unique_ptr<ContentStore> assets;
  World world;
  PrefabInstances instances;
  Spawner spawner;
  DeferredSpawner deferred;
  ReplicatedCollection collection;
  Level level;
  bool is_level_requested = false;
  bool is_level_there = false;
  std::deque<LevelBegin> next_levels;  ///< The levels of maps that this client has not begun.
  std::uint16_t maps_announced = 0;    ///< The number of maps whose level this client has received.
  WorldReceiver receiver;
  ByteVector model;  ///< The trained model of snapshots; empty if the level has no model.
  std::unique_ptr<ReplicationClient> replication;
  std::unique_ptr<ShownWorld> view;  ///< Presentations and effects.
  std::unique_ptr<PacketCapture> capture;
  /// An entity whose prefab is not complete.
  struct Loading {
    EntityId entity;
    Time since;
  };
  std::vector<Loading> loading;
  GameClientMetrics counted;  ///< The metrics that this class counts. The other metrics are 0.
  ByteVector recorded;        ///< The bytes of the recording's file.
  std::unique_ptr<RecordingReader> recording;
  std::uint64_t played_ticks = 0;
  std::optional<Tick> sought;  ///< The argument of `seek`, until the next frame.
  EntityWalk walk;
  std::vector<ShownComponent> shown;         ///< One entry per interpolated component type.
  std::unique_ptr<JitterBuffer> view_clock;  ///< Null before the first state.
  double shown_tick = 0;
  /// The ticks of the last snapshots, in ascending order.
  std::vector<Tick> received_ticks;
  Tick drawn_newest;  ///< The tick of the newest state that had arrived when the view was drawn.
  HitTests hit_tests;
  ClaimSender claims;
  std::uint64_t claim_bits = 0;  ///< The number of bits that claims have used.
  std::vector<std::byte> command_packet;
  StructEncoder encoder;
  std::optional<StructDecoder> decoder;
  CommandSampler sampler;
  CommandSender sender;
  CommandForces forces;
  CommandSet commands;             ///< The commands of the last tick, with forced fields.
  CommandReport report;            ///< The newest report of the server.
  std::optional<TickClock> clock;  ///< The clock of a recording.
  ClientRules rules;
  /// The clock of predicted time; null before the first state.
  std::unique_ptr<CommandClock> servo;
  std::unique_ptr<OwnPrediction> prediction;  ///< Null when the game has no shared systems.
  MessagePipe pipe;
  bool has_sent_structs = false;  ///< Whether the message `structs` was sent in this map.
  std::uint16_t pipe_map = 0;     ///< The messages in `pipe` belong to this map of the connection.
  std::uint16_t resumed_map = 0;  ///< `Welcome::map` of the lost connection.
  std::unique_ptr<DatagramSocket> socket;
  std::unique_ptr<Client> net;
  std::optional<Welcome> welcome;
  PlayerId player = PlayerId::none;
  std::optional<Time> lost_at;  ///< When the connection was lost; set until the next welcome.
  Time retry_at{};              ///< The earliest time of the next attempt to reconnect.
  bool must_begin = false;      ///< Whether a new connection is being made.
  bool must_end_world = false;  ///< Whether the world still has the lost connection's entities.
  std::uint64_t noted_snapshots = 0;
  std::optional<ClientEnd> end;
  std::vector<EntityId> spawned;        ///< New entities, until `on_spawn` is called for them.
  std::map<NetworkId, EntityId> known;  ///< Entities for which `on_spawn` was called.
  /// The entities of `known`, by slot.
  std::vector<std::pair<EntityId, EntityReference>> references;

  PredictionChoice prediction_choice;
  ShownOffsets offsets;
  std::vector<QueuedCue> cues;
  std::vector<std::byte> encoded;
  ByteVector decoded;
  /// Handlers by message name. A caller of a handler holds a reference, because a handler can
  /// replace itself while it runs.
  std::map<std::string, std::shared_ptr<const MessageHandler>, std::less<>> handlers;
  std::function<void(EntityId)> on_spawn;
  std::function<void(EntityId)> on_ready;
  std::function<void(EntityId)> on_despawn;
  std::function<void(EntityId)> on_undone;
  std::function<void(const PlayedEffect&)> on_effect;
  std::function<void(std::string_view)> on_level;
  std::function<void(const Problem&)> on_problem;
};

}  // namespace muster
