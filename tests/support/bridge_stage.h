// A server and one client of the sample build with a link between them. Components of the server's
// world are replicated to the client's world.
#pragma once

#include <cassert>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "net/replication/replication_client.h"
#include "net/replication/replication_server.h"
#include "runtime/replication/members.h"
#include "runtime/replication/world_receiver.h"
#include "runtime/replication/world_sender.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/connection_pair.h"
#include "tests/support/divergence_list.h"
#include "tests/support/sample_build.h"

namespace muster::samples {

inline constexpr TypeId kHeroType(1);
inline constexpr TypeId kCrateType(2);
inline constexpr TypeId kFactoryType(3);
inline constexpr RegistryIndex kStageRegistry{1};
inline constexpr PlayerId kClientPlayer = PlayerId(3);

/// The content of one end's build.
struct BridgeBuild {
  std::vector<ComponentDescription> components = game_components();
  std::vector<PrefabComponent> crate{};  ///< Additional components of the crate.
  SampleValues values{};
};

struct BridgeOptions {
  BridgeBuild server{};
  BridgeBuild client{};  ///< The client's build, which may differ from the server's build.
  LinkOptions link{};    ///< The options of the links in both directions.
  std::uint16_t checksum_interval = 8;
};

inline MemoryFileSystem build_of(const BridgeOptions& options) {
  MemoryFileSystem files;
  const auto add = [&](Target target, const BridgeBuild& build) {
    build_target(files, {.target = target,
                         .components = build.components,
                         .crate = build.crate,
                         .values = build.values});
  };
  add(Target::client, options.client);
  add(Target::server, options.server);
  return files;
}

inline std::vector<ComponentDescription> with_links(std::vector<ComponentDescription> components) {
  components.push_back(description_of<PrefabLink>());
  return components;
}

class BridgeStage {
 public:
  explicit BridgeStage(const std::vector<ComponentDescription>& components = game_components())
      : BridgeStage(BridgeOptions{.server = {.components = components},
                                  .client = {.components = components}}) {}
  explicit BridgeStage(const BridgeOptions& options)
      : files(build_of(options)),
        world(with_links(options.server.components)),
        server({.checksum_interval = options.checksum_interval}, types.schema, &server_log),
        client_world(with_links(options.client.components)),
        pair(7, connection_options(), options.link, options.link) {
    server.add_client(ClientId{1}, {.player = kClientPlayer});
  }

  static ConnectionOptions connection_options() {
    ConnectionOptions options;
    options.channels = {ChannelOptions{}};
    return options;
  }

  EntityId spawn(std::int32_t id, TypeId type, PlayerId player = PlayerId::none) {
    const EntityId root = spawner.spawn_type(kStageRegistry, type).value().root;
    world.set_player(root, player);
    [[maybe_unused]] const CollectionVerdict added = collection.add({id}, root);
    assert(added == CollectionVerdict::accepted);
    [[maybe_unused]] const SendVerdict sent =
        sender.add({id}, {.type = type, .relevance = Relevance::always});
    assert(sent == SendVerdict::accepted);
    return root;
  }
  void despawn(std::int32_t id) { world.request_despawn(collection.find({id})); }

  /// Runs one tick of both ends. With `loads`, bundles may finish loading.
  void step(bool loads = true) {
    server.begin_tick(Tick(++tick));
    if (begins_map) server.begin_map({});
    if (std::exchange(begins_map, false)) sender.restart();
    sender.write(server.world());
    server.end_tick();
    world.process_despawns();
    pair.now += std::chrono::milliseconds(16);
    pair.network.advance(pair.now);
    pair.a->receive(pair.now);
    pair.b->receive(pair.now);
    server.update(ClientId{1}, pair.a->connection, pair.now);
    client.update(pair.b->connection);
    if (!waits_for_level) {
      receiver.apply(client);
      client.verify(&receiver);
      client.clear();
    }
    if (loads) loader.update(Time());
    deferred.update();
    receiver.complete(client);
    client_world.process_despawns();
    pair.a->send(pair.now);
    pair.b->send(pair.now);
  }
  void run(int ticks, bool loads = true) {
    for (int i = 0; i < ticks; ++i) step(loads);
  }

  /// Returns the client's component of an entity or of one of its descendants; null if there is
  /// none.
  template <typename T>
  const T* received(ComponentHandle<T> handle, std::int32_t id, std::size_t member = 0) const {
    std::vector<Creation> members;
    list_members(client_world, nullptr, seen.find({id}), members);
    return member < members.size() ? client_world.get(handle, members[member].entity) : nullptr;
  }

  MemoryFileSystem files;
  FileSystemSource server_source{files, AssetPath::parse("server").value()};
  BundleStore server_store = BundleStore::open(server_source).value();
  World world;
  Spawner spawner{server_store, world};
  ReplicatedCollection collection{world};
  ReplicatedTypes types =
      replicated_types(spawner, {.registry = kStageRegistry, .local = {}}).value();
  WorldSender sender{types, world, collection, {"Body", "position"}};
  DivergenceList server_log;
  ReplicationServer server;

  FileSystemSource source{files, AssetPath::parse("client").value()};
  BundleStore store = BundleStore::open(source).value();
  SteppedLoads executor{source, store.catalog()};
  BundleLoader loader{store, executor, {}};
  World client_world;
  Spawner client_spawner{store, client_world};
  DeferredSpawner deferred{client_spawner, loader, {}};
  ReplicatedCollection seen{client_world};
  WorldReceiver receiver{client_spawner, deferred, seen, {kStageRegistry, kClientPlayer}};
  DivergenceList client_log;
  ReplicationClient client{ReplicationClientOptions{}, &client_log};

  ConnectionPair pair;
  std::uint32_t tick = 0;
  bool begins_map = false;       ///< True if the next step begins a new map.
  bool waits_for_level = false;  ///< True if the client receives changes but does not apply them.

  ComponentHandle<Life> life = world.component<Life>("Life");
  ComponentHandle<Body> body = world.component<Body>("Body");
};

}  // namespace muster::samples
