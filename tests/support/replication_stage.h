// A server's world, and clients over separate links.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "net/replication/replication_client.h"
#include "net/replication/replication_server.h"
#include "registry/base/seed.h"
#include "tests/support/connection_pair.h"
#include "tests/support/divergence_list.h"
#include "tests/support/net_bytes.h"

namespace muster {

/// Returns a schema of two types. One type has fields only for the owner and fields only for other
/// clients.
inline ReplicationSchema replication_samples_schema() {
  ReplicationSchema schema;
  schema.components.push_back(
      {.name = "Motion",
       .fields = {
           {.name = "position", .value_count = 3, .low = -100'000, .high = 100'000},
           {.name = "heading", .low = 0, .high = 359, .kind = LaneKind::angle, .period = 360},
           {.name = "turn",
            .value_count = 4,
            .low = 0,
            .high = 1023,
            .kind = LaneKind::rotation}}});
  schema.components.push_back(
      {.name = "Health",
       .fields = {
           {.name = "points", .low = 0, .high = 200},
           {.name = "stance", .low = 0, .high = 2, .kind = LaneKind::symbol},
           {.name = "ammo", .low = 0, .high = 90, .receivers = Receivers::owner},
           {.name = "sway", .low = 0, .high = 9, .receivers = Receivers::all_but_owner},
           {.name = "score", .low = std::int64_t{-1} << 40, .high = std::int64_t{1} << 40}}});
  schema.types.push_back({.id = TypeId(7), .components = {SchemaComponent{0}, SchemaComponent{1}}});
  schema.types.push_back({.id = TypeId(900), .components = {SchemaComponent{0}}});
  return schema;
}

/// A client's world, to which received changes are applied.
struct ClientWorld {
  struct Entity {
    SchemaType type{};
    SeenBy seen_by = SeenBy::others;
    Tick tick;
    std::vector<std::int64_t> values;
  };
  std::map<NetworkId, Entity> entities;
  std::uint64_t spawned = 0;
  std::uint64_t despawned = 0;
  std::uint64_t updated = 0;
  std::map<NetworkId, int> spawns;    ///< The number of spawns of each id.
  std::map<NetworkId, int> despawns;  ///< The number of despawns of each id.
  std::vector<std::uint32_t> events;
  std::string fault;  ///< The first protocol error.

  void apply(const ReplicationClient& client) {
    auto kind_min = ReplicatedChange::Kind::despawned;
    for (const ReplicatedChange& change : client.changes()) {
      if (change.kind < kind_min) fault = "despawn before spawn before update";
      kind_min = change.kind;
      if (change.kind == ReplicatedChange::Kind::despawned) {
        ++despawned;
        ++despawns[change.id];
        if (entities.erase(change.id) == 0) fault = "a despawn of an unknown entity";
        continue;
      }
      const bool is_there = entities.contains(change.id);
      if (change.kind == ReplicatedChange::Kind::spawned) {
        ++spawned;
        ++spawns[change.id];
        if (is_there) fault = "a spawn of an existing entity";
      } else {
        ++updated;
        if (!is_there) fault = "an update of an unknown entity";
      }
      Entity& entity = entities[change.id];
      if (is_there && change.tick < entity.tick) fault = "a tick that decreases";
      entity.type = change.type;
      entity.seen_by = change.seen_by;
      entity.tick = change.tick;
      entity.values.resize(client.schema()->value_count(change.type));
      if (!client.values(change.id, entity.values)) fault = "no values";
    }
    for (const TimedEvent& event : client.events()) {
      if (event.tick > client.tick()) fault = "an event before its time";
      if (event.bytes.size() < 2) continue;
      events.push_back(std::to_integer<std::uint32_t>(event.bytes[0]) |
                       std::to_integer<std::uint32_t>(event.bytes[1]) << 8U);
    }
  }
};

/// A server and its clients. One step is one tick.
class ReplicationStage {
 public:
  struct Client {
    ClientId id{};
    std::unique_ptr<ConnectionPair> pair;  ///< The connection; `a` is the server's end.
    std::unique_ptr<ReplicationClient> replication;
    ClientWorld world;
    DivergenceList log;
    /// True if the client receives changes but does not apply or clear them.
    bool is_loading = false;
    /// True if the client receives nothing, but its transport still sends packets.
    bool is_paused = false;
  };

  explicit ReplicationStage(std::uint64_t seed, ReplicationServerOptions options = {},
                            ReplicationSchema schema = replication_samples_schema())
      : random(seed), server(options, std::move(schema), &server_log) {
    tick_length = std::chrono::nanoseconds(1'000'000'000 / options.ticks_per_second);
  }

  Client& join(const LinkOptions& there = {}, const LinkOptions& back = {},
               const ReplicationClientInfo& info = {},
               const ReplicationClientOptions& options = {}) {
    auto client = std::make_unique<Client>();
    client->id = ClientId{next_client_++};
    ConnectionOptions connection;
    connection.channels = {ChannelOptions{}};
    client->pair = std::make_unique<ConnectionPair>(random.next(), connection, there, back);
    client->replication = std::make_unique<ReplicationClient>(options, &client->log);
    server.add_client(client->id, info);
    clients.push_back(std::move(client));
    return *clients.back();
  }

  void leave(std::size_t index) {
    server.remove_client(clients[index]->id);
    clients.erase(clients.begin() + static_cast<std::ptrdiff_t>(index));
  }

  /// Runs one tick. `change` changes the server's world.
  template <typename Change>
  void step(const Change& change) {
    server.begin_tick(Tick(++tick));
    change();
    server.end_tick();
    for (const auto& client : clients) step_client(*client);
  }
  void step() {
    step([] {});
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) step();
  }

  std::vector<std::int64_t> random_values(SchemaType type) {
    std::vector<std::int64_t> made;
    for (const SchemaComponent component : server.world().schema().type(type).components) {
      for (const FieldSchema& field : server.world().schema().component(component).fields) {
        for (std::uint32_t i = 0; i < field.value_count; ++i) {
          const bool is_dropped = field.kind == LaneKind::rotation && i % 4 == 0;
          const auto span = static_cast<std::uint64_t>(field.high - field.low) + 1;
          made.push_back(is_dropped ? static_cast<std::int64_t>(random.below(4))
                                    : field.low + static_cast<std::int64_t>(random.below(span)));
        }
      }
    }
    return made;
  }

  void spawn(NetworkId id, const ReplicatedEntityOptions& options = {}) {
    values[id] = random_values(options.type);
    server.world().spawn(id, options, values[id]);
  }
  void despawn(NetworkId id) {
    server.world().despawn(id);
    values.erase(id);
  }
  /// Changes some values of an entity slightly.
  void stir(NetworkId id) {
    std::vector<std::int64_t>& now = values[id];
    const ReplicatedEntity& entity = *server.world().find(id);
    const std::vector<std::int64_t> other = random_values(entity.options.type);
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (random.below(3) == 0) now[i] = other[i];
    }
    server.world().set(id, now);
  }

  /// Returns the first error in a client's world; empty if it equals the server's world. `sees`
  /// returns true for each entity that the client should have.
  template <typename Sees>
  std::string difference(const Client& client, PlayerId player, const Sees& sees) const {
    if (!client.world.fault.empty()) return client.world.fault;
    std::size_t seen = 0;
    for (const ReplicatedEntity& entity : server.world().entities()) {
      if (!sees(entity)) continue;
      ++seen;
      const auto found = client.world.entities.find(entity.id);
      if (found == client.world.entities.end()) {
        return "entity " + std::to_string(wire_id(entity.id)) + " is missing";
      }
      const bool is_owner = player != PlayerId::none && entity.options.owner == player;
      const TypeViews& views = server.world().views();
      const CodecType first =
          views.codec_type(entity.options.type, is_owner ? SeenBy::owner : SeenBy::others);
      for (std::uint32_t slice = 0; slice < views.slice_count(first); ++slice) {
        for (const TypeView::Part& part :
             views.view(TypeViews::slice_type(first, SliceIndex{slice})).parts) {
          if (found->second.values[part.value] == values.at(entity.id)[part.value]) continue;
          return "entity " + std::to_string(wire_id(entity.id)) + " value " +
                 std::to_string(part.value);
        }
      }
    }
    if (seen != client.world.entities.size()) return "too many entities";
    return {};
  }
  std::string difference(const Client& client, PlayerId player = PlayerId::none) const {
    return difference(client, player, [](const ReplicatedEntity&) { return true; });
  }

  Random random;
  DivergenceList server_log;
  ReplicationServer server;
  std::vector<std::unique_ptr<Client>> clients;
  std::map<NetworkId, std::vector<std::int64_t>> values;
  std::uint32_t tick = 0;
  Duration tick_length;
  /// If not null, the values of the clients' games, which `verify` compares with checksums.
  const EntityValues* game = nullptr;

 private:
  void step_client(Client& client) {
    ConnectionPair& pair = *client.pair;
    pair.now += tick_length;
    pair.network.advance(pair.now);
    pair.a->receive(pair.now);
    if (!client.is_paused) pair.b->receive(pair.now);
    server.update(client.id, pair.a->connection, pair.now);
    if (!client.is_paused) client.replication->update(pair.b->connection);
    if (!client.is_loading && !client.is_paused) apply_changes(client);
    pair.a->send(pair.now);
    pair.b->send(pair.now);
  }
  void apply_changes(Client& client) {
    client.world.apply(*client.replication);
    if (game != nullptr) client.replication->verify(game);
    client.replication->clear();
  }

  std::uint32_t next_client_ = 1;
};

}  // namespace muster
