#include "net/replication/replication_server.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "net/replication/unsent_messages.h"
#include "net/snapshot/model_file.h"

namespace muster {
namespace {

/// A client that never reads its blocks blocks the setup. After this many blocked attempts, the
/// server refuses to send the setup.
constexpr std::uint32_t kSetupAttemptsMax = 256;

}  // namespace

struct ReplicationServer::Client {
  ClientId id{};
  ClientView view;
  bool is_playing = false;
  std::uint32_t map = 0;  ///< The map count when this client was last sent a map.
  Tick next_snapshot_tick{};
  std::uint16_t snapshot_ticks = 0;  ///< The minimum interval that the client requested, in ticks.
  UnsentMessages unsent{};
  /// A block that waits or is in flight. Its bytes must stay valid.
  std::vector<std::byte> setup{};
  bool has_setup_to_send = false;
  bool is_setup_in_flight = false;
  std::uint16_t setup_block = 0;
  /// The size to report in `setup_refused`; 0 if there is nothing to report.
  std::uint32_t refused_setup_bytes = 0;
  std::uint32_t setup_attempts = 0;  ///< Attempts that were blocked by other blocks.
  Tick compared_at{};                ///< The tick of the last comparison.
  Tick resynced_at{};                ///< The tick of the last request for the whole state.

  /// Releases the setup when the connection no longer needs it. Does not release blocks of the
  /// game.
  void apply_setup_report(Connection& connection) {
    const std::optional<SentBlock> block = connection.release_finished_block(setup_block);
    if (!block) return;
    is_setup_in_flight = false;
    const bool is_blocked =
        block->refusal == BlockRefusal::too_many || block->refusal == BlockRefusal::no_memory;
    if (is_blocked && ++setup_attempts < kSetupAttemptsMax) {
      // Blocks of the game occupy the connection, so this tries again later.
      has_setup_to_send = true;
      return;
    }
    const bool is_over =
        block->refusal == BlockRefusal::map_over || block->refusal == BlockRefusal::closed;
    if (block->refusal && !is_over) {
      ++view.counters().setups_refused;
      refused_setup_bytes = static_cast<std::uint32_t>(setup.size());
    }
    setup = std::vector<std::byte>();  // `{}` would keep the memory.
  }
  /// Requires: the connection's blocks have ended.
  void end_setup(Connection& connection) {
    if (is_setup_in_flight) apply_setup_report(connection);
    has_setup_to_send = false;
    refused_setup_bytes = setup_attempts = 0;
    setup = std::vector<std::byte>();  // `{}` would keep the memory.
  }
};

ReplicationServer::ReplicationServer(const ReplicationServerOptions& options,
                                     ReplicationSchema schema, DivergenceLog* log)
    : options_(options),
      schema_(std::move(schema)),
      views_(schema_),
      model_(views_.model_of_file(options_.model_file)),
      world_(schema_, views_),
      grid_(options_.interest, options_.classes),
      log_(log),
      schema_bytes_(encode_schema(schema_)),
      schema_hash_(hash_schema(schema_bytes_)) {
  if (!options_.model_file.empty()) model_hash_ = hash_model(options_.model_file);
  assert(options_.snapshot_ticks > 0 && options_.ticks_per_second > 0);
}

ReplicationServer::~ReplicationServer() = default;

void ReplicationServer::begin_tick(Tick tick) { world_.begin(tick); }

void ReplicationServer::end_tick() {
  grid_.update(world_);
  report_clamped();
}

/// Reports each field of each type once.
void ReplicationServer::report_clamped() {
  const std::span<const ClampedField> fields = world_.clamped().fields();
  for (; clamped_reported_ < fields.size(); ++clamped_reported_) {
    if (log_ == nullptr) continue;
    const ClampedField& field = fields[clamped_reported_];
    log_->clamped({.id = field.first_id,
                   .type = schema_.type(field.type).id,
                   .field = field.name,
                   .value = field.first_value,
                   .low = field.low,
                   .high = field.high});
  }
}

ReplicationServer::Client* ReplicationServer::find(ClientId id) const {
  const auto found =
      std::ranges::lower_bound(clients_, id, {}, [](const auto& client) { return client->id; });
  return found != clients_.end() && (*found)->id == id ? found->get() : nullptr;
}

const ClientView* ReplicationServer::view(ClientId id) const {
  const Client* client = find(id);
  return client == nullptr ? nullptr : &client->view;
}

void ReplicationServer::add_client(ClientId id, const ReplicationClientInfo& info) {
  const auto at =
      std::ranges::lower_bound(clients_, id, {}, [](const auto& client) { return client->id; });
  assert(at == clients_.end() || (*at)->id != id);
  // The clients have their turns in different ticks.
  auto client = std::make_unique<Client>(
      Client{.id = id,
             .view = ClientView({.views = views_,
                                 .model = model_,
                                 .snapshot = {.coder = options_.coder},
                                 .classes = options_.classes,
                                 .interest = options_.interest,
                                 .ticks_per_second = options_.ticks_per_second,
                                 .checksum_interval = options_.checksum_interval}),
             .map = maps_begun_,
             .next_snapshot_tick =
                 world_.tick() + static_cast<std::uint32_t>(id) % options_.snapshot_ticks});
  client->view.viewer.player = info.player;
  client->view.viewer.team = info.team;
  clients_.insert(at, std::move(client));
}

void ReplicationServer::remove_client(ClientId id) {
  std::erase_if(clients_, [&](const auto& client) { return client->id == id; });
}

void ReplicationServer::set_info(ClientId id, const ReplicationClientInfo& info) {
  Client* client = find(id);
  assert(client != nullptr);
  client->view.viewer.player = info.player;
  client->view.viewer.team = info.team;
}

std::uint8_t ReplicationServer::add_class(const UpdateClass& added) {
  assert(options_.classes.size() < 256);
  options_.classes.push_back(added);
  grid_.add_class(added);
  return static_cast<std::uint8_t>(options_.classes.size() - 1);
}

void ReplicationServer::set_view_position(ClientId id, const WorldPosition& position) {
  Client* client = find(id);
  assert(client != nullptr);
  client->view.viewer.has_view_position = true;
  client->view.viewer.view_position = position;
}

bool ReplicationServer::is_playing(ClientId id) const {
  const Client* client = find(id);
  return client != nullptr && client->is_playing && client->map == maps_begun_;
}

bool ReplicationServer::send_event(ClientId id, Tick tick, std::span<const std::byte> event,
                                   EventLoss loss) {
  Client* client = find(id);
  assert(client != nullptr);
  if (!is_playing(id)) return true;
  const bool is_queued = client->view.events().push(tick, event, loss);
  if (!is_queued) ++client->view.counters().events_refused;
  return is_queued;
}

void ReplicationServer::send_event_about(NetworkId entity, Tick tick,
                                         std::span<const std::byte> event) {
  for (const auto& client : clients_) {
    if (!client->is_playing) continue;
    if (!client->view.send_event_about(world_, entity, tick, event)) {
      ++client->view.counters().events_refused;
    }
  }
}

void ReplicationServer::begin_map(std::span<const std::byte> map_info) {
  world_.clear();
  map_info_.assign(map_info.begin(), map_info.end());
  ++maps_begun_;
}

void ReplicationServer::update(ClientId id, Connection& connection, Time now) {
  Client* client = find(id);
  assert(client != nullptr);
  client->view.apply_delivery_reports(connection.delivery_reports());
  connection.clear_delivery_reports();
  if (client->map != maps_begun_) {
    client->map = maps_begun_;
    client->view.restart();
    client->is_playing = false;
    client->unsent.clear();
    connection.begin_map();
    client->end_setup(connection);  // The connection's blocks end with their map.
  }
  for (std::span<const std::byte> message = connection.message(options_.channel); !message.empty();
       message = connection.message(options_.channel)) {
    apply_message(*client, message);
    connection.pop_message(options_.channel);
  }
  send_answers(*client, connection);
  client->view.keep(world_.tick());
  if (!client->is_playing || world_.tick() < client->next_snapshot_tick) return;
  const Tick next = world_.tick().next();
  client->next_snapshot_tick = next + ticks_to_turn(*client, next);
  client->view.send(world_, grid_, connection, now);
  for (const UnfitState& unfit : client->view.unfit()) {
    if (log_ == nullptr) break;
    log_->left_out({.id = unfit.id,
                    .type = schema_.type(views_.view(unfit.codec_type).type).id,
                    .payload_bytes = unfit.payload_bytes});
  }
  client->view.clear_unfit();
}

/// Returns the number of ticks from `tick` until the client's turn. Clients that begin in the same
/// tick, for example when a map begins, have their turns in different ticks.
std::uint32_t ReplicationServer::ticks_to_turn(const Client& client, Tick tick) const {
  const std::uint32_t interval = std::max(options_.snapshot_ticks, client.snapshot_ticks);
  return interval - 1 - (tick.value() + static_cast<std::uint32_t>(client.id)) % interval;
}

void ReplicationServer::apply_message(Client& client, std::span<const std::byte> message) {
  JoinMessage join;
  WantMessage want;
  UnreadableMessage unreadable;
  DivergedMessage diverged;
  MissingMessage missing;
  switch (kind_of(message).value_or(ReplicationMessage::begin)) {
    case ReplicationMessage::join:
      if (!decode(message, join)) break;
      client.snapshot_ticks = join.wish.snapshot_ticks;
      client.view.bytes_per_second_max = join.wish.bytes_per_second;
      return begin(client);
    case ReplicationMessage::want:
      if (!decode(message, want)) break;
      return prepare_setup(client, want);
    case ReplicationMessage::ready:
      client.is_playing = true;
      client.next_snapshot_tick = world_.tick() + ticks_to_turn(client, world_.tick());
      return;
    case ReplicationMessage::resync:
      if (client.resynced_at != world_.tick()) client.view.resync();
      client.resynced_at = world_.tick();
      return;
    case ReplicationMessage::unreadable:
      if (!decode(message, unreadable)) break;
      return client.view.disown(unreadable.number);
    case ReplicationMessage::diverged:
      if (!decode(message, diverged)) break;
      return compare(client, diverged);
    case ReplicationMessage::missing:
      if (!decode(message, missing)) break;
      return apply_missing(client, missing);
    case ReplicationMessage::begin:
    case ReplicationMessage::truth:
    case ReplicationMessage::setup_refused:
      break;
  }
  ++client.view.counters().malformed;
}

void ReplicationServer::begin(Client& client) {
  client.view.restart();
  client.is_playing = false;
  BeginMessage message{.schema = schema_hash_,
                       .model = model_hash_,
                       .ticks_per_second = options_.ticks_per_second,
                       .snapshot_ticks = options_.snapshot_ticks,
                       .coder = options_.coder};
  if (client.unsent.has_room()) client.unsent.push(encode(message));
}

void ReplicationServer::prepare_setup(Client& client, const WantMessage& want) const {
  // The client already gets a setup.
  if (client.has_setup_to_send || client.is_setup_in_flight) return;
  SetupBlock setup{.schema = {}, .model = {}, .map_info = map_info_};
  if (want.schema) setup.schema = schema_bytes_;
  if (want.model) setup.model = options_.model_file;
  client.setup = encode_setup(setup);
  client.has_setup_to_send = true;
}

void ReplicationServer::send_answers(Client& client, Connection& connection) const {
  client.unsent.send(connection, options_.channel);
  if (client.is_setup_in_flight) client.apply_setup_report(connection);
  if (client.refused_setup_bytes > 0 && client.unsent.has_room()) {
    client.unsent.push(encode(SetupRefusedMessage{std::exchange(client.refused_setup_bytes, 0)}));
  }
  if (!client.has_setup_to_send || !client.unsent.is_empty()) return;
  client.is_setup_in_flight =
      connection.send_block(client.setup, client.setup_block) == SendStatus::queued;
  client.has_setup_to_send = !client.is_setup_in_flight;
}

void ReplicationServer::compare(Client& client, const DivergedMessage& message) const {
  TruthMessage truth{
      .id = message.id, .tick = message.tick, .codec_type = message.codec_type, .lane = kNoLane};
  // The answer reveals values. So a client gets the answer only if the entity was sent to the
  // client, and only for the view in which the entity was sent.
  if (codec_index(message.codec_type) >= views_.count() ||
      !client.view.knows_as(message.id, message.codec_type)) {
    ++client.view.counters().malformed;
    return;
  }
  if (client.compared_at == world_.tick())
    return;  // Comparing takes time, so each client gets at most one comparison per tick.
  client.compared_at = world_.tick();
  const TypeView& view = views_.view(message.codec_type);
  const LaneValue* row =
      world_.row_at(views_.entity_of(message.id), message.tick, message.codec_type);
  const std::size_t lanes = std::min(message.lanes.size(), view.parts.size());
  for (std::size_t i = 0; row != nullptr && i < lanes; ++i) {
    if (row[i] == message.lanes[i]) continue;
    truth.lane = static_cast<std::uint16_t>(i);
    truth.ours = row[i];
    truth.theirs = message.lanes[i];
    break;
  }
  ++client.view.counters().divergences;
  if (client.unsent.has_room()) client.unsent.push(encode(truth));
  if (log_ == nullptr) return;
  std::string field = views_.lane_name(message.codec_type, truth.lane);
  // A message has room only for the first lanes.
  if (row != nullptr && truth.lane == kNoLane && lanes > 0 && lanes < view.parts.size()) {
    field = "after " + views_.lane_name(message.codec_type, lanes - 1);
  }
  log_->diverged({.id = views_.entity_of(message.id),
                  .tick = message.tick,
                  .type = schema_.type(view.type).id,
                  .field = field,
                  .server_value = truth.ours,
                  .client_value = truth.theirs});
}

void ReplicationServer::apply_missing(Client& client, const MissingMessage& message) const {
  const bool has_type = message.codec_type != kNoCodecType;
  if (has_type ? codec_index(message.codec_type) >= views_.count() ||
                     !client.view.knows_as(message.id, message.codec_type)
               : !client.view.knows(message.id)) {
    ++client.view.counters().malformed;
    return;
  }
  if (client.compared_at == world_.tick()) return;  // Limits the log to one entry per tick.
  client.compared_at = world_.tick();
  ++client.view.counters().divergences;
  if (log_ != nullptr) log_->diverged(divergence_of(message, schema_, views_));
}

std::size_t ReplicationServer::memory_bytes() const {
  std::size_t bytes = sizeof(*this) + world_.memory_bytes() + grid_.memory_bytes();
  for (const auto& client : clients_) {
    bytes += sizeof(Client) + client->view.memory_bytes() + client->setup.capacity();
  }
  return bytes;
}

}  // namespace muster
