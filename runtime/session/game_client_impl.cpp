// A frame has these steps: receive; level; messages; replication; loading; view; callbacks;
// commands; send.
#include "runtime/session/game_client_impl.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "runtime/session/game_server_impl.h"
#include "runtime/sync/clock_servo.h"
#include "runtime/world/math.h"

namespace muster {
static ComponentHistory::Limits history_limits(const Game& game) {
  const std::chrono::duration<double> seconds = game.sync.extrapolation_max;
  return {.metres_per_tick = session_detail::teleport_metres_per_tick(game),
          .extrapolated_ticks = seconds.count() * game.ticks_per_second};
}

/// The number of kept snapshot ticks. A view must be between two kept ticks.
static constexpr std::size_t kReceivedMax = 64;
/// The minimum time between two attempts to reconnect.
static constexpr Duration kRetryInterval = std::chrono::milliseconds(500);

GameClient::Impl::Impl(std::shared_ptr<const BuildContent> opened, Edges& given,
                       const GameClientOptions& requested, const PublicKey& server_key,
                       std::unique_ptr<ContentStore> own_assets)
    : first_content(std::move(opened)),
      content(first_content),
      edges(given),
      options(requested),
      key(server_key),
      now(given.now()),
      opened_at(now),
      assets(std::move(own_assets)),
      world(content->components()),
      spawner(assets->store(), world),
      deferred(spawner, assets->loader(), {}),
      collection(world),
      level(spawner, assets->loader()),
      receiver(spawner, deferred, collection, {.registry = content->registry()}),
      replication(std::make_unique<ReplicationClient>(
          ReplicationClientOptions{.channel = kReplicationChannel}, this)),
      walk(world),
      hit_tests(world, first_content->game()),
      encoder(content->game().commands.types, content->game().messages.types),
      sampler(content->game().commands.types),
      sender(encoder.command_lanes()),
      forces(content->game().commands.types),
      commands(default_commands(content->game().commands.types)) {
  if (options.may_reload) spawner.note_in(&instances);
  for (const ComponentDescription& component : content->components()) {
    const std::optional<ComponentId> id = world.find_component(component.name);
    if (id && (is_interpolated(component) || is_predicted(component.name))) {
      shown.push_back({.history = ComponentHistory(world.storage(*id).description(), *id,
                                                   history_limits(content->game())),
                       .values = {}});
    }
  }
}

bool GameClient::Impl::is_predicted(std::string_view component) const {
  return std::ranges::any_of(content->game().systems.entries, [&](const auto& system) {
    // A system that runs once per tick can write any component.
    if (system.components.empty()) return true;
    return std::ranges::any_of(system.components, [&](const auto& used) {
      return used.is_written && used.name == component;
    });
  });
}

void GameClient::Impl::frame(Time at) {
  now = at;
  if (end) {
    // Sends the close packet again, because it may have been lost.
    if (net != nullptr) {
      net->receive(now);
      net->send(now);
    }
    return report_problems();
  }
  if (recording != nullptr) {
    load();
    if (is_level_there) play();
    show();
    return report_problems();
  }
  if (net == nullptr) resolve();
  if (net != nullptr) {
    net->receive(now);
    load();
    if (Connection* const connection = net->connection()) {
      if (must_begin) begin_connection();
      follow_map(*connection);
      read_messages(*connection);
      read_loose(*connection);
      read_reports(*connection);
      if (welcome && is_level_there) follow(*connection);
      send_commands(*connection);
      pipe.flush(*connection);
    }
    show();
    net->send(now);
    end_if_over();
  }
  report_problems();
}

/// Returns whether a failed attempt to reconnect is repeated later.
bool GameClient::Impl::retries() {
  if (!lost_at || !may_resume()) return false;
  retry_at = now + kRetryInterval;
  opened_at = now;
  return true;
}

void GameClient::Impl::resolve() {
  if (lost_at && now < retry_at) return;
  std::optional<Result<Address>> found = edges.network().resolve(options.server);
  if (!found) {
    if (now - opened_at < options.connect_timeout || retries()) return;
    return fail_with(ErrorCode::timed_out, "the name of '" + options.server + "' was not resolved");
  }
  if (!found->has_value()) {
    if (retries()) return;
    return fail_with(found->error().code, found->error().message);
  }
  const Address address = found->value();
  Result<std::unique_ptr<DatagramSocket>> opened =
      edges.network().open(address.is_ipv4() ? "0.0.0.0:0" : "[::]:0");
  if (!opened) {
    if (retries()) return;
    return fail_with(opened.error().code, opened.error().message);
  }
  socket = std::move(opened.value());
  ClientOptions client;
  client.connection = session_connection();
  client.handshake.agreement = content->agreement();
  client.handshake.server_key = key;
  if (welcome) client.handshake.user_data = encode_ticket(welcome->ticket);
  client.server = address;
  client.connect_timeout = options.connect_timeout;
  if (capture != nullptr) client.recorder = &capture->recorder();
  net = std::make_unique<Client>(client, *socket, edges.entropy(), now);
}

void GameClient::Impl::follow(Connection& connection) {
  // A message names the level of the connection's map. The message may arrive after the map has
  // begun.
  if (maps_announced != static_cast<std::uint16_t>(connection.map() + 1)) return;
  if (!next_levels.empty()) return begin_level(connection);
  replication->update(connection);
  if (replication->phase() == ReplicationPhase::failed) {
    return fail_with(ErrorCode::unsupported,
                     "this client cannot replicate the server's world: " + replication->failure());
  }
  if (replication->phase() == ReplicationPhase::playing || !replication->changes().empty()) {
    apply(ServerSource(*replication), replication->events());
  }
  replication->verify(&receiver);  // A client never writes values that the server sends.
  const bool has_changed = !replication->changes().empty();
  replication->clear();
  deferred.update();
  receiver.complete(*replication);
  if (has_changed) predict();
}

/// Compares the prediction with the server's newest state, and corrects the prediction.
void GameClient::Impl::predict() {
  if (content->game().systems.entries.empty() || player == PlayerId::none) return;
  if (prediction == nullptr) {
    const PredictionSource source{world, spawner, deferred, content};
    prediction = std::make_unique<OwnPrediction>(first_content->game(), source, collection, player,
                                                 problems);
    receiver.set_adoption(&prediction->spawns());
    prediction->set_replays_all(rules.replays_all);
    prediction->set_choice(&prediction_choice);
    prediction->set_forces(&forces);
    prediction->set_state_ticks([this](EntityId entity) -> Tick {
      if (recording != nullptr || entity.slot() >= references.size()) return {};
      const auto& [of, reference] = references[entity.slot()];
      if (of != entity) return {};
      return replication->tick_of(reference.id());
    });
    if (welcome) prediction->set_shared_seed(welcome->shared_seed);
    prediction->set_cue_player([this](const Cue& cue, bool is_late) { predict_cue(cue, is_late); });
    prediction->set_hit_tests(&hit_tests);
    hit_tests.set_view([this](PlayerId of) -> std::optional<ViewTime> {
      const ViewClaim* const claim = of == player ? claims.find(prediction->running()) : nullptr;
      return claim != nullptr ? std::optional(claim->view()) : std::nullopt;
    });
  }
  for (const EntityId entity : spawned) {
    prediction->note_entity(entity, references[entity.slot()].second);
  }
  prediction->reconcile(tick(), servo != nullptr ? servo->fraction() : 0, now);
  end_predicted_spawns();
}

void GameClient::Impl::apply(const WorldSource& source, std::span<const TimedEvent> events) {
  receiver.apply(source);
  for (const ReplicatedChange& change : source.changes()) {
    if (change.kind == ReplicatedChange::Kind::despawned) despawned(change.id);
    if (change.kind != ReplicatedChange::Kind::spawned) continue;
    const EntityReference reference = reference_to(change.id);
    const EntityId entity = collection.find(reference);
    if (entity.is_null()) continue;
    ++counted.spawned;
    loading.push_back({.entity = entity, .since = now});
    known[change.id] = entity;
    if (references.size() <= entity.slot()) references.resize(std::size_t{entity.slot()} + 1);
    references[entity.slot()] = {entity, reference};
    // A predicted entity was reported when it was spawned.
    if (prediction != nullptr && prediction->spawns().find(entity) != nullptr) {
      prediction->note_entity(entity, reference);
    } else {
      spawned.push_back(entity);
    }
  }
  for (const EntityReference gone : receiver.missing_placed()) {
    despawned(gone.id());
  }
  for (std::string& note : receiver.drain_notes()) {
    problems.add({.kind = ProblemKind::content_differs, .tick = tick(), .text = std::move(note)});
  }
  add_load_problems(deferred.drain_problems());
  const bool is_new = replication->counters().snapshots != noted_snapshots || recording != nullptr;
  noted_snapshots = replication->counters().snapshots;
  if (is_new) note_states(source);
  if (is_new && servo != nullptr) servo->note_server(server_time(), now);
  for (const TimedEvent& event : events) deliver_event(event);
}

/// Despawns predicted entities that the server does not have. Only this function despawns such
/// entities.
void GameClient::Impl::end_predicted_spawns() {
  std::vector<PredictedSpawns::Ended>& ended = prediction->spawns().ended();
  for (std::size_t i = 0; i < ended.size(); ++i) {
    const EntityId entity = ended[i].entity;
    std::erase(spawned, entity);
    const auto undone = on_undone;  // Copies, because the callbacks can replace themselves.
    const bool was_right = ended[i].end == SpawnEnd::expired && ended[i].has_despawned;
    if (undone && !was_right) undone(entity);
    const auto callback = on_despawn;
    if (callback) callback(entity);
    world.request_despawn(entity);
  }
  ended.clear();
  std::vector<EntityId>& causes = prediction->undone_causes();
  for (std::size_t i = 0; i < causes.size(); ++i) {
    const auto undone = on_undone;
    if (undone) undone(causes[i]);
  }
  causes.clear();
}

void GameClient::Impl::despawned(NetworkId id) {
  const auto found = known.find(id);
  if (found == known.end()) return;
  const EntityId entity = found->second;
  ++counted.despawned;
  std::erase(spawned, entity);
  const auto callback = on_despawn;  // A copy, because the callback can replace itself.
  if (callback && world.is_alive(entity)) callback(entity);
  for (ShownComponent& one : shown) one.history.forget(entity);
  prediction_choice.forget(entity);
  known.erase(found);
}

void GameClient::Impl::note_states(const WorldSource& source) {
  if (tick() == Tick()) return;
  if (view_clock == nullptr) {
    view_clock = make_jitter_buffer({.ticks_per_second = welcome->ticks_per_second,
                                     .snapshot_ticks = welcome->snapshot_ticks,
                                     .policy = rules.jitter});
  }
  view_clock->note(tick(), now);
  // After a seek backwards in a recording, drops the later ticks.
  std::erase_if(received_ticks, [&](Tick one) { return one >= tick(); });
  if (received_ticks.size() == kReceivedMax) received_ticks.erase(received_ticks.begin());
  received_ticks.push_back(tick());
  hit_tests.record(tick());
  for (const auto& [id, entity] : known) {
    if (!source.holds(id)) continue;
    // If an entity's update was deferred, its state is older than the snapshot.
    const Tick state_tick = recording != nullptr ? tick() : replication->tick_of(id);
    if (state_tick == Tick()) continue;
    for (ShownComponent& one : shown) {
      const Bytes value = std::as_const(world).bytes(one.history.id(), entity);
      if (!value.empty()) one.history.note(entity, state_tick, value);
    }
  }
}

void GameClient::Impl::show() {
  if (view_clock) shown_tick = view_clock->shown(now);
  if (!received_ticks.empty()) drawn_newest = received_ticks.back();
  world.process_despawns();
  const float fraction = servo != nullptr ? servo->fraction() : 0;
  for (ShownComponent& one : shown) {
    const ComponentStorage& storage = world.storage(one.history.id());
    const Bytes bytes = storage.bytes();
    one.values.assign(bytes.begin(), bytes.end());
    const std::span<const EntityId> owners = storage.owners();
    for (std::size_t i = 0; i < owners.size(); ++i) {
      const std::span<std::byte> out =
          std::span(one.values).subspan(i * storage.stride_bytes(), storage.stride_bytes());
      const bool is_own = prediction != nullptr &&
                          prediction->shown(owners[i], one.history.id(), fraction, now, out);
      if (!is_own) one.history.state_at(owners[i], shown_tick, out);
    }
    show_offsets(one);
  }
  const std::vector<EntityId> added = std::exchange(spawned, {});
  for (const EntityId entity : added) {
    const auto callback = on_spawn;  // A copy, because the callback can replace itself.
    if (callback && world.is_alive(entity)) callback(entity);
  }
  note_ready();
  play_cues();
  show_view();
}

const std::byte* GameClient::Impl::locate(ComponentId id, std::uint32_t index, bool is_view) const {
  const ComponentStorage& storage = world.storage(id);
  const std::size_t offset = std::size_t{index} * storage.stride_bytes();
  if (is_view) {
    for (const ShownComponent& one : shown) {
      if (one.history.id() != id) continue;
      // Inside a callback, the world may have components that `values` does not have yet.
      if (one.values.size() == storage.bytes().size()) return one.values.data() + offset;
    }
  }
  return storage.bytes().data() + offset;
}

/// The number of ticks after which a report about a command can arrive. Reports are sent with
/// snapshots, so the number includes a snapshot interval.
double GameClient::Impl::round_trip_ticks(const Connection& connection) const {
  const double seconds = std::chrono::duration<double>(connection.round_trip().smoothed()).count();
  return seconds * welcome->ticks_per_second + welcome->snapshot_ticks;
}

std::optional<ViewClaim> GameClient::Impl::view_claim(double ahead) const {
  if (received_ticks.empty() || shown_tick <= 0) return std::nullopt;
  const double drawn = std::min(shown_tick + ahead, in_ticks(received_ticks.back()));
  const Tick newest = drawn <= in_ticks(drawn_newest) ? drawn_newest : received_ticks.back();
  const auto after =
      std::ranges::upper_bound(received_ticks, Tick(static_cast<std::uint32_t>(drawn)));
  const Tick to = after == received_ticks.end() ? received_ticks.back() : *after;
  const Tick from = after == received_ticks.begin() ? to : *(after - 1);
  return make_claim(newest, from, to, drawn);
}

void GameClient::Impl::send_commands(Connection& connection) {
  if (!has_sent_structs) {
    has_sent_structs = pipe.send(SessionMessage::structs, encoder.schema());
  }
  if (!welcome || content->game().commands.types.empty() || tick() == Tick()) return;
  if (servo == nullptr) begin_predicted_time();
  double ahead = 0;
  for (std::uint32_t due = servo->due(now); due > 0; --due) {
    const CommandNumber number = command_of(servo->tick() - (due - 1));
    if (!number.is_none()) send_command(connection, number, ahead);  // 0 is not a command.
    ahead += 1;
  }
}

void GameClient::Impl::begin_predicted_time() {
  const std::uint32_t rate = welcome->ticks_per_second;
  servo = rules.clock ? rules.clock(rate) : std::make_unique<ClockServo>(rate);
  sender.set_commands_per_packet(rules.commands_per_packet);
  servo->begin(server_time(), now);
}

ServerTime GameClient::Impl::server_time() const {
  const Connection* const connection = net->connection();
  return {.tick = tick(),
          .round_trip = connection != nullptr ? connection->round_trip().smoothed() : Duration(),
          .newest_command = report.newest};
}

/// Sends a command. The command's number is the tick in which the server runs the command.
void GameClient::Impl::send_command(Connection& connection, CommandNumber number, double ahead) {
  sampler.end_tick();
  for (const ClampedStructField& clamped : sampler.clamped()) {
    problems.add({.kind = ProblemKind::clamped,
                  .tick = tick(),
                  .component = std::string(clamped.type),
                  .field = std::string(clamped.field),
                  .text = "a command's value is outside its range: the nearest value was sent"});
  }
  sender.push(number, sampler.values());
  claims.push(number, hit_tests.is_used() ? view_claim(ahead) : std::nullopt);
  const std::span<const std::byte> packet = sender.packet(round_trip_ticks(connection));
  command_packet.clear();
  claim_bits += claims.write(number, sender.loss() > 0 ? kClaimsPerPacketMax : 1, command_packet);
  command_packet.insert(command_packet.end(), packet.begin(), packet.end());
  // If the queue is full, the packet is dropped. The next packet repeats the last commands.
  static_cast<void>(connection.send_message(kCommandChannel, command_packet));
  copy_commands(sampler.last(), commands);
  forces.apply(number, commands);
  if (prediction == nullptr) return;
  prediction->run(number, sampler.last());
  std::vector<EntityId>& made = prediction->spawns().made();
  spawned.insert(spawned.end(), made.begin(), made.end());
  made.clear();
}

void GameClient::Impl::repeat_lost(std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) sampler.add_lost(sender.lost(i));
}

void GameClient::Impl::fail_with(ErrorCode code, std::string text) {
  if (end) return;
  end = ClientEnd{.is_good = false, .code = code, .text = std::move(text)};
  if (net != nullptr) {
    net->close("the client cannot replicate the server's world", now);
    net->send(now);
  }
}

void GameClient::Impl::end_if_over() {
  if (end || net->state() != ClientState::closed) return;
  const std::optional<Close> close = net->end();
  const CloseReason reason = close ? close->reason : CloseReason::none;
  const std::string text = close ? close->text : std::string();
  const bool is_lost = reason == CloseReason::timed_out || reason == CloseReason::no_answer;
  // The server counts the lost connection until that connection times out, so the server can be
  // full.
  const bool is_refused_again = reason == CloseReason::refused && lost_at;
  if ((is_lost || is_refused_again) && may_resume()) {
    if (is_refused_again) retry_at = now + kRetryInterval;
    return resume();
  }
  if (is_lost && lost_at) {
    const auto since = std::chrono::duration_cast<std::chrono::seconds>(now - *lost_at).count();
    return fail_with(ErrorCode::timed_out, "the server is lost: no packet has arrived for " +
                                               std::to_string(15 + since) + " s");
  }
  switch (reason) {
    case CloseReason::left:
    case CloseReason::shutting_down:
      end = ClientEnd{.is_good = true, .code = ErrorCode::cancelled, .text = text};
      return;
    case CloseReason::kicked:
      return fail_with(ErrorCode::permission_denied, "the server ended the connection: " + text);
    case CloseReason::timed_out:
      return fail_with(ErrorCode::timed_out, "the server is lost: no packet has arrived for 15 s");
    case CloseReason::no_answer:
      return fail_with(ErrorCode::timed_out, "no server answers at " + options.server +
                                                 ": check that it runs, its address, and its key");
    case CloseReason::refused:
      return fail_with(ErrorCode::permission_denied, "the server refuses this client: " + text);
    default:
      return fail_with(ErrorCode::io, "the connection ended: " + text);
  }
}

void GameClient::Impl::report_problems() {
  if (capture != nullptr) {
    if (const Result<void> written = capture->write(); !written) {
      problems.add({.kind = ProblemKind::unwritten,
                    .tick = tick(),
                    .text = "the capture ends here: " + written.error().message});
    }
  }
  problems.flush(now, [this](const Problem& problem) {
    if (const auto callback = on_problem) {
      callback(problem);
    } else {
      edges.log(LogLevel::warning, to_line(problem));
    }
  });
}

void GameClient::Impl::diverged(const Divergence& divergence) {
  problems.add(
      {.kind = ProblemKind::diverged, .tick = tick(), .text = muster::to_line(divergence)});
}

}  // namespace muster
