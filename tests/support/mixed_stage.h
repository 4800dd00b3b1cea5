// A server that replicates a world to clients over a simulated network, with handshakes, encryption
// and malicious datagrams. Each client has a separate machine, loop and link.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/attacked_socket.h"
#include "tests/support/net_stage.h"
#include "tests/support/replication_stage.h"

namespace muster {

/// Reads the account of a client from its user data.
class NumberedDoor final : public Admission {
 public:
  std::optional<std::string> refusal(const Applicant&) override { return std::nullopt; }
  bool admits_content(std::uint64_t) override { return true; }
  AccountId account_of(const Applicant& applicant) override {
    const std::vector<std::byte>& data = applicant.hello.user_data;
    return data.empty() ? AccountId() : AccountId(std::to_integer<std::uint64_t>(data[0]));
  }
};

/// A client's machine: its links, its clock and its game.
struct MixedClient {
  std::size_t number = 0;  ///< The number of the client, from 1.
  LinkId up = 0;
  LinkId down = 0;
  std::unique_ptr<DatagramSocket> socket;
  std::unique_ptr<Client> client;  ///< The client; null while its program does not run.
  std::unique_ptr<ReplicationClient> replication;
  ClientWorld world;
  DivergenceList log;
  /// The period of the client's loop; with 0, it runs once per tick of the server.
  Duration loop{};
  Time next_loop{};        ///< The network's time of the next iteration.
  Time suspended_until{};  ///< The client's clock stops until this time.
  Duration clock_lag{};    ///< The time by which the client's clock is behind the network's clock.
  std::uint32_t events_sent = 0;  ///< The number of events sent to the client since it joined.
  /// The number of events that were sent before the current map. A map change may lose these
  /// events.
  std::uint32_t events_before_map = 0;
  std::uint64_t turns = 0;
  bool is_joined = false;  ///< True if the server has this client's connection.
  /// For each id, the last tick at which the entity may have been outside the client's interest.
  std::map<NetworkId, std::uint32_t> last_outside;
  WorldPosition view_position{};

  bool is_playing() const {
    return replication && replication->phase() == ReplicationPhase::playing;
  }
};

/// One step is one tick of the server. `fault` describes the first violated invariant; empty if
/// there is none.
class MixedStage {
 public:
  static constexpr Duration kTick = std::chrono::nanoseconds(16'666'667);
  static constexpr float kRadius = 100;  ///< The interest radius of the default class.
  static constexpr float kLeaveFactor = InterestOptions{}.leave_factor;

  explicit MixedStage(std::uint64_t seed)
      : random(seed), net(seed), replication({}, replication_samples_schema(), &server_log) {
    net.options.clients_max = 16;
    attacked.emplace(*net.socket, net.client_options(), random.next());
    net.server.emplace(net.options, *attacked, net.entropy, door, net.now);
  }

  MixedClient& add(const LinkOptions& up, const LinkOptions& down, Duration loop = {}) {
    auto made = std::make_unique<MixedClient>();
    made->number = clients.size() + 1;
    made->up = net.network.add_link(up);
    made->down = net.network.add_link(down);
    made->loop = loop;
    attacked->client_addresses.push_back(address_of(*made));
    clients.push_back(std::move(made));
    enter(*clients.back());
    return *clients.back();
  }
  void enter(MixedClient& client) {
    ClientOptions options = net.client_options();
    options.handshake.user_data = {static_cast<std::byte>(client.number)};
    client.socket.reset();
    client.socket = net.network.open(address_of(client), {client.up}, {client.down});
    client.client =
        std::make_unique<Client>(options, *client.socket, net.entropy, net.now - client.clock_lag);
    client.replication =
        std::make_unique<ReplicationClient>(ReplicationClientOptions{}, &client.log);
    client.world = {};
  }
  /// Ends the client's program: closes the connection, or crashes.
  void leave(MixedClient& client, bool is_crash) {
    check_counters(client);
    if (!is_crash) {
      client.client->close("left", net.now - client.clock_lag);
      client.client->send(net.now - client.clock_lag);
    }
    client.replication.reset();
    client.client.reset();
  }
  void suspend(MixedClient& client, Duration duration) {
    client.suspended_until = net.now + duration;
  }

  /// Runs one tick. `change` changes the server's world.
  template <typename Change>
  void step(const Change& change) {
    net.now += kTick;
    net.network.advance(net.now);
    check_work(net.server->receive(net.now, net.date));
    for (const ServerEvent& event : net.server->events()) apply_event(event);
    net.server->clear_events();
    replication.begin_tick(Tick(++tick));
    change();
    replication.end_tick();
    for (const auto& [id, handle] : joined_) {
      Connection* connection = net.server->connection(handle);
      if (connection != nullptr) replication.update(id, *connection, net.now);
    }
    net.server->send(net.now);
    for (const auto& client : clients) turn(*client);
    memory_max = std::max(memory_max, replication.memory_bytes());
  }

  void spawn(NetworkId id, const ReplicatedEntityOptions& options,
             const std::vector<std::int64_t>& made) {
    values[id] = made;
    replication.world().spawn(id, options, made);
  }
  void despawn(NetworkId id) {
    replication.world().despawn(id);
    values.erase(id);
    despawned_at[id] = tick;
  }
  void begin_map() {
    for (const auto& [id, unused] : values) despawned_at[id] = tick;
    for (const auto& client : clients) client->events_before_map = client->events_sent;
    map_began_at = tick;
    values.clear();
    replication.begin_map(bytes_of({1, 2, 3}));
  }
  /// Sets a client's view position.
  void set_view_position(MixedClient& client, const WorldPosition& view_position) {
    client.view_position = view_position;
    if (client.is_joined) replication.set_view_position(id_of(client), view_position);
    for (const ReplicatedEntity& entity : replication.world().entities()) {
      if (!is_by_distance(client, entity)) continue;
      if (distance(client, entity) > 0.98F * kRadius) client.last_outside[entity.id] = tick;
    }
  }
  /// Sends the next event to this client, if the client plays.
  void send_event(MixedClient& client) {
    const bool is_playing = client.is_joined && client.replication != nullptr &&
                            client.replication->tick() > Tick(map_began_at);
    if (!is_playing) return;
    const std::uint32_t number = client.events_sent + 1;
    const NetBytes event = bytes_of({number & 0xFFU, number >> 8U});
    if (replication.send_event(id_of(client), Tick(tick), event)) client.events_sent = number;
  }
  /// Returns true if a client has received all its events in order. A map change may lose earlier
  /// events.
  bool has_all_events(const MixedClient& client) const {
    std::uint32_t last = 0;
    for (const std::uint32_t number : client.world.events) {
      if (number <= last) return false;
      if (number != last + 1 && number > client.events_before_map + 1) return false;
      last = number;
    }
    return last == client.events_sent || client.events_sent == client.events_before_map;
  }

  /// Returns the first difference between a client's world and the server's world; empty if they
  /// are equal.
  std::string difference(const MixedClient& client) const {
    if (!client.is_playing()) return "does not play";
    std::size_t seen = 0;
    for (const ReplicatedEntity& entity : replication.world().entities()) {
      const auto found = client.world.entities.find(entity.id);
      const float away = is_by_distance(client, entity) ? distance(client, entity) : 0;
      if (found == client.world.entities.end()) {
        if (away > 0.98F * kRadius) continue;
        return "lacks entity " + std::to_string(wire_id(entity.id));
      }
      ++seen;
      if (away > 1.02F * kLeaveFactor * kRadius) {
        return "still has entity " + std::to_string(wire_id(entity.id));
      }
      if (found->second.values != shown(entity, found->second)) {
        return "has other values of entity " + std::to_string(wire_id(entity.id));
      }
    }
    return seen == client.world.entities.size() ? "" : "has too many entities";
  }

  ClientId id_of(const MixedClient& client) const { return static_cast<ClientId>(client.number); }

  Random random;
  NetStage net;
  NumberedDoor door;
  std::optional<AttackedSocket> attacked;
  DivergenceList server_log;
  ReplicationServer replication;
  std::vector<std::unique_ptr<MixedClient>> clients;
  std::map<NetworkId, std::vector<std::int64_t>> values;  ///< The values of the server's entities.
  std::map<NetworkId, std::uint32_t> despawned_at;  ///< For each id, the tick of its last despawn.
  std::uint32_t tick = 0;
  std::uint32_t map_began_at = 0;
  std::size_t memory_max = 0;
  std::uint64_t work_max = 0;
  std::string fault;

 private:
  /// Returns false for the owner of an entity, which receives the entity at any distance.
  static bool is_by_distance(const MixedClient& client, const ReplicatedEntity& entity) {
    return entity.options.relevance == Relevance::near &&
           entity.options.owner != static_cast<PlayerId>(client.number);
  }
  static float distance(const MixedClient& client, const ReplicatedEntity& entity) {
    return std::hypot(entity.options.position.x - client.view_position.x,
                      entity.options.position.y - client.view_position.y);
  }
  static Address address_of(const MixedClient& client) {
    return Address::ipv4({10, 0, 1, static_cast<std::uint8_t>(client.number)}, 1000);
  }

  void broken(const std::string& what) {
    if (fault.empty()) fault = "tick " + std::to_string(tick) + ": " + what;
  }
  void broken(const MixedClient& client, const std::string& what) {
    broken("client " + std::to_string(client.number) + ": " + what);
  }

  /// Checks the limits of one call's work. `loop` is the time between two calls. If `loop` is
  /// longer than 32 ms, the limits are larger in proportion.
  void check_work(const ReceiveReport& report, Duration loop = {}) {
    const ReceiveLimits limits;
    const double factor = std::max(std::chrono::duration<double>(loop).count() / 0.032, 1.0);
    const double seconds = factor * std::chrono::duration<double>(limits.call_max).count();
    const double bound = seconds * receive_work::kUnitsPerSecond + receive_work::kDatagramMax;
    work_max = std::max(work_max, report.work);
    const double datagrams_max = factor * static_cast<double>(limits.datagrams_max);
    if (static_cast<double>(report.datagrams) > datagrams_max)
      broken("too many datagrams in a call");
    if (static_cast<double>(report.work) > bound) broken("too much work in a call");
  }

  void apply_event(const ServerEvent& event) {
    if (event.kind == ServerEvent::Kind::connected) {
      const std::uint64_t number = net.server->account(event.client).value();
      const auto id = static_cast<ClientId>(number);
      joined_[id] = event.client;
      replication.add_client(id, {.player = static_cast<PlayerId>(number)});
      clients[number - 1]->is_joined = true;
      clients[number - 1]->events_sent = clients[number - 1]->events_before_map = 0;
      return;
    }
    const auto found =
        std::ranges::find(joined_, event.client, [](const auto& each) { return each.second; });
    if (found == joined_.end()) return broken("a client closed that never connected");
    MixedClient& client = *clients[static_cast<std::size_t>(found->first) - 1];
    replication.remove_client(found->first);
    joined_.erase(found);
    client.is_joined = false;
    const CloseReason reason = event.close ? event.close->reason : CloseReason::none;
    if (reason != CloseReason::left && reason != CloseReason::kicked) {
      broken(client, "closed for reason " + std::to_string(static_cast<int>(reason)));
    }
  }

  void turn(MixedClient& client) {
    if (net.now < client.suspended_until) {
      client.clock_lag += kTick;
      return;
    }
    if (client.client == nullptr || net.now < client.next_loop) return;
    client.next_loop = net.now + client.loop;
    ++client.turns;
    const Time now = net.now - client.clock_lag;
    check_work(client.client->receive(now), client.loop);
    if (Connection* connection = client.client->connection()) {
      client.replication->update(*connection);
      check_despawns(client);
      client.world.apply(*client.replication);
      client.replication->clear();
      if (!client.world.fault.empty()) broken(client, client.world.fault);
      check_counters(client);
    }
    client.client->send(now);
  }
  /// Checks the despawns at a client. A despawn is correct only if the entity left the world or the
  /// client's interest after the last state that the client has received.
  void check_despawns(const MixedClient& client) {
    for (const ReplicatedChange& change : client.replication->changes()) {
      if (change.kind != ReplicatedChange::Kind::despawned) continue;
      const auto known = client.world.entities.find(change.id);
      if (known == client.world.entities.end()) continue;
      const std::uint32_t since = known->second.tick.value();
      const auto gone = despawned_at.find(change.id);
      const auto outside = client.last_outside.find(change.id);
      const bool is_gone = gone != despawned_at.end() && gone->second >= since;
      const bool is_far = outside != client.last_outside.end() && outside->second >= since;
      if (is_gone || is_far) continue;
      broken(client, "false despawn of entity " + std::to_string(wire_id(change.id)));
    }
  }
  void check_counters(const MixedClient& client) {
    const ReplicationClientCounters& counters = client.replication->counters();
    if (counters.malformed != 0) broken(client, "an honest server's bytes were refused");
    if (counters.divergences != 0 || !server_log.all.empty()) broken(client, "a divergence");
    if (!client.replication->failure().empty()) broken(client, client.replication->failure());
    const auto end = client.client->end();
    if (end) broken(client, "its connection ended: " + end->text);
  }
  /// Returns the values that a client should have: the server's values, except for fields that the
  /// client does not receive.
  std::vector<std::int64_t> shown(const ReplicatedEntity& entity,
                                  const ClientWorld::Entity& at_client) const {
    std::vector<std::int64_t> all = at_client.values;
    const TypeViews& views = replication.world().views();
    const CodecType first = views.codec_type(entity.options.type, at_client.seen_by);
    for (std::uint32_t slice = 0; slice < views.slice_count(first); ++slice) {
      for (const TypeView::Part& part :
           views.view(TypeViews::slice_type(first, SliceIndex{slice})).parts) {
        all[part.value] = values.at(entity.id)[part.value];
      }
    }
    return all;
  }

  std::map<ClientId, ClientHandle> joined_;
};

}  // namespace muster
