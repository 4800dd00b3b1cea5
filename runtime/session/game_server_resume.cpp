// Players whose connection was lost. Such a player keeps number, entities and commands for a while.
// The client makes another connection and names the player by a ticket, a secret random number of
// its welcome; the world is then sent again from the beginning.
#include <algorithm>
#include <string>

#include "runtime/session/game_server_impl.h"

namespace muster {

GameServer::Impl::Player* GameServer::Impl::find_ticket(std::uint64_t ticket) {
  if (ticket == 0 || options.resume_time <= Duration()) return nullptr;
  const auto found =
      std::ranges::find(players, ticket, [](const auto& player) { return player->ticket; });
  return found != players.end() ? found->get() : nullptr;
}

/// A second connection with the same ticket replaces the first one.
std::uint64_t GameServer::Impl::client_of(const Applicant& applicant) {
  const std::uint64_t ticket = decode_ticket(applicant.hello.user_data);
  return find_ticket(ticket) != nullptr ? ticket : applicant.client;
}

bool GameServer::Impl::is_lost(const Player& player, const ServerEvent& event) const {
  if (player.ticket == 0) return false;  // Kicked.
  if (options.resume_time <= Duration() || is_closed) return false;
  if (event.close && event.close->reason == CloseReason::timed_out) return true;
  const auto unread = net->events().subspan(events_read);
  return std::ranges::any_of(
      unread, [&](const ServerEvent& later) { return later.replaces == event.client; });
}

void GameServer::Impl::lose(Player& player, std::string_view reason) {
  player.lost_at = now;
  player.lost_text = std::string(reason);
  player.commands.rest();
  // A new view of the world: what was sent before is forgotten.
  replication->remove_client(id_of(player));
  replication->add_client(id_of(player), {.player = player.id, .team = player.team});
}

void GameServer::Impl::resume(Player& player, ClientHandle client) {
  // The client may have noticed the loss first.
  if (Connection* const earlier = net->connection(player.client)) {
    earlier->close(CloseReason::kicked, "another connection goes on", now);
  }
  lose(player, {});
  player.lost_at.reset();
  player.client = client;
  player.pipe = MessagePipe();
  player.pipe_map = 0;
  player.has_resumed = true;
  player.claims = ClaimInbox();
  static_cast<void>(player.pipe.send(SessionMessage::structs, encoder.schema()));
  static_cast<void>(player.pipe.send(SessionMessage::welcome, encode(welcome_of(player))));
  const CommandForces& forces = player.commands.forces();
  for (const ForcedField& forced : forces.lasting()) {
    static_cast<void>(player.pipe.send(SessionMessage::forced, forces.encode(forced)));
  }
  const auto shown = std::ranges::find(infos, player.id, &PlayerInfo::player);
  if (shown != infos.end()) shown->address = net->address(client).text();
}

void GameServer::Impl::remove_expired() {
  for (std::size_t i = 0; i < players.size();) {
    const Player& player = *players[i];
    const bool waits = !is_closed && player.lost_at && now - *player.lost_at < options.resume_time;
    if (!player.lost_at || waits) {
      ++i;
      continue;
    }
    const std::string reason = player.lost_text;
    remove(i, reason);
    i = 0;  // The callback may have removed others.
  }
}

}  // namespace muster
