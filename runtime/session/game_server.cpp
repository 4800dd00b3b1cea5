#include "runtime/session/game_server.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "net/transport/datagram_socket.h"
#include "runtime/session/game_server_impl.h"
#include "runtime/session/key_text.h"
#include "runtime/session/world_text.h"

namespace muster {
namespace {

/// The time for which `run` continues to send after it was stopped, so that clients receive the
/// reason.
constexpr Duration kGoodbye = std::chrono::milliseconds(300);
/// More threads than cores would only wait for each other.
constexpr std::uint16_t kWorkersMax = 256;

}  // namespace

namespace session_detail {
ServerCalls::ServerCalls(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ServerCalls::~ServerCalls() = default;
}  // namespace session_detail

GameServer::GameServer(std::unique_ptr<Impl> impl) : ServerCalls(std::move(impl)) {}
GameServer::~GameServer() { close(); }

Result<std::unique_ptr<GameServer>> GameServer::open(const Result<Build>& build, Edges& edges,
                                                     const GameServerOptions& options) {
  if (!build) return fail(build.error());
  return open(build.value(), edges, options);
}

Result<std::unique_ptr<GameServer>> GameServer::open(const Build& build, Edges& edges,
                                                     const GameServerOptions& options) {
  if (build.content().target() != Target::server) {
    return fail(ErrorCode::invalid_argument, "a server needs the build for Target::server");
  }
  if (options.players_max < 1 || options.players_max > 4096) {
    return fail(ErrorCode::invalid_argument, "players_max must be 1 to 4,096");
  }
  if (options.workers < 1 || options.workers > kWorkersMax) {
    return fail(ErrorCode::invalid_argument, "workers must be 1 to 256");
  }
  Result<std::unique_ptr<ContentStore>> assets =
      ContentStore::open(build.shared_content(), 0, std::make_shared<MemoryPool>());
  if (!assets) return fail(assets.error());
  auto impl =
      std::make_unique<Impl>(build.shared_content(), edges, options, std::move(assets.value()));
  if (const Result<void> loaded = impl->load(); !loaded) return fail(loaded.error());
  if (const Result<void> listening = impl->listen(); !listening) return fail(listening.error());
  Impl& members = *impl;
  members.simulation.set_near_message(
      [&members](Vec3 position, float metres, const session_detail::NamedValue& message,
                 const SendOptions& how) { members.send_near(position, metres, message, how); });
  return std::unique_ptr<GameServer>(new GameServer(std::move(impl)));
}

Duration GameServer::frame(Time now) { return impl_->frame(now); }

void GameServer::run_frame() { impl_->socket->wait(impl_->frame(impl_->edges.now())); }

int GameServer::run(const StopSignal& stop) {
  while (!stop && !impl_->is_closed) run_frame();
  close();
  for (const Time last = impl_->edges.now() + kGoodbye; impl_->edges.now() < last;) run_frame();
  return 0;
}

void GameServer::close(std::string_view reason) {
  if (impl_ == nullptr || impl_->is_closed || impl_->close_reason) return;
  stop_recording();
  impl_->close_reason = std::string(reason);
  if (impl_->is_in_frame) return;  // The server closes at the end of the frame.
  impl_->now = impl_->edges.now();
  impl_->close();
}

void GameServer::on_join(std::function<void(PlayerId)> callback) {
  impl_->on_join = std::move(callback);
}
void GameServer::on_leave(std::function<void(PlayerId, std::string_view)> callback) {
  impl_->on_leave = std::move(callback);
}
void GameServer::on_apply(std::function<std::optional<std::string>(const PlayerInfo&)> callback) {
  impl_->on_apply = std::move(callback);
}
void GameServer::on_problem(std::function<void(const Problem&)> callback) {
  impl_->on_problem = std::move(callback);
}
std::span<const PlayerInfo> GameServer::players() const { return impl_->infos; }

void GameServer::kick(PlayerId player, std::string_view reason) {
  Impl::Player* const found = impl_->find(player);
  Connection* const connection = found != nullptr ? impl_->net->connection(found->client) : nullptr;
  if (found != nullptr)
    found->ticket = AccountId();  // Without a ticket, the player cannot reconnect.
  if (connection != nullptr) {
    connection->close(CloseReason::kicked, reason, impl_->now);
  } else if (found != nullptr && found->lost_at) {
    found->is_expired = true;
    found->lost_text = std::string(reason);
  }
}

EntityId session_detail::ServerCalls::spawn_entity(
    EntityType type, const SpawnOptions& options,
    std::span<const session_detail::NamedValue> values) {
  return impl_->simulation.spawn(type, options, values);
}
void GameServer::despawn(EntityId entity) { impl_->simulation.despawn(entity); }
void GameServer::despawn_all_of(PlayerId player) { impl_->simulation.despawn_all_of(player); }
void GameServer::set_options(EntityId entity, const SpawnOptions& options) {
  impl_->simulation.set_options(entity, options);
}
EntityId GameServer::owned(PlayerId player, EntityType type) {
  return impl_->simulation.owned(player, type);
}
std::byte* session_detail::ServerCalls::find_component(std::string_view name, EntityId entity,
                                                       std::size_t bytes) {
  return impl_->simulation.find_component(name, entity, bytes);
}
bool session_detail::ServerCalls::add_component(EntityId entity,
                                                const session_detail::NamedValue& value) {
  return impl_->simulation.add_component(entity, value);
}
bool session_detail::ServerCalls::remove_component(EntityId entity, std::string_view name) {
  return impl_->simulation.remove_component(entity, name);
}
void session_detail::ServerCalls::visit_entities(
    std::span<const session_detail::VisitedComponent> components, void* visitor,
    session_detail::VisitRun visit) {
  impl_->simulation.visit(components, visitor, visit, true);
}
EntityReference GameServer::reference(EntityId entity) const {
  return impl_->simulation.reference(entity);
}
EntityId GameServer::find(EntityReference reference) const {
  return impl_->simulation.find(reference);
}

void GameServer::set_view(PlayerId player, EntityId follow) {
  if (Impl::Player* const found = impl_->find(player)) found->view = follow;
}
void GameServer::set_view(PlayerId player, Vec3 position) {
  Impl::Player* const found = impl_->find(player);
  if (found == nullptr) return;
  found->view = {};
  found->view_position = position;
}
void GameServer::set_team(PlayerId player, std::uint8_t team) {
  Impl::Player* const found = impl_->find(player);
  if (found == nullptr) return;
  found->team = team;
  impl_->replication->set_info(Impl::client_of(player), {.player = player, .team = team});
}

bool session_detail::ServerCalls::send_message(PlayerId player,
                                               const session_detail::NamedValue& message,
                                               const SendOptions& options) {
  Impl::Player* const found = impl_->find(player);
  const std::optional<StructType> type = impl_->message_type(message.name, message.bytes.size());
  return found != nullptr && type && impl_->send(*found, *type, message, options);
}

void session_detail::ServerCalls::send_message_to_all(const session_detail::NamedValue& message,
                                                      const SendOptions& options) {
  const std::optional<StructType> type = impl_->message_type(message.name, message.bytes.size());
  if (!type) return;
  impl_->report_unplayed(message.name, options);
  for (const auto& player : impl_->players) {
    if (impl_->may_send(*player, options)) impl_->send(*player, *type, message, options);
  }
  if (options.timing == Timing::at_tick) impl_->record_message(*type, message);
}

void session_detail::ServerCalls::send_message_near(Vec3 position, float metres,
                                                    const session_detail::NamedValue& message,
                                                    const SendOptions& options) {
  impl_->send_near(position, metres, message, options);
}

void GameServer::play(EffectType effect, const EffectOptions& options) {
  impl_->simulation.cue({.effect = effect, .options = options});
}

bool session_detail::ServerCalls::force_field(PlayerId player,
                                              const session_detail::NamedValue& command,
                                              std::string_view field) {
  return impl_->force_command(player, command, field);
}

void session_detail::ServerCalls::handle_message(std::string_view name, std::size_t bytes,
                                                 std::function<void(PlayerId, Bytes)> handler) {
  if (!impl_->message_type(name, bytes, "the message has no handler")) return;
  impl_->handlers[std::string(name)] =
      std::make_shared<const Impl::MessageHandler>(std::move(handler));
}

Result<void> GameServer::record(const std::string& path) {
  stop_recording();
  Result<std::unique_ptr<OutputFile>> file = impl_->edges.files().create(path);
  if (!file) return fail(file.error());
  impl_->recorder = std::make_unique<SessionRecorder>(std::move(file.value()),
                                                      impl_->content->game().ticks_per_second,
                                                      impl_->types->schema, impl_->info());
  return {};
}

void GameServer::stop_recording() { impl_->stop_recording(); }

void GameServer::Impl::stop_recording() {
  if (recorder == nullptr) return;
  if (const Result<void> written = recorder->finish(); !written) {
    problems.add({.kind = ProblemKind::unwritten,
                  .tick = simulation.tick(),
                  .text = "the end of the recording is missing: " + written.error().message});
  }
  recorder.reset();
}

GameServerMetrics GameServer::metrics() const {
  const ServerCounters& counters = impl_->net->counters();
  return {.tick = impl_->simulation.tick(),
          .players = static_cast<std::uint32_t>(impl_->players.size()),
          .entities = impl_->world.entity_count(),
          .spawned = impl_->earlier_spawned + impl_->sender->counters().spawned,
          .despawned = impl_->earlier_despawned + impl_->sender->counters().despawned,
          .bytes_in = counters.bytes_in,
          .bytes_out = counters.bytes_out,
          .skipped_ticks = impl_->clock.skipped(),
          .clamped_values = impl_->clamped_messages + impl_->earlier_clamped +
                            impl_->replication->world().clamped().count(),
          .problems = impl_->problem_count};
}

std::string GameServer::metrics_text() const {
  const GameServerMetrics now = metrics();
  std::string text;
  const auto add = [&](std::string_view name, std::string_view kind, std::string_view help,
                       std::uint64_t value) {
    const std::string full = "muster_" + std::string(name);
    text += "# HELP " + full + " " + std::string(help) + "\n";
    text += "# TYPE " + full + " " + std::string(kind) + "\n";
    text += full + " " + std::to_string(value) + "\n";
  };
  add("game_tick", "gauge", "The tick that ran last.", now.tick.value());
  add("game_players", "gauge", "Players in the game.", now.players);
  add("game_entities", "gauge", "Entities in the world.", now.entities);
  add("game_bytes_in_total", "counter", "Bytes of datagrams received.", now.bytes_in);
  add("game_bytes_out_total", "counter", "Bytes of datagrams sent.", now.bytes_out);
  add("game_skipped_ticks_total", "counter", "Ticks that were skipped.", now.skipped_ticks);
  add("game_clamped_values_total", "counter", "Values outside their ranges.", now.clamped_values);
  add("game_problems_total", "counter", "Problems that were reported.", now.problems);
  text += "# HELP muster_game_view_claims_total Commands by the verdict about their view claims.\n";
  text += "# TYPE muster_game_view_claims_total counter\n";
  for (std::size_t i = 0; i < kClaimVerdicts; ++i) {
    text += "muster_game_view_claims_total{verdict=\"" +
            std::string(to_string(static_cast<ClaimVerdict>(i))) + "\"} " +
            std::to_string(impl_->claim_verdicts[i]) + "\n";
  }
  return text;
}

std::string GameServer::world_text(PlayerId player) const {
  Impl& all = *impl_;
  const ReplicationSchema& schema = all.types->schema;
  WorldText world(schema);
  std::vector<std::int64_t> values;
  all.sender->each([&](EntityReference id, SchemaType type, PlayerId owner) {
    const ReplicatedEntity* const entity = all.replication->world().find(id.id());
    if (entity != nullptr &&
        !all.is_relevant({.player = player, .team = all.team_of(player)}, *entity)) {
      return;
    }
    values.assign(schema.value_count(type), 0);
    if (!all.sender->values(id, values)) return;
    world.add(id.id(), type, owner == player ? SeenBy::owner : SeenBy::others, values);
  });
  return world.text();
}

Tick GameServer::tick() const { return impl_->simulation.tick(); }
std::string GameServer::address() const { return impl_->socket->local_address().text(); }
std::string GameServer::public_key() const { return key_text(impl_->net->public_key()); }
World& GameServer::world() { return impl_->world; }

}  // namespace muster
