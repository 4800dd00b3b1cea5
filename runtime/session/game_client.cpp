#include "runtime/session/game_client.h"

#include <chrono>

#include "runtime/session/game_client_impl.h"
#include "runtime/session/key_text.h"
#include "runtime/session/world_text.h"

namespace muster {

namespace {

/// If the server does not answer within this time, `state_text` suggests possible causes.
constexpr Duration kPatience = std::chrono::seconds(2);

}  // namespace

namespace session_detail {
ClientCalls::ClientCalls(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ClientCalls::~ClientCalls() = default;
}  // namespace session_detail

GameClient::GameClient(std::unique_ptr<Impl> impl) : ClientCalls(std::move(impl)) {}
GameClient::~GameClient() {
  if (impl_ == nullptr || impl_->net == nullptr || impl_->end) return;
  impl_->net->close("left", impl_->now);
  impl_->net->send(impl_->now);
}

Result<std::unique_ptr<GameClient>> GameClient::connect(const Result<Build>& build, Edges& edges,
                                                        const GameClientOptions& options) {
  if (!build) return fail(build.error());
  return connect(build.value(), edges, options);
}

Result<std::unique_ptr<GameClient>> GameClient::connect(const Build& build, Edges& edges,
                                                        const GameClientOptions& options) {
  if (build.content().target() != Target::client) {
    return fail(ErrorCode::invalid_argument, "a client needs the build for Target::client");
  }
  const std::optional<PublicKey> key = parse_public_key(options.key);
  if (!key) {
    return fail(ErrorCode::invalid_argument,
                "the server's key must have 64 lower-case hex digits, as the server prints them");
  }
  Result<std::unique_ptr<Impl>> impl = Impl::open(build, edges, options, *key);
  if (!impl) return fail(impl.error());
  if (const Result<void> opened = impl.value()->open_capture(); !opened) {
    return fail(opened.error());
  }
  return std::unique_ptr<GameClient>(new GameClient(std::move(impl.value())));
}

Result<std::unique_ptr<GameClient>> GameClient::play_recording(const Result<Build>& build,
                                                               Edges& edges,
                                                               const std::string& path,
                                                               const GameClientOptions& options) {
  if (!build) return fail(build.error());
  return play_recording(build.value(), edges, path, options);
}

Result<std::unique_ptr<GameClient>> GameClient::play_recording(const Build& build, Edges& edges,
                                                               const std::string& path,
                                                               const GameClientOptions& options) {
  if (build.content().target() != Target::client) {
    return fail(ErrorCode::invalid_argument,
                "a client that plays a recording needs the build for Target::client");
  }
  Result<std::unique_ptr<Impl>> impl = Impl::open(build, edges, options, PublicKey());
  if (!impl) return fail(impl.error());
  if (const Result<void> opened = impl.value()->open_recording(path); !opened) {
    return fail(opened.error());
  }
  return std::unique_ptr<GameClient>(new GameClient(std::move(impl.value())));
}

Result<void> GameClient::seek(Tick tick) { return impl_->seek(tick); }
Tick GameClient::first_tick() const {
  return impl_->recording != nullptr ? impl_->recording->first_tick() : Tick();
}

void GameClient::frame(Time now) { impl_->frame(now); }
void GameClient::run_frame() { impl_->frame(impl_->edges.now()); }

void GameClient::leave() {
  if (impl_->end) return;
  impl_->end = ClientEnd{.is_good = true, .code = ErrorCode::cancelled, .text = "left"};
  if (impl_->net == nullptr) return;
  impl_->net->close("left", impl_->now);
  impl_->net->send(impl_->now);
}

GameClientState GameClient::state() const {
  if (impl_->end) return GameClientState::over;
  if (impl_->recording != nullptr) {
    return impl_->is_level_there ? GameClientState::playing : GameClientState::loading;
  }
  if (impl_->lost_at || impl_->must_end_world) return GameClientState::interrupted;
  if (impl_->net == nullptr) return GameClientState::resolving;
  switch (impl_->net->state()) {
    case ClientState::requesting:
    case ClientState::responding:
      return GameClientState::connecting;
    case ClientState::interrupted:
      return GameClientState::interrupted;
    case ClientState::closed:
      return GameClientState::over;
    case ClientState::connected:
      break;
  }
  const bool is_playing =
      impl_->replication->phase() == ReplicationPhase::playing && impl_->replication->is_complete();
  return is_playing ? GameClientState::playing : GameClientState::loading;
}

std::string GameClient::state_text() const {
  const auto round_trip = [&] {
    Connection* const connection = impl_->net != nullptr ? impl_->net->connection() : nullptr;
    if (connection == nullptr) return std::string();
    const auto ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(connection->round_trip().smoothed());
    return ", " + std::to_string(ms.count()) + " ms";
  };
  switch (state()) {
    case GameClientState::resolving:
      return "looking up " + impl_->options.server;
    case GameClientState::connecting:
      if (impl_->now - impl_->opened_at >= kPatience) {
        return "no answer from " + impl_->options.server + ": check its address and key";
      }
      return "connecting to " + impl_->options.server;
    case GameClientState::loading:
      return "loading" + round_trip();
    case GameClientState::playing:
      return "playing" + round_trip();
    case GameClientState::interrupted:
      return impl_->lost_at ? "the connection was lost: connecting again" : "no packet arrives";
    case GameClientState::over:
      return end().text;
  }
  return {};
}

const ClientEnd& GameClient::end() const {
  static const ClientEnd kNone;
  return impl_->end ? *impl_->end : kNone;
}
PlayerId GameClient::player() const { return impl_->player; }

void session_detail::ClientCalls::put_command(const session_detail::NamedValue& command) {
  const std::optional<StructType> type = impl_->encoder.find(command.name, command.bytes.size());
  if (type && impl_->encoder.is_command(*type)) {
    impl_->sampler.set(*type, command.bytes);
    return;
  }
  impl_->problems.add({.kind = ProblemKind::unknown_type,
                       .component = std::string(command.name),
                       .text = "the command was not sent: " +
                               unlisted_reason(impl_->encoder.types(), command.name,
                                               command.bytes.size(), "Game::commands")});
}

bool session_detail::ClientCalls::send_message(const session_detail::NamedValue& message,
                                               const SendOptions& options) {
  Impl& all = *impl_;
  const std::optional<StructType> type = all.message_type(message.name, message.bytes.size());
  Connection* const connection = all.net != nullptr ? all.net->connection() : nullptr;
  const bool is_reliable = options.reliability == Reliability::reliable;
  // After a lost connection, the pipe keeps messages for the next connection.
  const bool can_send = connection != nullptr || (is_reliable && all.lost_at);
  if (!type || !can_send || all.end) return false;
  const auto report = [&](ProblemKind kind, std::string text, std::string_view field = {}) {
    all.problems.add({.kind = kind,
                      .tick = all.tick(),
                      .component = std::string(message.name),
                      .field = std::string(field),
                      .text = std::move(text)});
    return false;
  };
  if (options.timing == Timing::at_tick) {
    return report(ProblemKind::refused,
                  "the message was not sent: a client cannot use Timing::at_tick");
  }
  if (const auto clamped = all.encoder.encode_message(*type, message.bytes, all.encoded)) {
    report(ProblemKind::clamped,
           "a message's value is outside its range: the nearest value is sent", clamped->field);
  }
  if (!all.has_sent_structs) {
    all.has_sent_structs = all.pipe.send(SessionMessage::structs, all.encoder.schema());
  }
  if (is_reliable) {
    return all.pipe.send(SessionMessage::game, all.encoded) ||
           report(ProblemKind::dropped, "the message was not sent: too many messages wait");
  }
  if (all.encoded.size() > kMessageBytesMax) {
    return report(ProblemKind::too_large,
                  "the message was not sent: an unreliable message may have at most " +
                      std::to_string(kMessageBytesMax) + " bytes");
  }
  return connection->send_message(kLooseChannel, all.encoded) == SendStatus::queued ||
         report(ProblemKind::dropped, "the message was not sent: too many messages wait");
}

const std::byte* session_detail::ClientCalls::find_component(std::string_view name, EntityId entity,
                                                             std::size_t bytes,
                                                             bool is_view) const {
  const std::optional<ComponentId> id = impl_->component_id(name, bytes);
  if (!id) return nullptr;
  const OwnPrediction* const prediction = impl_->prediction.get();
  if (prediction != nullptr) {
    if (is_view ? prediction->is_hidden(entity) : prediction->spawns().is_predicted(entity)) {
      return nullptr;
    }
  }
  const std::uint32_t index = impl_->world.storage(*id).index_of(entity);
  return index == ComponentStorage::kAbsent ? nullptr : impl_->locate(*id, index, is_view);
}

void session_detail::ClientCalls::visit_entities(
    std::span<const session_detail::VisitedComponent> components, void* visitor,
    session_detail::VisitRun visit) const {
  if (impl_->prediction != nullptr && impl_->prediction->has_hidden()) {
    return impl_->visit_visible(components, visitor, visit);
  }
  // The visitor gets const references, so it does not write through these pointers.
  const auto locate = [this](ComponentId id, std::uint32_t index) {
    return const_cast<std::byte*>(impl_->locate(id, index, true));
  };
  if (!impl_->walk.visit(components, visitor, visit, locate)) {
    impl_->report_unknown(components);
  }
}

void GameClient::Impl::visit_visible(std::span<const session_detail::VisitedComponent> components,
                                     void* visitor, session_detail::VisitRun visit) {
  struct Filter {
    const OwnPrediction& prediction;
    std::span<const session_detail::VisitedComponent> components;
    void* visitor;
    session_detail::VisitRun visit;
  };
  Filter filter{*prediction, components, visitor, visit};
  const auto pass = [](void* given, const session_detail::EntityRun& run) {
    const Filter& to = *static_cast<Filter*>(given);
    std::array<std::byte*, session_detail::kVisitedMax> columns{};
    for (std::uint32_t at = 0; at < run.count; ++at) {
      if (to.prediction.is_hidden(run.entities[at])) continue;
      for (std::size_t i = 0; i < to.components.size(); ++i) {
        columns[i] = run.columns[i] + at * to.components[i].bytes;
      }
      to.visit(to.visitor, {run.entities + at, columns.data(), 1, run.current});
    }
  };
  const auto locate_shown = [this](ComponentId id, std::uint32_t index) {
    return const_cast<std::byte*>(locate(id, index, true));
  };
  if (!walk.visit(components, &filter, pass, locate_shown)) report_unknown(components);
}

std::optional<ComponentId> GameClient::Impl::component_id(std::string_view name,
                                                          std::size_t bytes) {
  const std::optional<ComponentId> id = walk.find(name);
  if (id && world.storage(*id).description().size_bytes == bytes) return id;
  problems.add(unlisted_component(name, id.has_value(), tick()));
  return std::nullopt;
}

void GameClient::Impl::report_unknown(
    std::span<const session_detail::VisitedComponent> components) {
  for (const session_detail::VisitedComponent& one : components) {
    (void)component_id(one.name, one.bytes);
  }
}

void GameClient::show_from(EntityId entity, Vec3 position, Duration length) {
  impl_->show_from(entity, position, length);
}
bool GameClient::is_mine(EntityId entity) const {
  return impl_->player != PlayerId::none && impl_->world.player(entity) == impl_->player;
}
bool GameClient::is_predicted(EntityId entity) const {
  return impl_->prediction != nullptr && impl_->prediction->is_predicted(entity);
}
void GameClient::set_predicted(EntityId entity, bool is_predicted) {
  if (impl_->world.is_alive(entity)) impl_->prediction_choice.set(entity, is_predicted);
}
EntityId GameClient::find(EntityReference reference) const {
  return impl_->collection.find(reference);
}
EntityReference GameClient::reference(EntityId entity) const {
  if (entity.slot() >= impl_->references.size()) return {};
  const auto& [known, reference] = impl_->references[entity.slot()];
  return known == entity && impl_->world.is_alive(entity) ? reference : EntityReference();
}

std::string_view GameClient::asset_path(EntityId entity) const {
  const std::optional<ComponentId> id = impl_->walk.find("PrefabLink");
  const Bytes bytes = id ? std::as_const(impl_->world).bytes(*id, entity) : Bytes();
  if (bytes.empty()) return {};
  const auto* const link = reinterpret_cast<const PrefabLink*>(bytes.data());
  const Guid guid = Guid::from_bytes(std::as_bytes(std::span(link->asset.guid)));
  const auto asset = impl_->content->catalog().find_asset(guid);
  return asset ? asset->path : std::string_view();
}

Tick GameClient::shown_tick() const { return Tick(static_cast<std::uint32_t>(impl_->shown_tick)); }

void GameClient::on_spawn(std::function<void(EntityId)> callback) {
  impl_->on_spawn = std::move(callback);
}
void GameClient::on_despawn(std::function<void(EntityId)> callback) {
  impl_->on_despawn = std::move(callback);
}
void GameClient::on_effect(std::function<void(const PlayedEffect&)> callback) {
  impl_->on_effect = std::move(callback);
}
void GameClient::on_undone(std::function<void(EntityId)> callback) {
  impl_->on_undone = std::move(callback);
}
std::size_t GameClient::misprediction_count() const {
  return impl_->prediction != nullptr ? impl_->prediction->mispredictions().size() : 0;
}
const Misprediction& GameClient::misprediction(std::size_t index) const {
  return impl_->prediction->mispredictions()[index];
}
void GameClient::on_level(std::function<void(std::string_view)> callback) {
  impl_->on_level = std::move(callback);
}
void GameClient::on_problem(std::function<void(const Problem&)> callback) {
  impl_->on_problem = std::move(callback);
}
void session_detail::ClientCalls::handle_message(std::string_view name, std::size_t bytes,
                                                 std::function<void(Bytes)> handler) {
  if (!impl_->message_type(name, bytes, "the message has no handler")) return;
  impl_->handlers[std::string(name)] =
      std::make_shared<const Impl::MessageHandler>(std::move(handler));
}

GameClientMetrics GameClient::metrics() const {
  GameClientMetrics metrics = impl_->counted;
  impl_->add_metrics(metrics);
  if (impl_->prediction) {
    const PredictionCounters& counters = impl_->prediction->counters();
    metrics.corrections = counters.corrections;
    metrics.predicted_ticks = counters.predicted_ticks;
    metrics.replayed_ticks = counters.replayed_ticks;
    metrics.spawns_confirmed = impl_->prediction->spawns().confirmed_count();
    metrics.spawns_undone =
        counters.spawns_undone + counters.spawns_refused + counters.spawns_expired;
    const CueLedger::Counters& cues = impl_->prediction->cues().counters();
    metrics.effects_predicted = cues.played;
    metrics.effects_late = cues.late;
    metrics.effects_repeated = cues.repeated;
    metrics.effects_unforeseen = cues.foreign;
    metrics.effects_undone = cues.undone;
  }
  if (impl_->servo != nullptr) {
    metrics.predicted_tick = impl_->servo->tick();
    metrics.clock_jumps += impl_->servo->reseats();
    const auto ticks =
        static_cast<std::int32_t>(metrics.predicted_tick.value() - impl_->tick().value());
    metrics.lead = Duration(std::chrono::seconds(ticks)) / impl_->welcome->ticks_per_second;
  }
  if (impl_->view_clock) metrics.clock_jumps += impl_->view_clock->reseats();
  metrics.confirmed_tick = impl_->tick();
  metrics.starved_ticks = impl_->report.starved;
  metrics.command_loss = impl_->report.loss;
  metrics.command_earliness_ticks = impl_->report.earliness_min;
  metrics.commands_waiting = impl_->report.waiting;
  if (impl_->view_clock) metrics.interpolation_delay = impl_->view_clock->delay();
  Connection* const connection = impl_->net != nullptr ? impl_->net->connection() : nullptr;
  if (connection == nullptr) return metrics;
  const ConnectionCounters counters = connection->counters();
  metrics.round_trip = connection->round_trip().smoothed();
  metrics.bytes_in = counters.bytes_in;
  metrics.bytes_out = counters.bytes_out;
  const std::uint64_t known = counters.lost_out + counters.delivered;
  if (known > 0) metrics.loss = static_cast<double>(counters.lost_out) / static_cast<double>(known);
  return metrics;
}

std::string GameClient::world_text() const {
  const ReplicationSchema* const schema =
      impl_->recording != nullptr ? &impl_->recording->schema() : impl_->replication->schema();
  if (schema == nullptr || impl_->tick() == Tick()) return {};
  WorldText world(*schema);
  std::vector<std::int64_t> values;
  impl_->receiver.each([&](EntityReference id, SchemaType type, SeenBy seen_by) {
    values.assign(schema->value_count(type), 0);
    SchemaComponent lacking{};
    if (impl_->receiver.values(id.id(), values, lacking) != EntityFound::here) return;
    world.add(id.id(), type, seen_by, values);
  });
  return world.text();
}
const World& GameClient::world() const { return impl_->world; }

}  // namespace muster
