// Spawns the entities at the start of a match, and the entities of players.
#pragma once

#include <muster/server.h>

#include <cstdint>

namespace arena {

/// The level in which matches are played.
inline constexpr const char* kLevel = "foundry";

/// Spawns all entities that the level does not place, and a character for each player that joins.
/// Equal seeds give equal matches. Sets `on_join` of the server.
void set_up_match(muster::GameServer& server, std::uint64_t seed);

/// Stops all movement from the next tick on, so that the clients' worlds can be compared with the
/// server's world. Announces the stop to all clients.
void end_match(muster::GameServer& server);

}  // namespace arena
