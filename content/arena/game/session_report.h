// The reports that servers and clients print at the end, as JSON or as text.
#pragma once

#include <muster/client.h>
#include <muster/clock.h>
#include <muster/server.h>

#include <cstdint>
#include <map>
#include <string>

#include "content/arena/game/shot_log.h"

namespace arena {

/// The durations of measured steps.
struct Durations {
  std::uint64_t count = 0;
  muster::Duration sum{};
  muster::Duration longest{};
  void add(muster::Duration one);
};

/// Values that a client's report contains in addition to the client's metrics.
struct ClientNotes {
  Durations frames;
  ShotLog shots;
  bool is_still = false;  ///< True if the server has announced that nothing moves.
  double played_seconds = 0;
  std::string complaint{};  ///< The reason why the client ended; empty for a regular end.
};

/// Values for the report of a program that plays a recording.
struct ReplayNotes {
  std::uint32_t first_tick = 0;
  std::uint64_t tick_count = 0;
  double recorded_seconds = 0;
  double elapsed_seconds = 0;
  bool is_still = false;
  std::string complaint{};
};

/// `shots` has an entry for each player that has fired.
std::string server_report(const muster::GameServer& server,
                          const std::map<muster::PlayerId, ShotLog>& shots, bool is_json);
std::string client_report(const muster::GameClient& client, const ClientNotes& notes, bool is_json);
std::string replay_report(const muster::GameClient& client, const ReplayNotes& notes, bool is_json);

}  // namespace arena
