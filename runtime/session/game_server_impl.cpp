// A frame has these steps: receive; events of connections; messages; ticks; replication; send. A
// player joins only after the first tick has begun, because the replication's map begins with that
// tick and drops all messages that were sent earlier.
#include "runtime/session/game_server_impl.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstring>
#include <string>
#include <tuple>

namespace muster {
std::uint16_t snapshot_ticks(const Game& game) {
  return static_cast<std::uint16_t>(
      std::max(1, game.ticks_per_second / game.sync.snapshots_per_second));
}

namespace {

double share(std::uint64_t part, std::uint64_t rest) {
  return part + rest == 0 ? 0 : static_cast<double>(part) / static_cast<double>(part + rest);
}

ViewClaimOptions view_rules(const Game& game) {
  const std::uint32_t rate = game.ticks_per_second;
  const auto rewind =
      game.sync.rewind_max.count() * std::int64_t{rate} / Duration(std::chrono::seconds(1)).count();
  // The newest world has an age of 1 tick, because the running tick has no world yet.
  return {.rewind_ticks_max = std::max(static_cast<std::uint32_t>(rewind), 1U),
          .snapshot_ticks = snapshot_ticks(game),
          .blend_ticks_max = std::max<std::uint32_t>(rate / 4U, snapshot_ticks(game)),
          .outage_ticks = std::max<std::uint32_t>(rate / 4U, 3U * snapshot_ticks(game))};
}

}  // namespace

std::string to_line(const Problem& problem) {
  std::string line(to_string(problem.kind));
  if (problem.player != PlayerId::none) {
    line += ", player " + std::to_string(static_cast<std::int32_t>(problem.player));
  }
  if (!problem.component.empty()) line += ", " + problem.component;
  if (!problem.field.empty()) line += "." + problem.field;
  if (!problem.text.empty()) line += ": " + problem.text;
  if (problem.count > 1) line += " (" + std::to_string(problem.count) + " times)";
  return line;
}

GameServer::Impl::Impl(std::shared_ptr<const BuildContent> opened, Edges& given,
                       const GameServerOptions& requested, std::unique_ptr<ContentStore> own_assets)
    : first_content(std::move(opened)),
      content(first_content),
      edges(given),
      options(requested),
      assets(std::move(own_assets)),
      world(content->components()),
      spawner(assets->store(), world),
      collection(world),
      level(spawner, assets->loader()),
      entity_source{spawner, collection, content},
      hit_tests(world, first_content->game()),
      simulation(first_content->game(), world, collection, &entity_source, PlayerId::none, problems,
                 options.seed),
      structure(world, simulation, content, problems),
      encoder(content->game().commands.types, content->game().messages.types),
      clock(content->game().ticks_per_second) {
  if (options.may_reload) spawner.note_in(&instances);
  hit_tests.set_view([this](PlayerId player) {
    Player* const found = find(player);
    return found != nullptr ? found->seen : std::nullopt;
  });
  simulation.set_hit_tests(&hit_tests);
  simulation.set_structure_watch(&structure.watch());
  simulation.set_spawn_report(
      [this](PlayerId player, const PredictedKey& key, SpawnRefusal refusal) {
        if (Player* const found = find(player)) found->spawns.add(key, refusal);
      });
  simulation.set_cues([this](const Cue& cue) { send_cue(cue); });
  simulation.set_command_numbers([this](PlayerId player) {
    const Player* const found = find(player);
    // A repeated command has no predicted ids, because each predicted id is used only once.
    return found != nullptr && !found->is_waiting ? found->commands.number() : CommandNumber{};
  });
  simulation.set_commands([this](PlayerId player, StructType command) {
    Player* const found = find(player);
    return found != nullptr ? Bytes(found->commands.current()[struct_index(command)]) : Bytes();
  });
}

Duration GameServer::Impl::frame(Time at) {
  now = at;
  is_in_frame = true;
  net->receive(now, edges.unix_seconds());
  update_level();
  if (has_begun) update_connections();
  const std::uint32_t due = clock.due(now);
  if (clock.skipped() != skipped_ticks) {
    problems.add({.kind = ProblemKind::overloaded,
                  .tick = simulation.tick(),
                  .count = clock.skipped() - skipped_ticks,
                  .text = "ticks were skipped: a frame took longer than its ticks"});
    skipped_ticks = clock.skipped();
  }
  for (std::uint32_t i = 0; i < due; ++i) run_tick();
  if (due > 0) replicate();
  update_clients();
  net->send(now);
  update_infos();
  write_files();
  report_problems();
  is_in_frame = false;
  if (close_reason) close();
  return clock.to_next();
}

/// Updates all clients, with several threads if there are workers. Clients share only data that is
/// not changed.
void GameServer::Impl::update_clients() {
  auto update = [this](std::uint32_t index) {
    Player& player = *players[index];
    Connection* const connection = net->connection(player.client);
    // A new map drops the messages in flight, so messages of the new map wait until that map
    // begins.
    if (connection == nullptr || begins_map) return;
    replication->update(client_of(player.id), *connection, now);
    if (connection->map() != player.pipe_map) {
      player.pipe_map = connection->map();
      begin_map(player);
    }
    player.pipe.flush(*connection);
  };
  const auto count = static_cast<std::uint32_t>(players.size());
  if (workers != nullptr) {
    workers->run(count, update);
  } else {
    for (std::uint32_t i = 0; i < count; ++i) update(i);
  }
  add_worker_problems();
  for (const auto& player : players) report_lost_events(*player, false);
}

void GameServer::Impl::add_worker_problems() {
  const auto order = [](const Problem& one) {
    return std::tie(one.kind, one.text, one.component, one.field);
  };
  std::ranges::sort(worker_problems, {}, order);
  for (Problem& problem : worker_problems) problems.add(std::move(problem));
  worker_problems.clear();
}

void GameServer::Impl::write_files() {
  if (capture == nullptr) return;
  if (const Result<void> written = capture->write(); !written) {
    problems.add({.kind = ProblemKind::unwritten,
                  .tick = simulation.tick(),
                  .text = "the capture ends here: " + written.error().message});
  }
}

void GameServer::Impl::update_connections() {
  // Players join and leave only within a map. A callback may close the server, which adds events.
  if (!is_between_maps()) remove_expired();
  while (events_read < net->events().size() && !is_between_maps()) {
    const ServerEvent event = net->events()[events_read++];
    if (event.kind == ServerEvent::Kind::connected) {
      join(event);
    } else {
      leave(event);
    }
  }
  if (events_read == net->events().size()) {
    net->clear_events();
    events_read = 0;
  }
  for (std::size_t i = 0; i < players.size(); ++i) {
    Player& player = *players[i];
    Connection* const connection = net->connection(player.client);
    if (connection == nullptr || connection->state() == ConnectionState::closed) continue;
    read_messages(player, *connection);
    read_loose(player, *connection);
    read_commands(player, *connection);
  }
}

void GameServer::Impl::join(const ServerEvent& event) {
  if (Player* const known = find_ticket(net->account(event.client))) {
    return resume(*known, event.client);
  }
  Connection* const connection = net->connection(event.client);
  if (connection == nullptr || connection->state() == ConnectionState::closed) return;
  // The client was admitted with a ticket, and a kick has later made the ticket invalid.
  if (net->account(event.client).is_known() || players.size() >= options.players_max) {
    if (const auto refused = refusal_of_new(net->address(event.client))) {
      return connection->close(CloseReason::kicked, *refused, now);
    }
  }
  const Game& game = first_content->game();  // A reload does not end the player.
  auto made = std::make_unique<Player>(game.commands.types, view_rules(game));
  Player& player = *made;
  player.id = free_player();
  player.client = event.client;
  while (find_ticket(player.ticket) != nullptr || !player.ticket.is_known()) {
    std::uint64_t random = 0;
    edges.entropy().fill(std::as_writable_bytes(std::span(&random, 1)));
    player.ticket = AccountId(random);
  }
  // If the client was admitted with a ticket that is now invalid, the new ticket replaces it.
  net->set_account(event.client, player.ticket);
  player.address = net->address(event.client);
  player.connected_at = now;
  const auto after =
      std::ranges::upper_bound(players, player.id, {}, [](const auto& other) { return other->id; });
  players.insert(after, std::move(made));
  last_player = player.id;
  replication->add_client(client_of(player.id), {.player = player.id});
  // The pipe is empty, so both messages fit.
  static_cast<void>(player.pipe.send(SessionMessage::structs, encoder.schema()));
  static_cast<void>(player.pipe.send(SessionMessage::welcome, encode(welcome_of(player))));
  simulation.players().clear();
  for (const auto& each : players) simulation.players().push_back(each->id);
  simulation.joined().push_back(player.id);
  update_infos();
  const auto callback = on_join;  // A copy, because the callback can replace itself.
  if (callback) callback(player.id);
}

void GameServer::Impl::leave(const ServerEvent& event) {
  const auto found =
      std::ranges::find(players, event.client, [](const auto& player) { return player->client; });
  if (found == players.end()) return;
  const std::string_view reason = event.close ? std::string_view(event.close->text) : "";
  if (is_lost(**found, event)) {
    lose(**found, reason);
    return limit_lost(subscriber_of((*found)->address));
  }
  const bool has_left = event.close && event.close->reason == CloseReason::left;
  if (!has_left) report_lost_events(**found, true);
  remove(static_cast<std::size_t>(found - players.begin()), reason);
}

void GameServer::Impl::remove(std::size_t index, std::string_view reason) {
  const std::unique_ptr<Player> gone = std::move(players[index]);
  players.erase(players.begin() + static_cast<std::ptrdiff_t>(index));
  replication->remove_client(client_of(gone->id));
  simulation.despawn_all_of(gone->id);
  simulation.release_all_of(gone->id);
  std::erase(simulation.players(), gone->id);
  simulation.left().push_back(gone->id);
  update_infos();
  const auto callback = on_leave;  // A copy, because the callback can replace itself.
  if (callback) callback(gone->id, reason);
}

/// Returns an unused id. Ids increase, so the id of a player that has left is not used again soon.
PlayerId GameServer::Impl::free_player() const {
  constexpr PlayerId kPlayerIdMax{0xFFFE};  // The id has 16 bits in the welcome message.
  constexpr PlayerId kPlayerIdMin{1};
  PlayerId candidate = last_player;
  for (;;) {
    const bool is_first = candidate == PlayerId::none || candidate >= kPlayerIdMax;
    candidate = is_first ? kPlayerIdMin : PlayerId{static_cast<std::int32_t>(candidate) + 1};
    const bool is_used =
        std::ranges::any_of(players, [&](const auto& player) { return player->id == candidate; });
    if (!is_used) return candidate;
  }
}

void GameServer::Impl::run_tick() {
  const Tick tick = simulation.tick().next();
  for (const auto& player : players) {
    const CommandNumber last = player->commands.number();
    if (player->decoder) player->commands.begin_tick(*player->decoder, command_of(tick));
    player->is_waiting = player->commands.number() == last;
    check_view(*player);
  }
  simulation.run_tick(tick);
  hit_tests.record(tick);
  for (const auto& player : players) report_commands(*player);
  // Without shared systems, clients predict nothing.
  if (content->game().systems.entries.empty() || simulation.is_paused()) return;
  for (const auto& player : players) {
    simulation.note_command(player->id, player->commands.number());
  }
}

void GameServer::Impl::replicate() {
  replication->begin_tick(simulation.tick());
  has_begun = true;
  if (begins_map && !is_changing_level) {
    begins_map = false;
    replication->begin_map({});
  }
  send_changes();
  sender->write(replication->world());
  structure.run(*sender, spawner);
  update_views();
  replication->end_tick();
  write_recording();
}

SessionInfo GameServer::Impl::info() const {
  const Agreement agreement = content->agreement();
  SessionInfo made;
  made.application = agreement.application;
  made.content = agreement.content;
  std::ranges::copy(std::as_bytes(std::span(level_guid.uuid().data)), made.level.begin());
  const ContentHash placed = level.placed_hash();
  std::ranges::copy(std::as_bytes(std::span(placed.bytes)), made.placed.begin());
  made.structs.assign(encoder.schema().begin(), encoder.schema().end());
  return made;
}

void GameServer::Impl::write_recording() {
  if (recorder == nullptr) return;
  recorder->add(replication->world());
  const Result<void> written = recorder->write();
  if (written) return;
  problems.add({.kind = ProblemKind::unwritten,
                .tick = simulation.tick(),
                .text = "the recording ends here: " + written.error().message});
  recorder.reset();
}

SentEntityOptions GameServer::Impl::sent_options(const SpawnedEntity& spawned) {
  std::optional<UpdateClass> added;
  SentEntityOptions sent{.type = spawned.type, .team = spawned.options.team};
  sent.update_class = classes.find(spawned.options, added);
  if (added) replication->add_class(*added);
  sent.relevance = spawned.options.visible_within > 0 ? Relevance::near : Relevance::always;
  return sent;
}

void GameServer::Impl::send_changes() {
  for (const EntityId entity : simulation.unsent()) {
    const SpawnedEntity* const spawned = simulation.find_spawned(entity);
    if (spawned == nullptr) continue;
    if (sender->add(spawned->reference, sent_options(*spawned), spawned->members) ==
        SendVerdict::accepted) {
      continue;
    }
    problems.add({.kind = ProblemKind::unknown_type,
                  .tick = simulation.tick(),
                  .entity = entity,
                  .text = "the type " + std::to_string(spawned->type.value()) +
                          " is not in the registry of replicated entities"});
  }
  for (const EntityId entity : simulation.changed_options()) {
    const SpawnedEntity* const spawned = simulation.find_spawned(entity);
    if (spawned != nullptr) sender->set_options(spawned->reference, sent_options(*spawned));
  }
  simulation.clear_changes();
}

std::optional<Vec3> GameServer::Impl::view_position(const Player& player) const {
  if (!world.is_alive(player.view)) return player.view_position;
  const std::optional<ComponentId> transform = world.find_component("Transform");
  const FieldDescription* const field =
      transform ? world.storage(*transform).description().find("position") : nullptr;
  if (field == nullptr || field->type != FieldType::vec3) return player.view_position;
  const Bytes value = world.bytes(*transform, player.view);
  if (value.empty()) return player.view_position;
  Vec3 position;
  std::memcpy(&position, value.data() + field->offset_bytes, sizeof position);
  return position;
}

void GameServer::Impl::update_views() {
  for (const auto& player : players) {
    const std::optional<Vec3> position = view_position(*player);
    if (!position) continue;
    player->view_position = position;
    replication->set_view_position(client_of(player->id), {position->x, position->y, position->z});
  }
}

GameServer::Impl::Player* GameServer::Impl::find(PlayerId player) {
  const auto found =
      std::ranges::lower_bound(players, player, {}, [](const auto& other) { return other->id; });
  return found != players.end() && (*found)->id == player ? found->get() : nullptr;
}

void GameServer::Impl::update_infos() {
  infos.resize(players.size());
  for (std::size_t i = 0; i < players.size(); ++i) {
    const Player& player = *players[i];
    PlayerInfo& info = infos[i];
    if (info.player != player.id) info.address = player.address.text();
    info.player = player.id;
    info.view = player.view;
    info.is_interrupted = player.lost_at.has_value();
    if (const Connection* const connection = net->connection(player.client)) {
      info.round_trip = connection->round_trip().smoothed();
      info.is_interrupted |= connection->state() == ConnectionState::interrupted;
      const ConnectionCounters counters = connection->counters();
      info.bytes_in = counters.bytes_in;
      info.bytes_out = counters.bytes_out;
      info.packets_out = counters.packets_out;
      info.loss = share(counters.lost_out, counters.delivered);
    }
    const ClientView* const view = replication->view(client_of(player.id));
    if (view == nullptr) continue;
    const ClientViewCounters& sent = view->counters();
    info.snapshots = sent.snapshots;
    info.snapshot_bytes = sent.snapshot_bytes;
    info.changes_deferred = sent.deferred;
    info.snapshots_skipped = sent.choked;
    info.resyncs = sent.resyncs;
    info.divergences = sent.divergences;
  }
}

void GameServer::Impl::report_problems() {
  problems.flush(now, [this](const Problem& problem) {
    problem_count += problem.count;
    if (const auto callback = on_problem) {
      callback(problem);
    } else {
      edges.log(LogLevel::warning, to_line(problem));
    }
  });
}

void GameServer::Impl::close() {
  is_closed = true;
  net->close(*close_reason, now);
  close_reason.reset();
}

std::optional<std::string> GameServer::Impl::refusal(const Applicant& applicant) {
  if (is_closed || close_reason) return "the server closes";
  if (find_ticket(decode_ticket(applicant.hello.user_data)) != nullptr) return std::nullopt;
  return refusal_of_new(applicant.address);
}

std::optional<std::string> GameServer::Impl::refusal_of_new(const Address& address) {
  // `players` includes players that may reconnect.
  if (players.size() >= options.players_max) return "the server is full";
  if (!on_apply) return std::nullopt;
  PlayerInfo info;
  info.player = PlayerId::none;
  info.address = address.text();
  const auto callback = on_apply;  // A copy, because the callback can replace itself.
  return callback(info);
}

bool GameServer::Impl::admits_content(std::uint64_t theirs) {
  if (theirs == content->agreement().content) return true;  // The client has the reloaded build.
  if (options.admit_other_content) {
    problems.add(
        {.kind = ProblemKind::content_differs,
         .tick = simulation.tick(),
         .text =
             "a client has another build: only the fields that both builds have are replicated"});
  }
  return options.admit_other_content;
}

bool GameServer::Impl::is_relevant(const Viewer& viewer, const ReplicatedEntity& entity) const {
  return entity.options.team == 0 || entity.options.team == viewer.team ||
         (entity.options.owner != PlayerId::none && entity.options.owner == viewer.player);
}

}  // namespace muster
