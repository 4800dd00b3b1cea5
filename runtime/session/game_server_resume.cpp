// Players whose connection was lost. Such a player keeps its id, entities and commands for
// `GameServerOptions::resume_time`. The client makes another connection, and identifies the player
// by a ticket. The ticket is a secret random number in the player's welcome message. The server
// then sends the whole world again.
#include <algorithm>
#include <chrono>
#include <string>

#include "runtime/session/game_server_impl.h"
#include "runtime/sync/predicted_key.h"

namespace muster {
namespace {

/// After a reconnect, the client sends all of its kept messages at once. The limits accept the
/// messages of at most this time.
constexpr Duration kBurstMax = std::chrono::seconds(60);

}  // namespace

GameServer::Impl::Player* GameServer::Impl::find_ticket(AccountId ticket) {
  if (!ticket.is_known() || options.resume_time <= Duration()) return nullptr;
  const auto found =
      std::ranges::find(players, ticket, [](const auto& player) { return player->ticket; });
  return found != players.end() ? found->get() : nullptr;
}

/// Returns the client's account. A second connection with the same ticket replaces the first
/// connection.
AccountId GameServer::Impl::account_of(const Applicant& applicant) {
  const AccountId ticket = decode_ticket(applicant.hello.user_data);
  return find_ticket(ticket) != nullptr ? ticket : applicant.account;
}

bool GameServer::Impl::is_lost(const Player& player, const ServerEvent& event) const {
  if (!player.ticket.is_known()) return false;  // The player was kicked.
  if (options.resume_time <= Duration() || is_closed) return false;
  if (event.close && event.close->reason == CloseReason::timed_out) return true;
  const auto unread = net->events().subspan(events_read);
  return std::ranges::any_of(
      unread, [&](const ServerEvent& later) { return later.replaces == event.client; });
}

void GameServer::Impl::lose(Player& player, std::string_view reason) {
  player.lost_at = now;
  player.lost_text = std::string(reason);
  player.commands.pause();
  // Replication begins again, as for a new client.
  report_lost_events(player, true);
  replication->remove_client(client_of(player.id));
  replication->add_client(client_of(player.id), {.player = player.id, .team = player.team});
}

/// Limits the lost players of an address. Without this limit, one machine could fill the server by
/// joining and disconnecting repeatedly.
void GameServer::Impl::limit_lost(const Address& subscriber) {
  Player* oldest = nullptr;
  std::size_t count = 0;
  for (const auto& player : players) {
    if (!player->lost_at || subscriber_of(player->address) != subscriber) continue;
    ++count;
    if (oldest == nullptr || *player->lost_at < *oldest->lost_at) oldest = player.get();
  }
  if (count <= options.players_per_address) return;
  oldest->is_expired = true;
  oldest->lost_text = "too many players of this address have lost their connections";
}

void GameServer::Impl::resume(Player& player, ClientHandle client) {
  // The client may have detected the loss before this server.
  if (Connection* const earlier = net->connection(player.client)) {
    earlier->close(CloseReason::kicked, "another connection of the player replaces this connection",
                   now);
  }
  // All messages that the client has kept arrive together.
  const Duration closed_after = session_connection().closed_after;
  const Duration away = closed_after + (player.lost_at ? now - *player.lost_at : Duration());
  const auto allowed = [&](Duration time) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time).count();
    return options.messages_per_second_max *
           static_cast<std::uint64_t>(std::max<std::int64_t>(seconds, 0));
  };
  player.message_burst += allowed(std::min(away, now - player.connected_at));
  player.message_burst = std::min(player.message_burst, allowed(kBurstMax));
  player.connected_at = now;
  lose(player, {});
  player.lost_at.reset();
  player.is_expired = false;
  player.client = client;
  player.address = net->address(client);
  player.pipe.resume();
  player.pipe_map = 0;
  player.has_resumed = true;
  player.claims = ClaimInbox();
  player.pipe.send_first(SessionMessage::resumed,
                         encode(Resumed{.map = map_count, .count = player.pipe.received_count()}));
  const CommandForces& forces = player.commands.forces();
  const std::optional<CommandNumber> paused_since = player.commands.paused_since();
  for (const ForcedField& forced : forces.lasting()) {
    // A force that was made while the connection was lost is not sent yet: the client's first
    // command gives the force a new offset.
    if (paused_since && command_steps(*paused_since, forced.command) > 0) continue;
    player.pipe.send_first(SessionMessage::forced, forces.encode(forced));
  }
  player.pipe.send_first(SessionMessage::welcome, encode(welcome_of(player)));
  player.pipe.send_first(SessionMessage::structs, encoder.schema());
  const auto player_info = std::ranges::find(infos, player.id, &PlayerInfo::player);
  if (player_info != infos.end()) player_info->address = player.address.text();
}

/// Reads how many messages the client has received. Sends the later messages again.
bool GameServer::Impl::go_on(Player& player, std::span<const std::byte> body) const {
  const std::optional<Resumed> resumed = decode_resumed(body);
  if (!resumed) return false;
  if (!player.pipe.is_resuming()) return true;  // A later map has already begun.
  return player.pipe.go_on(resumed->map == map_count ? resumed->count : 0);
}

void GameServer::Impl::remove_expired() {
  for (std::size_t i = 0; i < players.size();) {
    const Player& player = *players[i];
    const bool waits = !is_closed && !player.is_expired && player.lost_at &&
                       now - *player.lost_at < options.resume_time;
    if (!player.lost_at || waits) {
      ++i;
      continue;
    }
    const std::string reason = player.lost_text;
    remove(i, reason);
    i = 0;  // Starts again, because the callback may have removed other players.
  }
}

}  // namespace muster
