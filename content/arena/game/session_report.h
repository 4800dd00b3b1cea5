// What a server and a client have to say at the end: for people and for programs.
#pragma once

#include <string>

#include "content/arena/game/arena_client.h"
#include "content/arena/game/arena_server.h"
#include "content/arena/game/match_replay.h"

namespace arena {

/// A table with a line per client, or JSON: `{"tick":..,"clients":[{..}]}`.
std::string server_report(ArenaServer& server, bool is_json);

/// A few lines, or JSON: `{"player":..,"world":..,"entities":..,"load":{..},"net":{..},..}`.
std::string client_report(const ArenaClient& client, bool is_json);

/// The same of a recording that was played in this time:
/// `{"ticks":..,"world":..,"times_real_time":..,..}`.
std::string replay_report(const MatchReplay& replay, muster::Duration took, bool is_json);

}  // namespace arena
