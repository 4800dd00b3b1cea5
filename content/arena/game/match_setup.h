// What stands in a match at first, and what a player gets.
#pragma once

#include <cstdint>

#include "runtime/session/game_server.h"

namespace arena {

/// The level in which matches are played.
inline constexpr const char* kLevel = "foundry";

/// Spawns everything besides what the level places, and gives each player who joins a character.
/// The same seed gives the same match. The server must outlive its callbacks.
void set_up_match(muster::GameServer& server, std::uint64_t seed);

/// Nothing moves from the next tick on, so that clients can be compared with the server; says so to
/// all.
void end_match(muster::GameServer& server);

}  // namespace arena
