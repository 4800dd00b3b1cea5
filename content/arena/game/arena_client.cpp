#include "content/arena/game/arena_client.h"

#include <utility>

#include "content/arena/game/snapshot_asset.h"

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

Result<std::unique_ptr<ArenaClient>> ArenaClient::open(BundleStore& store, BundleLoader& loader,
                                                       const Clock& clock) {
  Result<std::unique_ptr<FollowedMatch>> match = FollowedMatch::open(store, loader);
  if (!match) return fail(match.error());
  Result<ByteVector> model = find_snapshot_model(store);
  std::unique_ptr<ArenaClient> client(new ArenaClient(
      store, clock, std::move(match).value(), model ? std::move(model.value()) : ByteVector()));
  if (!model) {
    client->match_->add_problem("the server has to send the snapshots' model: " +
                                model.error().message);
  }
  return client;
}

ArenaClient::ArenaClient(BundleStore& store, const Clock& clock,
                         std::unique_ptr<FollowedMatch> match, ByteVector snapshot_model)
    : store_(store),
      clock_(clock),
      snapshot_model_(std::move(snapshot_model)),
      match_(std::move(match)),
      replication_({.channel = kReplicationChannel, .models = {snapshot_model_}}) {}

void ArenaClient::connect(const Place& place, DatagramSocket& socket, Entropy& entropy,
                          PacketRecorder* recorder) {
  ClientOptions options;
  options.recorder = recorder;
  options.connection = connection_options();
  options.handshake.agreement = agreement_of(store_.catalog());
  options.handshake.server_key = place.key;
  options.server = place.server;
  net_ = std::make_unique<Client>(options, socket, entropy, net_time(clock_.now()));
}

void ArenaClient::frame() {
  const Time now = clock_.now();
  net_->receive(net_time(now));
  const bool stands = match_->load(now);
  if (Connection* const connection = net_->connection()) {
    take_welcome(*connection);
    if (stands) follow(*connection, now);
  }
  match_->go_on(ServerSource(replication_), Tick(replication_.tick()), now);
  net_->send(net_time(clock_.now()));
  frames_.add(clock_.now() - now);
}

void ArenaClient::follow(Connection& connection, Time now) {
  replication_.update(connection);
  leave_if_failed(now);
  if (replication_.phase() == ReplicationPhase::playing && !std::exchange(has_agreed_, true)) {
    match_->agree(replication_.map_info());
  }
  match_->apply(ServerSource(replication_), replication_.events(), now);
  replication_.verify(&match_->receiver());  // Nothing here foretells what the server will say.
  replication_.clear();
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
    match_->set_player(PlayerId(*player_));
    match_->add_line("playing as player " + std::to_string(*player_));
  }
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
  return match_->world(*replication_.schema());
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

}  // namespace arena
