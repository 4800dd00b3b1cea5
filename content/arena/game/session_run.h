// A server's and a client's program from the first frame to the last.
#pragma once

#include <functional>
#include <string>

#include "content/arena/game/arena_client.h"
#include "content/arena/game/arena_server.h"
#include "content/arena/game/match_replay.h"
#include "content/arena/game/packet_capture.h"
#include "content/arena/game/program_options.h"

namespace arena {

/// Where text goes.
using Say = std::function<void(const std::string&)>;

/// Whoever started the program.
struct Person {
  Say say;
  Say complain;                     ///< What goes wrong.
  std::function<bool()> wants_end;  ///< As if the time were over.
};

/// What a server's command line means for its match: it stands still for the last seconds.
ArenaServerOptions server_options(const ProgramOptions& options);

/// Where a client's socket is bound that sends to this address.
muster::Address any_port_for(const muster::Address& server);

/// Serves until the time is over or the person wants it, then reports and sends everybody home.
/// Fails with `io` when the match cannot be recorded as the options want it, or captured; it is
/// played to its end all the same. `capture`: what the server is recorded in; may be null.
muster::Result<void> run_server(ArenaServer& server, const ProgramOptions& options,
                                muster::DatagramSocket& socket, const muster::Clock& clock,
                                const Person& person, PacketCapture* capture);

/// Follows the server until it ends the match, is lost, the time is over, or the person wants it;
/// then reports. Returns whether nothing went wrong. `capture`: as above.
bool run_client(ArenaClient& client, const ProgramOptions& options, muster::DatagramSocket& socket,
                const muster::Clock& clock, const Person& person, PacketCapture* capture);

/// Plays a recording to its end, or for as long as the options and the person want; then reports.
/// Between ticks it calls `wait`, unless it plays as fast as it goes. Returns whether nothing went
/// wrong.
using Wait = std::function<void(muster::Duration)>;
bool run_replay(MatchReplay& replay, const ProgramOptions& options, const muster::Clock& clock,
                const Wait& wait, const Person& person);

}  // namespace arena
