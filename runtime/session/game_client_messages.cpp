// The messages that a client receives from the server.
#include <algorithm>
#include <chrono>

#include "registry/base/bytes.h"
#include "runtime/session/game_client_impl.h"
#include "runtime/session/level_model.h"

namespace muster {
namespace {

/// The maximum number of announced maps that have not begun on this client. A higher number is an
/// attack.
constexpr std::size_t kNextLevelsMax = 64;

}  // namespace

std::optional<StructType> GameClient::Impl::message_type(std::string_view name, std::size_t bytes,
                                                         std::string_view failure) {
  const std::optional<StructType> type = encoder.find(name, bytes);
  if (type && !encoder.is_command(*type)) return type;
  problems.add({.kind = ProblemKind::unknown_type,
                .tick = tick(),
                .component = std::string(name),
                .text = std::string(failure) + ": " +
                        unlisted_reason(encoder.types(), name, bytes, "Game::messages")});
  return std::nullopt;
}

/// Follows the connection to a new map, which drops the messages in flight in both directions.
void GameClient::Impl::follow_map(const Connection& connection) {
  if (connection.map() == pipe_map) return;
  pipe_map = connection.map();
  report_dropped(pipe.begin_map(), "the map ended");
  pipe.send_first(SessionMessage::structs, encoder.schema());
  has_sent_structs = true;
}

void GameClient::Impl::read_messages(Connection& connection) {
  for (;;) {
    SessionMessage kind{};
    std::span<const std::byte> body;
    const MessagePipe::Received received = pipe.receive(connection, kind, body);
    if (received == MessagePipe::Received::nothing) return;
    if (received == MessagePipe::Received::message && apply_message(kind, body)) continue;
    return fail_with(ErrorCode::malformed, "the server sent a malformed message");
  }
}

void GameClient::Impl::read_loose(Connection& connection) {
  for (;;) {
    const std::span<const std::byte> message = connection.message(kLooseChannel);
    if (message.empty()) return;
    if (decoder) deliver(message);
    connection.pop_message(kLooseChannel);
  }
}

bool GameClient::Impl::apply_message(SessionMessage kind, std::span<const std::byte> body) {
  switch (kind) {
    case SessionMessage::structs: {
      if (decoder) return true;  // The server sends this message again in each map.
      Result<StructDecoder> made = StructDecoder::make(encoder.types(), body);
      if (!made) return false;
      decoder = std::move(made.value());
      return true;
    }
    case SessionMessage::welcome:
      return apply_welcome(body);
    case SessionMessage::game:
      if (!decoder) return false;
      deliver(body);
      return true;
    case SessionMessage::forced:
      return decoder && apply_forced(body);
    case SessionMessage::resumed:
      return decoder && apply_resumed(body);
  }
  return false;
}

void GameClient::Impl::read_reports(Connection& connection) {
  for (;;) {
    const std::span<const std::byte> bytes = connection.message(kCommandChannel);
    if (bytes.empty()) return;
    const std::size_t own = CommandReport::bytes_in(bytes);
    if (const std::optional<CommandReport> read = CommandReport::decode(bytes.first(own))) {
      if (prediction != nullptr) prediction->read_spawns(bytes.subspan(own), sender.newest());
      report = *read;
      repeat_lost(sender.receive(report));
      if (servo != nullptr && !report.measured.is_none()) {
        const double seconds =
            static_cast<double>(report.earliness_min) / welcome->ticks_per_second;
        servo->note(
            {.tick = tick_of(report.measured),
             .early = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds))},
            now);
      }
    }
    connection.pop_message(kCommandChannel);
  }
}

/// Ignores a forced field that this version of the game does not have.
bool GameClient::Impl::apply_forced(std::span<const std::byte> body) {
  if (const std::optional<ForcedField> forced = forces.decode(body)) {
    if (prediction != nullptr) prediction->note_changed_commands();
    if (!forces.follow(*forced)) {
      problems.add({.kind = ProblemKind::refused,
                    .tick = tick(),
                    .text = "a forced field was dropped: too many fields are forced at once"});
    }
  }
  return true;
}

bool GameClient::Impl::apply_welcome(std::span<const std::byte> body) {
  if (!decoder) return false;
  if (welcome) {
    const std::optional<Welcome> next = decode_welcome(body);
    if (!next || next->ticks_per_second != welcome->ticks_per_second) return false;
    // Another ticket means another player, even if the id is equal. A restarted server assigns the
    // same ids again.
    if (next->ticket != welcome->ticket) {
      become(next->player);
      // If a later map has already begun, the messages already belong to the new player.
      if (pipe.is_resuming()) {
        report_dropped(pipe.forget(), "the server has removed the player");
      }
    }
    welcome->map = next->map;
    welcome->player = next->player;
    welcome->ticket = next->ticket;
    welcome->shared_seed = next->shared_seed;
    lost_at.reset();
    return begin_level({.level = next->level, .placed = next->placed});
  }
  welcome = decode_welcome(body);
  if (!welcome) return false;
  player = welcome->player;
  receiver.set_player(player);
  const std::uint16_t ticks_here = content->game().ticks_per_second;
  if (welcome->ticks_per_second != ticks_here) {
    problems.add({.kind = ProblemKind::content_differs,
                  .text = "the server runs " + std::to_string(welcome->ticks_per_second) +
                          " ticks per second, but this client's Game::ticks_per_second is " +
                          std::to_string(ticks_here) +
                          ", so its predictions are wrong: use the server's version of the game"});
  }
  maps_announced = static_cast<std::uint16_t>(net->connection()->map() + 1);
  Result<ByteVector> named = load_level_model(assets->store(), Guid::from_bytes(welcome->level));
  if (named) {
    model = std::move(named.value());
  } else {
    problems.add(
        {.kind = ProblemKind::missing_bundle,
         .text =
             "the server must send the model of its snapshots, because it cannot be loaded here: " +
             named.error().message});
  }
  ReplicationClientOptions follow{.channel = kReplicationChannel};
  if (!model.empty()) follow.models = {model};
  replication = std::make_unique<ReplicationClient>(follow, this);
  request_level();
  return true;
}

/// Reads how many messages the server has received. Sends the later messages again.
bool GameClient::Impl::apply_resumed(std::span<const std::byte> body) {
  const std::optional<Resumed> resumed = decode_resumed(body);
  if (!resumed) return false;
  if (!pipe.is_resuming()) return true;  // A later map has already begun.
  if (resumed->map == resumed_map) return pipe.go_on(resumed->count);
  report_dropped(pipe.forget(), "the map ended");
  pipe.set_arrived(resumed->count);  // The server has counted these messages in its map.
  return true;
}

void GameClient::Impl::report_dropped(std::size_t count, std::string_view why) {
  if (count == 0) return;
  problems.add({.kind = ProblemKind::dropped,
                .tick = tick(),
                .count = count,
                .text = "reliable messages may have been lost: " + std::string(why)});
}

bool GameClient::Impl::begin_level(const LevelBegin& begin) {
  if (next_levels.size() >= kNextLevelsMax) return false;
  // The message names the level of the connection's current map.
  next_levels.push_back(begin);
  maps_announced = static_cast<std::uint16_t>(net->connection()->map() + 1);
  return true;
}

void GameClient::Impl::deliver(std::span<const std::byte> body) {
  const auto dropped = [&](ProblemKind kind, std::string_view name, std::string_view text) {
    problems.add(
        {.kind = kind, .tick = tick(), .component = std::string(name), .text = std::string(text)});
  };
  ByteReader reader(body);
  const auto sent = PeerStructType{reader.u16()};
  if (reader.failed() || !decoder || decoder->name(sent).empty()) {
    return dropped(ProblemKind::refused, "", "a message of an unknown type was dropped");
  }
  const std::string_view name = decoder->name(sent);
  const std::optional<StructType> type = decoder->local_type(sent);
  if (!type || encoder.is_command(*type)) {
    return dropped(ProblemKind::dropped, name,
                   "a message was dropped: this client's game does not have its type");
  }
  const std::span<const std::byte> fields = body.subspan(reader.position());
  if (fields.size() != decoder->byte_count(sent) ||
      (decoder->decode(sent, fields, decoded) == 0 && !fields.empty())) {
    return dropped(ProblemKind::refused, name, "a malformed message was dropped");
  }
  const auto handler = handlers.find(name);
  if (handler == handlers.end()) {
    return dropped(ProblemKind::dropped, name,
                   "the message has no handler: register a handler with `on_message`");
  }
  const std::shared_ptr<const MessageHandler> pinned = handler->second;
  (*pinned)(decoded);  // While the handler runs, no other message is decoded into `decoded`.
}

}  // namespace muster
