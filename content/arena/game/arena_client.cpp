#include "content/arena/game/arena_client.h"

#include <algorithm>
#include <utility>

#include "content/arena/game/snapshot_asset.h"

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

void Durations::add(Duration one) {
  ++count;
  sum += one;
  longest = std::max(longest, one);
}

Result<std::unique_ptr<ArenaClient>> ArenaClient::open(BundleStore& store, BundleLoader& loader,
                                                       const Clock& clock) {
  const std::optional<std::uint32_t> registry = find_registry(store.catalog(), kReplicatedRegistry);
  if (!registry) {
    return fail(ErrorCode::not_found, "the build has no " + std::string(kReplicatedRegistry));
  }
  Result<ByteVector> model = find_snapshot_model(store);
  std::unique_ptr<ArenaClient> client(new ArenaClient(
      store, loader, clock, *registry, model ? std::move(model.value()) : ByteVector()));
  if (!model) {
    client->problems_.push_back("the server has to send the snapshots' model: " +
                                model.error().message);
  }
  Result<EffectPlayer> effects = EffectPlayer::create(client->views_);
  if (!effects) return fail(effects.error());
  client->effects_.emplace(std::move(effects.value()));
  client->cues_.emplace(client->world_, client->collection_, *client->effects_);
  return client;
}

ArenaClient::ArenaClient(BundleStore& store, BundleLoader& loader, const Clock& clock,
                         std::uint32_t registry, ByteVector snapshot_model)
    : store_(store),
      loader_(loader),
      clock_(clock),
      registry_(registry),
      snapshot_model_(std::move(snapshot_model)),
      world_(session_components()),
      view_(session_components()),
      spawner_(store, world_),
      views_(store, view_),
      deferred_(spawner_, loader, {}),
      collection_(world_),
      looks_(views_, loader, world_, collection_),
      receiver_(spawner_, deferred_, collection_, {.registry = registry}),
      replication_({.channel = kReplicationChannel, .models = {snapshot_model_}}) {}

void ArenaClient::connect(const Place& place, DatagramSocket& socket, Entropy& entropy) {
  ClientOptions options;
  options.connection = connection_options();
  options.handshake.agreement = agreement_of(store_.catalog());
  options.handshake.server_key = place.key;
  options.server = place.server;
  net_ = std::make_unique<Client>(options, socket, entropy, net_time(clock_.now()));
}

void ArenaClient::frame() {
  const Time now = clock_.now();
  net_->receive(net_time(now));
  if (Connection* const connection = net_->connection()) {
    take_welcome(*connection);
    replication_.update(*connection);
    leave_if_failed(now);
    receiver_.apply(replication_);
    note_changes(now);
    note_events();
    replication_.verify(&receiver_);  // Nothing here foretells what the server will say.
    replication_.clear();
  }
  loader_.update(now);
  deferred_.update();
  receiver_.complete(replication_);
  note_completed(now);
  cues_->request(Tick(replication_.tick()), now);
  effects_->update(now);
  looks_.update(player_ ? PlayerId(*player_) : PlayerId::none);
  note_problems();
  world_.process_despawns();
  view_.process_despawns();
  net_->send(net_time(clock_.now()));
  summary_.frames.add(clock_.now() - now);
}

void ArenaClient::leave_if_failed(Time now) {
  if (replication_.phase() != ReplicationPhase::failed || !failure_.empty()) return;
  failure_ = replication_.failure();
  net_->close("cannot follow this server", net_time(now));
}

void ArenaClient::take_welcome(Connection& connection) {
  for (; !connection.message(kGameChannel).empty(); connection.pop_message(kGameChannel)) {
    const std::span<const std::byte> message = connection.message(kGameChannel);
    if (message.size() != 2) continue;
    player_ = static_cast<std::uint16_t>(std::to_integer<unsigned>(message[0]) |
                                         std::to_integer<unsigned>(message[1]) << 8U);
    receiver_.set_player(PlayerId(*player_));
    lines_.push_back("playing as player " + std::to_string(*player_));
  }
}

void ArenaClient::note_changes(Time now) {
  for (const ReplicatedChange& change : replication_.changes()) {
    if (change.kind == ReplicatedChange::Kind::updated) continue;
    std::erase_if(loading_, [&](const Loading& one) { return one.id == change.id; });
    const std::string what = std::to_string(change.id) + " " + name_of(change.type);
    if (change.kind == ReplicatedChange::Kind::despawned) {
      ++summary_.despawned;
      effects_->forget({static_cast<std::int32_t>(change.id)});
      lines_.push_back("despawned " + what);
      continue;
    }
    ++summary_.spawned;
    loading_.push_back({.id = change.id, .since = now});
    lines_.push_back("spawned   " + what +
                     (change.seen_by == SeenBy::owner ? ", which is mine" : ""));
  }
  for (std::string& note : receiver_.take_notes()) problems_.push_back(std::move(note));
}

void ArenaClient::note_events() {
  for (const TimedEvent& event : replication_.events()) {
    // The arena has one kind of events: an announcement.
    std::string text;
    for (const std::byte letter : event.bytes) text += static_cast<char>(letter);
    summary_.is_still = true;
    lines_.push_back("tick " + std::to_string(event.tick) + ": " + text);
  }
}

void ArenaClient::note_completed(Time now) {
  std::erase_if(loading_, [&](const Loading& one) {
    const EntityId root = collection_.find({static_cast<std::int32_t>(one.id)});
    if (deferred_.is_waiting(root)) return false;
    if (!deferred_.is_placeholder(root)) summary_.completion.add(now - one.since);
    return true;
  });
}

void ArenaClient::note_problems() {
  for (std::vector<Error> problems : {deferred_.take_problems(), looks_.take_problems()}) {
    for (Error& problem : problems) {
      ++summary_.failed_loads;
      problems_.push_back(std::move(problem.message));
    }
  }
}

std::string ArenaClient::name_of(std::uint16_t type) const {
  const ReplicationSchema* const schema = replication_.schema();
  if (schema == nullptr || type >= schema->types.size()) return "of another map";
  const std::uint32_t id = schema->types[type].id;
  const TypePlace* const place = store_.resolve(registry_, TypeId(id));
  const auto asset = place != nullptr ? store_.catalog().find_asset(place->guid) : std::nullopt;
  return "type " + std::to_string(id) + (asset ? " " + std::string(asset->path) : " (unknown)");
}

void ArenaClient::leave() { net_->close("leaves", net_time(clock_.now())); }

std::optional<std::string> ArenaClient::complaint() const {
  if (!failure_.empty()) return "this server cannot be followed: " + failure_;
  const std::optional<Close> end = net_->end();
  if (!end) return std::nullopt;
  switch (end->reason) {
    case CloseReason::left:
    case CloseReason::shutting_down:
      return std::nullopt;
    case CloseReason::timed_out:
      return "the server is lost: nothing has come from it for " +
             std::to_string(connection_options().closed_after / std::chrono::seconds(1)) +
             " s; it may have been stopped, or the network is down";
    case CloseReason::no_answer:
      return "no server answers there: is it running, and are address and key right?";
    case CloseReason::refused:
      return "the server does not let this client in: " + end->text;
    default:
      return "the connection has ended: " + end->text;
  }
}

std::optional<WorldValues> ArenaClient::world() const {
  if (replication_.phase() != ReplicationPhase::playing) return std::nullopt;
  const ReplicationSchema& schema = *replication_.schema();
  WorldValues world(schema);
  std::vector<std::int64_t> values;
  receiver_.each([&](EntityReference id, std::uint16_t type, SeenBy seen_by) {
    values.assign(schema.value_count(type), 0);
    const auto number = static_cast<std::uint32_t>(id.network_id);
    std::uint16_t lacking = 0;
    if (receiver_.values(number, values, lacking) != EntityFound::here) return;
    world.add(number, type, seen_by, values);
  });
  return world;
}

std::optional<ConnectionCounters> ArenaClient::connection() const {
  Connection* const connection = net_->connection();
  return connection != nullptr ? std::optional(connection->counters()) : std::nullopt;
}

double ArenaClient::round_trip_ms() const {
  Connection* const connection = net_->connection();
  if (connection == nullptr) return 0;
  return std::chrono::duration<double, std::milli>(connection->round_trip().smoothed()).count();
}

std::vector<std::string> ArenaClient::take_lines() { return std::exchange(lines_, {}); }
std::vector<std::string> ArenaClient::take_problems() { return std::exchange(problems_, {}); }

}  // namespace arena
