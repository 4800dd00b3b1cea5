// The messages and commands that a server receives from players.
#include <algorithm>
#include <array>
#include <chrono>

#include "net/replication/timed_events.h"
#include "registry/base/bytes.h"
#include "runtime/session/game_server_impl.h"

namespace muster {
namespace {

/// The size of the index at the beginning of a message.
constexpr std::size_t kIndexBytes = 2;

}  // namespace

std::optional<StructType> GameServer::Impl::message_type(std::string_view name, std::size_t bytes,
                                                         std::string_view failure) {
  const std::optional<StructType> type = encoder.find(name, bytes);
  if (type && !encoder.is_command(*type)) return type;
  problems.add({.kind = ProblemKind::unknown_type,
                .tick = simulation.tick(),
                .component = std::string(name),
                .text = std::string(failure) + ": " +
                        unlisted_reason(encoder.types(), name, bytes, "Game::messages")});
  return std::nullopt;
}

void GameServer::Impl::report_clamped(const ClampedStructField& clamped) {
  ++clamped_messages;
  problems.add({.kind = ProblemKind::clamped,
                .tick = simulation.tick(),
                .component = std::string(clamped.type),
                .field = std::string(clamped.field),
                .text = "a message's value is outside its range: the nearest value was sent"});
}

bool GameServer::Impl::send(Player& player, StructType type,
                            const session_detail::NamedValue& message, const SendOptions& how) {
  Connection* const connection = net->connection(player.client);
  const bool is_for_pipe =
      how.timing != Timing::at_tick && how.reliability != Reliability::unreliable;
  if (how.timing == Timing::at_tick && !is_playing(player)) {
    problems.add({.kind = ProblemKind::dropped,
                  .tick = simulation.tick(),
                  .player = player.id,
                  .component = std::string(message.name),
                  .text = "the message was not sent: a player that does not play yet, or whose "
                          "connection is lost, receives no message with `Timing::at_tick`"});
    return false;
  }
  // While a player's connection is lost, the pipe keeps messages until the client reconnects.
  if (connection == nullptr && !is_for_pipe) return false;
  const auto clamped = encoder.encode_message(type, message.bytes, encoded);
  const auto too_large = [&](std::size_t bytes_max) {
    problems.add({.kind = ProblemKind::too_large,
                  .tick = simulation.tick(),
                  .component = std::string(message.name),
                  .text = "the message was not sent: it has " + std::to_string(encoded.size()) +
                          " bytes, and may have at most " + std::to_string(bytes_max) +
                          " with these options"});
    return false;
  };
  bool is_sent = false;
  if (how.timing == Timing::at_tick) {
    if (encoded.size() > kTimedEventBytesMax) return too_large(kTimedEventBytesMax);
    is_sent =
        replication->send_event(client_of(player.id), message_tick(), encoded, EventLoss::counted);
  } else if (how.reliability == Reliability::unreliable) {
    if (encoded.size() > kMessageBytesMax) return too_large(kMessageBytesMax);
    is_sent = connection->send_message(kLooseChannel, encoded) == SendStatus::queued;
  } else {
    is_sent = player.pipe.send(SessionMessage::game, encoded);
  }
  if (!is_sent) {
    problems.add({.kind = ProblemKind::dropped,
                  .tick = simulation.tick(),
                  .player = player.id,
                  .component = std::string(message.name),
                  .text = "the message was not sent: too many messages wait for this player"});
  } else if (clamped) {
    report_clamped(*clamped);
  }
  return is_sent;
}

void GameServer::Impl::report_dropped(const Player& player, std::size_t count,
                                      std::string_view why) {
  if (count == 0) return;
  problems.add({.kind = ProblemKind::dropped,
                .tick = simulation.tick(),
                .player = player.id,
                .count = count,
                .text = "reliable messages may have been lost: " + std::string(why)});
}

/// Reports the messages with `Timing::at_tick` that the player may not have received, because its
/// client receives the whole world again. If `ends` is true, the client's replication ends now.
void GameServer::Impl::report_lost_events(Player& player, bool ends) {
  const ClientView* const view = replication->view(client_of(player.id));
  if (view == nullptr) return;
  const std::uint64_t lost =
      view->counters().events_lost + (ends ? view->events().unconfirmed_count() : 0);
  if (lost > player.events_lost) {
    problems.add({.kind = ProblemKind::dropped,
                  .tick = simulation.tick(),
                  .player = player.id,
                  .count = lost - player.events_lost,
                  .text = "messages with `Timing::at_tick` may have been lost: the client's world "
                          "began again, or the connection ended"});
  }
  player.events_lost = ends ? 0 : lost;
}

bool GameServer::Impl::is_playing(const Player& player) const {
  return net->connection(player.client) != nullptr && !begins_map &&
         replication->is_playing(client_of(player.id));
}

void GameServer::Impl::report_unplayed(std::string_view message, const SendOptions& how) {
  if (how.timing != Timing::at_tick || !begins_map || players.empty()) return;
  problems.add({.kind = ProblemKind::dropped,
                .tick = simulation.tick(),
                .component = std::string(message),
                .text = "the message was not sent: before the first tick of a level, no player "
                        "receives a message with `Timing::at_tick`"});
}

void GameServer::Impl::send_near(Vec3 position, float metres,
                                 const session_detail::NamedValue& message,
                                 const SendOptions& how) {
  const std::optional<StructType> type = message_type(message.name, message.bytes.size());
  if (!type) return;
  report_unplayed(message.name, how);
  for (const auto& player : players) {
    const std::optional<Vec3> from = view_position(*player);
    if (!from || !may_send(*player, how)) continue;
    const float x = from->x - position.x;
    const float y = from->y - position.y;
    const float z = from->z - position.z;
    if (x * x + y * y + z * z <= metres * metres) send(*player, *type, message, how);
  }
}

void GameServer::Impl::record_message(StructType type, const session_detail::NamedValue& message) {
  if (recorder == nullptr) return;
  static_cast<void>(
      encoder.encode_message(type, message.bytes, encoded));  // `send` reports clamped fields.
  if (encoded.size() <= kTimedEventBytesMax) {
    recorder->add_event(message_tick(), encoded);
  }
}

void GameServer::Impl::read_messages(Player& player, Connection& connection) {
  while (connection.state() != ConnectionState::closed) {
    SessionMessage kind{};
    std::span<const std::byte> body;
    const MessagePipe::Received received = player.pipe.receive(connection, kind, body);
    if (received == MessagePipe::Received::nothing) return;
    bool is_sound = received == MessagePipe::Received::message;
    const bool is_structs = is_sound && kind == SessionMessage::structs;
    // The client sends this message again in each map.
    if (is_structs && player.decoder && !player.has_resumed) continue;
    if (is_structs) {
      Result<StructDecoder> made = StructDecoder::make(encoder.types(), body);
      is_sound = made.has_value();
      if (made) {
        player.decoder = std::move(made.value());
        player.commands.accept(*player.decoder);
        player.has_resumed = false;
      }
    } else if (is_sound && kind == SessionMessage::resumed && player.decoder) {
      is_sound = go_on(player, body);
    } else if (is_sound && kind == SessionMessage::game && player.decoder) {
      deliver(player, body);
    } else {
      is_sound = false;
    }
    if (is_sound) continue;
    problems.add({.kind = ProblemKind::refused,
                  .tick = simulation.tick(),
                  .player = player.id,
                  .text = "the client sent a malformed message and was disconnected"});
    player.ticket = AccountId();  // Without a ticket, the player cannot reconnect.
    connection.close(CloseReason::kicked, "malformed message", now);
    return;
  }
}

void GameServer::Impl::read_loose(Player& player, Connection& connection) {
  for (;;) {
    const std::span<const std::byte> message = connection.message(kLooseChannel);
    if (message.empty()) return;
    if (player.decoder) deliver(player, message);
    connection.pop_message(kLooseChannel);
  }
}

void GameServer::Impl::read_commands(Player& player, Connection& connection) {
  // After an outage, many packets arrive in one frame. The commands of most of these packets are
  // too late.
  constexpr int kPacketsPerFrameMax = 32;
  for (int read = 0;;) {
    std::span<const std::byte> packet = connection.message(kCommandChannel);
    if (packet.empty()) return;
    if (player.decoder && read < kPacketsPerFrameMax &&
        player.claims.receive(packet, simulation.tick()) &&
        player.commands.receive(*player.decoder, packet, clock.fraction_at(now))) {
      ++read;
    }
    connection.pop_message(kCommandChannel);
  }
}

/// Checks the claimed view of the player's command, before the tick runs the command.
void GameServer::Impl::check_view(Player& player) {
  const Connection* const connection = net->connection(player.client);
  const CommandNumber number = player.commands.number();
  if (connection == nullptr || number.is_none()) return;
  const Tick last = simulation.tick();
  const double round_trip =
      std::chrono::duration<double>(connection->round_trip().minimum()).count();
  const auto ticks = static_cast<std::uint32_t>(round_trip * content->game().ticks_per_second);
  const Tick reached(last.value() - std::min(last.value(), ticks));
  const ViewClaim* const claim = player.claims.find(number, last);
  const CheckedView checked = player.view_claims.check(
      claim, {.command = number, .now = last.next(), .received_min = {}, .received_max = reached});
  player.seen = checked.view;
  ++claim_verdicts[static_cast<std::size_t>(checked.verdict)];
}

void GameServer::Impl::report_commands(Player& player) {
  Connection* const connection = net->connection(player.client);
  std::vector<ForcedField>& forced = player.commands.forced();
  if (player.lost_at) forced.clear();  // `resume` sends forces that still apply.
  if (!player.decoder || connection == nullptr || content->game().commands.types.empty()) return;
  for (const ForcedField& one : forced) {
    static_cast<void>(
        player.pipe.send(SessionMessage::forced, player.commands.forces().encode(one)));
  }
  forced.clear();
  player.spawns.end_command(player.commands.number());
  if (simulation.tick().value() % snapshot_ticks(content->game()) != 0) return;
  // A report may be lost, because the next report contains the same data.
  const EncodedCommandReport own_report = player.commands.report().encode();
  const std::span<const std::byte> report = own_report;
  command_report.assign(report.begin(), report.end());
  if (!content->game().systems.entries.empty()) player.spawns.encode(command_report);
  static_cast<void>(connection->send_message(kCommandChannel, command_report));
}

bool GameServer::Impl::force_command(PlayerId player, const session_detail::NamedValue& command,
                                     std::string_view field) {
  const std::optional<StructType> type = encoder.find(command.name, command.bytes.size());
  Player* const found = find(player);
  if (found == nullptr || !type || !encoder.is_command(*type)) return false;
  return found->commands.force(*type, field, command.bytes);
}

bool GameServer::Impl::is_over_rate(Player& player, PeerStructType type) {
  const std::size_t index = struct_index(type);
  if (now - player.messages_since >= std::chrono::seconds(1)) {
    std::ranges::fill(player.messages, 0U);
    player.messages_since = now;
  }
  if (player.messages.size() <= index) player.messages.resize(index + 1);
  if (++player.messages[index] <= options.messages_per_second_max) return false;
  if (player.message_burst == 0) return true;
  --player.message_burst;
  return false;
}

void GameServer::Impl::deliver(Player& player, std::span<const std::byte> body) {
  const auto dropped = [&](ProblemKind kind, std::string_view name, std::string_view text) {
    problems.add({.kind = kind,
                  .tick = simulation.tick(),
                  .player = player.id,
                  .component = std::string(name),
                  .text = std::string(text)});
  };
  ByteReader reader(body);
  const auto sent = PeerStructType{reader.u16()};
  const std::optional<StructType> type = player.decoder->local_type(sent);
  const std::string_view name = player.decoder->name(sent);
  if (reader.failed() || name.empty()) {
    return dropped(ProblemKind::refused, "", "a message of an unknown type was dropped");
  }
  if (!type || encoder.is_command(*type)) {
    // The log does not contain an unknown name, because the client has chosen it.
    return dropped(ProblemKind::dropped, type ? name : "",
                   "a message was dropped: this server's game does not have its type");
  }
  if (is_over_rate(player, sent)) {
    return dropped(
        ProblemKind::dropped, name,
        "the player sends this message too often: further messages in this second are dropped");
  }
  const std::span<const std::byte> fields = body.subspan(kIndexBytes);
  if (fields.size() != player.decoder->byte_count(sent) ||
      (player.decoder->decode(sent, fields, decoded) == 0 && !fields.empty())) {
    return dropped(ProblemKind::refused, name, "a malformed message was dropped");
  }
  const auto handler = handlers.find(name);
  if (handler == handlers.end()) {
    return dropped(ProblemKind::dropped, name,
                   "the message has no handler: register a handler with `on_message`");
  }
  const std::shared_ptr<const MessageHandler> pinned = handler->second;
  // While the handler runs, no other message is decoded into `decoded`.
  (*pinned)(player.id, decoded);
}

}  // namespace muster
