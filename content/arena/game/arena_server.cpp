#include "content/arena/game/arena_server.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>
#include <system_error>
#include <utility>

#include "content/arena/game/course.h"
#include "content/arena/game/population.h"
#include "content/arena/game/snapshot_asset.h"
#include "runtime/session/game_loop.h"
#include "runtime/world/worker_pool.h"

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

namespace {

constexpr std::string_view kStillText = "all stands still";

double milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

/// What is made once it is known what the build's prefabs have. Members refer to one another.
struct ArenaServer::Match {
  Match(ArenaServer& server, ReplicatedTypes found, std::uint32_t registry,
        ByteVector snapshot_model)
      : model(std::move(snapshot_model)),
        types(std::move(found)),
        sender(types, server.world_, server.collection_),
        population(server.spawner_, server.collection_, sender, registry),
        course(population, server.options_.seed),
        replication({.channel = kReplicationChannel,
                     .ticks_per_second = kTicksPerSecond,
                     .snapshot_ticks = kSnapshotTicks,
                     .model_file = model},
                    types.schema, &server),
        modules{course.module()},
        loop(server.world_, modules,
             {.role = LoopRole::server, .ticks_per_second = kTicksPerSecond}),
        workers(server.options_.worker_count) {
    std::int32_t id = 0;
    for (const PlacedEntity& placed : server.level_.placed()) {
      if (population.adopt({id++}, placed.entity)) continue;
      server.lines_.push_back("what is placed with the id " + std::to_string(id - 1) +
                              " is of no type that travels: clients go without");
    }
    course.begin(server.level_.placed());
  }

  ByteVector model;
  ReplicatedTypes types;
  WorldSender sender;
  Population population;
  Course course;
  ReplicationServer replication;
  std::vector<GameModule> modules;
  GameLoop loop;
  WorkerPool workers;
};

ArenaServer::ArenaServer(BundleStore& store, const ArenaServerOptions& options)
    : store_(store), options_(options), world_(session_components()) {}

ArenaServer::~ArenaServer() = default;

Result<std::unique_ptr<ArenaServer>> ArenaServer::open(BundleStore& store,
                                                       const ArenaServerOptions& options) {
  const std::optional<std::uint32_t> registry = find_registry(store.catalog(), kReplicatedRegistry);
  if (!registry) {
    return fail(ErrorCode::not_found, "the build has no " + std::string(kReplicatedRegistry));
  }
  std::unique_ptr<ArenaServer> server(new ArenaServer(store, options));
  Result<ReplicatedTypes> types =
      replicated_types(server->spawner_, {.registry = *registry, .local = {}});
  if (!types) return fail(types.error());
  if (const Result<void> loaded = server->load_level(); !loaded) return fail(loaded.error());
  Result<ByteVector> model = find_snapshot_model(store);
  if (!model) return fail(model.error());
  try {
    server->match_ = std::make_unique<Match>(*server, std::move(types.value()), *registry,
                                             std::move(model.value()));
  } catch (const std::system_error& error) {
    return fail(ErrorCode::io, std::string("cannot start the workers: ") + error.what());
  }
  return server;
}

/// The match does not begin before it stands; a server has nothing else to do meanwhile.
Result<void> ArenaServer::load_level() {
  const std::optional<Guid> level = find_level(store_.catalog());
  if (!level) return {};
  level_.load(*level);
  loader_.update(Time());
  level_.update();
  while (level_.state() == LevelState::loading) {
    loader_.wait(Time());
    level_.update();
  }
  if (level_.state() == LevelState::failed) return fail(level_.error());
  [[maybe_unused]] const CollectionVerdict placed = level_.register_placed(collection_);
  assert(placed == CollectionVerdict::accepted);  // Nothing had an id.
  return {};
}

void ArenaServer::start(DatagramSocket& socket, Entropy& entropy, Time now,
                        PacketRecorder* recorder) {
  ServerOptions options;
  options.recorder = recorder;
  options.connection = connection_options();
  options.agreement = agreement();
  options.identity = SecretKey::random(entropy);
  options.clients_per_address = options_.clients_per_address;
  Admission& door = *this;
  net_ = std::make_unique<Server>(options, socket, entropy, door, net_time(now));
}

void ArenaServer::frame(Time now) {
  net_->receive(net_time(now), 0);
  // With the first tick a map begins, and what was told of no map would be over with it.
  if (sent_tick_ != Tick()) come_and_go();
  match_->loop.advance(now);
  const Tick tick = match_->loop.tick();
  if (options_.still_from_tick != 0 && tick.value() >= options_.still_from_tick) stand_still();
  if (const Tick last = std::exchange(sent_tick_, tick); last != tick) {
    match_->replication.begin_tick(tick.value());
    if (last == Tick()) match_->replication.begin_map(info());
    match_->sender.write(match_->replication.world());
    match_->replication.end_tick();
    if (recording_ != nullptr) recording_->add(match_->replication.world());
  }
  replicate(net_time(now));
  net_->send(net_time(now));
}

void ArenaServer::come_and_go() {
  for (const ServerEvent& event : net_->events()) {
    if (event.kind == ServerEvent::Kind::connected) {
      const Player player{.client = event.client, .number = next_player_++};
      players_.push_back(player);
      match_->course.join(PlayerId(player.number));
      match_->replication.add_client(id_of(player), {.player = player.number});
      lines_.push_back("player " + std::to_string(player.number) + " came from " +
                       net_->address(event.client).text());
      continue;
    }
    const auto found = std::ranges::find(players_, event.client, &Player::client);
    if (found == players_.end()) continue;
    lines_.push_back("player " + std::to_string(found->number) + " has gone" +
                     (event.close && !event.close->text.empty() ? ": " + event.close->text : ""));
    match_->course.leave(PlayerId(found->number));
    match_->replication.remove_client(id_of(*found));
    players_.erase(found);
  }
  net_->clear_events();
}

void ArenaServer::welcome(Player& player, Connection& connection) {
  if (player.is_welcomed) return;
  const std::array<std::byte, 2> welcome = {static_cast<std::byte>(player.number & 0xFFU),
                                            static_cast<std::byte>(player.number >> 8U)};
  player.is_welcomed = connection.send_message(kGameChannel, welcome) == SendStatus::queued;
}

/// Clients share nothing but what they only read, so each is served by whoever is free.
void ArenaServer::replicate(Time now) {
  served_.clear();
  for (Player& player : players_) {
    Connection* const connection = net_->connection(player.client);
    if (connection == nullptr) continue;
    welcome(player, *connection);
    served_.push_back({.id = id_of(player), .connection = connection});
  }
  auto serve = [&](std::uint32_t i) {
    match_->replication.update(served_[i].id, *served_[i].connection, now);
  };
  match_->workers.run(static_cast<std::uint32_t>(served_.size()), serve);
  // Which worker came first is nobody's business.
  std::ranges::sort(of_clients_);
  std::ranges::move(of_clients_, std::back_inserter(lines_));
  of_clients_.clear();
}

/// Tells everybody at which tick it was.
void ArenaServer::stand_still() {
  if (std::exchange(stands_still_, true)) return;
  match_->course.stand_still();
  for (const Player& player : players_) {
    (void)match_->replication.send_event(id_of(player), match_->loop.tick().value(),
                                         as_bytes(kStillText));
  }
  if (recording_ != nullptr) {
    recording_->add_event(match_->loop.tick().value(), as_bytes(kStillText));
  }
  lines_.emplace_back(kStillText);
}

void ArenaServer::close(Time now) { net_->close("the match is over", net_time(now)); }

Tick ArenaServer::tick() const { return match_->loop.tick(); }

const WorldSenderCounters& ArenaServer::sent() const { return match_->sender.counters(); }

const ReplicatedWorld& ArenaServer::replicated() const { return match_->replication.world(); }

std::vector<ArenaClientReport> ArenaServer::clients() {
  std::vector<ArenaClientReport> reports;
  for (const Player& player : players_) {
    const Connection* const connection = net_->connection(player.client);
    if (connection == nullptr) continue;
    const WorldValues world = world_of(player.number);
    reports.push_back({.player = player.number,
                       .entities = world.entity_count(),
                       .world = world.hash(),
                       .connection = connection->counters(),
                       .view = match_->replication.view(id_of(player))->counters(),
                       .round_trip_ms = milliseconds(connection->round_trip().smoothed())});
  }
  return reports;
}

WorldValues ArenaServer::world_of(std::uint16_t player) const {
  const ReplicationSchema& schema = match_->types.schema;
  WorldValues world(schema);
  std::vector<std::int64_t> values;
  match_->sender.each([&](EntityReference id, std::uint16_t type, PlayerNumber owner) {
    values.assign(schema.value_count(type), 0);
    if (!match_->sender.values(id, values)) return;
    world.add(static_cast<std::uint32_t>(id.network_id), type,
              owner == player ? SeenBy::owner : SeenBy::others, values);
  });
  return world;
}

void ArenaServer::diverged(const Divergence& divergence) { note_of_client(to_line(divergence)); }

void ArenaServer::left_out(const UnfitEntity& entity) {
  note_of_client("entity " + std::to_string(entity.id) + " of type " + std::to_string(entity.type) +
                 " is not told: a datagram has room for " + std::to_string(entity.payload_bytes) +
                 " bytes, and it takes more");
}

void ArenaServer::clamped(const ClampedValue& value) {
  note_of_client("entity " + std::to_string(value.id) + " of type " + std::to_string(value.type) +
                 " has " + std::string(value.field) + " " + std::to_string(value.value) +
                 ", outside " + std::to_string(value.low) + " to " + std::to_string(value.high) +
                 "; clients get a value of that range");
}

void ArenaServer::note_of_client(std::string line) {
  const std::lock_guard lock(of_clients_mutex_);
  of_clients_.push_back(std::move(line));
}

std::vector<std::string> ArenaServer::take_lines() { return std::exchange(lines_, {}); }

}  // namespace arena
