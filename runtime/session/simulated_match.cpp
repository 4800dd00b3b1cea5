#include "runtime/session/simulated_match.h"

#include <algorithm>
#include <chrono>

#include "runtime/session/game_client_impl.h"
#include "runtime/session/game_server_impl.h"

namespace muster {
namespace {

/// The length of a step. Clients and the server have 60 frames per second.
constexpr Duration kStep = std::chrono::nanoseconds(16'666'667);
constexpr std::string_view kServerHost = "server";
constexpr std::string_view kServerAddress = "server:7000";
/// The maximum number of lines of `differences`.
constexpr std::size_t kDifferencesMax = 64;

/// Requires: the client is over.
bool has_left_or_was_kicked(const GameClient& client) {
  const bool had_joined = client.player() != PlayerId::none;
  return client.end().is_good || (had_joined && client.end().code == ErrorCode::permission_denied);
}

}  // namespace

struct SimulatedMatch::Impl {
  struct ClientSeat {
    std::string host;
    std::unique_ptr<GameClient> client;
  };
  explicit Impl(std::uint64_t seed) : edges(seed) {}

  void step(bool has_players);
  void compare(const ClientSeat& seat, std::vector<std::string>& lines) const;
  bool is_expected(const GameClient::Impl& client, const ReplicatedEntity& entity) const;

  Game game;
  std::string folder;
  MatchOptions options;
  SimulatedEdges edges;
  std::unique_ptr<GameServer> server;
  std::string key;  ///< The server's key, which stays after the server is killed.
  std::vector<ClientSeat> clients;
  std::function<void(GameClient&, Tick)> on_client_frame;
  std::vector<Problem> problems;
};

SimulatedMatch::SimulatedMatch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SimulatedMatch::~SimulatedMatch() = default;

Result<std::unique_ptr<SimulatedMatch>> SimulatedMatch::open(const Game& game,
                                                             std::string_view folder,
                                                             const MatchOptions& options) {
  auto impl = std::make_unique<Impl>(options.seed);
  impl->game = game;
  impl->folder = std::string(folder);
  impl->options = options;
  impl->options.server.listen = kServerAddress;
  const Result<Build> build = Build::open(folder, Target::server, game, options.build);
  Result<std::unique_ptr<GameServer>> server =
      GameServer::open(build, impl->edges.host(kServerHost), impl->options.server);
  if (!server) return fail(server.error());
  impl->server = std::move(server.value());
  impl->key = impl->server->public_key();
  Impl& members = *impl;
  impl->server->on_problem(
      [&members](const Problem& problem) { members.problems.push_back(problem); });
  return std::unique_ptr<SimulatedMatch>(new SimulatedMatch(std::move(impl)));
}

GameServer& SimulatedMatch::server() { return *impl_->server; }
SimulatedEdges& SimulatedMatch::edges() { return impl_->edges; }
void SimulatedMatch::kill_server() {
  impl_->edges.set_link(kServerHost, {.is_down = true});
  impl_->server.reset();
}

GameClient& SimulatedMatch::add_client(const Link& link) {
  return add_client(link, impl_->game, impl_->folder,
                    {.server = std::string(kServerAddress), .key = impl_->key});
}

GameClient& SimulatedMatch::add_client(const Link& link, const Game& game, std::string_view folder,
                                       const GameClientOptions& options) {
  Impl::ClientSeat seat;
  seat.host = "client" + std::to_string(impl_->clients.size() + 1);
  GameClientOptions wanted = options;
  if (wanted.server.empty()) wanted.server = kServerAddress;
  if (wanted.key.empty()) wanted.key = impl_->key;
  wanted.loading_threads = 0;  // With threads, loads would end in different ticks in each run.
  Result<std::unique_ptr<GameClient>> client =
      GameClient::connect(Build::open(folder, Target::client, game, impl_->options.build),
                          impl_->edges.host(seat.host, link), wanted);
  if (!client) {
    // The test itself is wrong, so the program ends. The error must not look like a lost
    // connection.
    complain(client.error());
    std::abort();
  }
  seat.client = std::move(client.value());
  Impl& members = *impl_;
  seat.client->on_problem(
      [&members](const Problem& problem) { members.problems.push_back(problem); });
  impl_->clients.push_back(std::move(seat));
  return *impl_->clients.back().client;
}

void SimulatedMatch::on_client_frame(std::function<void(GameClient&, Tick)> callback) {
  impl_->on_client_frame = std::move(callback);
}

void SimulatedMatch::set_link(const GameClient& client, const Link& link) {
  for (const Impl::ClientSeat& seat : impl_->clients) {
    if (seat.client.get() == &client) impl_->edges.set_link(seat.host, link);
  }
}

void SimulatedMatch::Impl::step(bool has_players) {
  edges.advance(kStep);
  if (server != nullptr) server->frame(edges.now());
  for (const ClientSeat& seat : clients) {
    if (has_players && on_client_frame && !seat.client->is_over()) {
      on_client_frame(*seat.client, seat.client->impl_->tick());
    }
    seat.client->frame(edges.now());
  }
}

void SimulatedMatch::run(Duration duration) {
  for (const Time end = impl_->edges.now() + duration; impl_->edges.now() < end;) {
    impl_->step(true);
  }
}

bool SimulatedMatch::Impl::is_expected(const GameClient::Impl& client,
                                       const ReplicatedEntity& entity) const {
  const PlayerId player = client.player;
  if (entity.options.owner == player) return true;
  GameServer::Impl& all = *server->impl_;
  const ClientView* const view = all.replication->view(GameServer::Impl::client_of(player));
  // Near the border of the interest radius, a client may or may not have an entity. Therefore only
  // entities that are always relevant are required to exist.
  return view != nullptr && entity.options.relevance == Relevance::always &&
         all.is_relevant({.player = player, .team = all.team_of(client.player)}, entity);
}

void SimulatedMatch::Impl::compare(const ClientSeat& seat, std::vector<std::string>& lines) const {
  const GameClient::Impl& client = *seat.client->impl_;
  const GameServer::Impl& all = *server->impl_;
  const auto note = [&](std::string line) {
    if (lines.size() < kDifferencesMax) lines.push_back(seat.host + ": " + std::move(line));
  };
  const bool is_over = seat.client->is_over();
  if (is_over && has_left_or_was_kicked(*seat.client)) return;
  if (is_over || client.replication->schema() == nullptr)
    return note("does not play: " + seat.client->state_text());
  const ReplicationSchema& schema = all.types->schema;
  std::vector<std::int64_t> here;
  std::vector<std::int64_t> there;
  for (const ReplicatedEntity& entity : all.replication->world().entities()) {
    const std::string name = "entity " + std::to_string(wire_id(entity.id));
    const EntityReference reference = reference_to(entity.id);
    there.assign(schema.value_count(entity.options.type), 0);
    here = there;
    if (!all.sender->values(reference, there)) continue;
    SchemaComponent lacking{};
    here = there;
    const EntityFound found = client.receiver.values(entity.id, here, lacking);
    if (!client.replication->has(entity.id) || found != EntityFound::here) {
      if (is_expected(client, entity)) note(name + " is missing");
      continue;
    }
    const SeenBy seen_by = entity.options.owner == client.player ? SeenBy::owner : SeenBy::others;
    std::size_t at = 0;
    for (const SchemaComponent component : schema.type(entity.options.type).components) {
      for (const FieldSchema& field : schema.component(component).fields) {
        for (std::uint32_t i = 0; i < field.value_count; ++i, ++at) {
          if (here[at] == there[at] || !is_received(field.receivers, seen_by)) continue;
          note(name + ", " + schema.component(component).name + "." + field.name + ": server " +
               std::to_string(there[at]) + ", client " + std::to_string(here[at]));
        }
      }
    }
  }
  for (const auto& [id, entity] : client.known) {
    if (all.replication->world().find(id) == nullptr) {
      note("entity " + std::to_string(wire_id(id)) + " does not exist on the server");
    }
  }
}

std::vector<std::string> SimulatedMatch::differences(Duration settle) {
  if (impl_->server == nullptr) return {"the server was killed"};
  if (impl_->server->impl_->is_closed) return {"the server is closed"};
  Simulation& simulation = impl_->server->impl_->simulation;
  simulation.set_paused(true);
  for (const Time end = impl_->edges.now() + settle; impl_->edges.now() < end;) {
    impl_->step(false);
  }
  simulation.set_paused(false);
  std::vector<std::string> lines;
  for (const Impl::ClientSeat& seat : impl_->clients) impl_->compare(seat, lines);
  return lines;
}

std::span<const Problem> SimulatedMatch::problems() const { return impl_->problems; }
std::uint64_t SimulatedMatch::world_hash() const { return impl_->server->world().checksum(); }

}  // namespace muster
