// What the server's and the client's command lines say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "content/arena/game/lossy_edges.h"
#include "registry/base/result.h"

namespace arena {

struct ProgramOptions {
  std::string build;
  std::string address;       ///< To listen at, or of the server.
  std::string key;           ///< The server's; of clients only.
  double seconds = 0;        ///< How long to play; 0 for as long as it goes.
  double still_seconds = 2;  ///< The last seconds, in which nothing moves.
  LossOptions loss;
  std::uint64_t seed = 1;
  std::uint16_t workers = 1;  ///< Threads that encode; of servers only.
  std::string record;         ///< A file for what the server replicates; empty for none.
  std::string capture;        ///< A file for what goes over the network here; empty for none.
  std::string play;           ///< A recording to be played instead of a server's match.
  double from_seconds = 0;    ///< Where in it.
  double speed = 1;           ///< How many times as fast as it was; 0 for as fast as it goes.
  bool wants_help = false;    ///< Nothing else is said then.
  /// Who is let in from one address; when it is not said, all who fit where only this machine can
  /// come in, and elsewhere what is usual.
  std::optional<std::uint16_t> clients_per_address;
  bool is_json = false;
  bool shows_world = false;  ///< Prints the world's values at the end.
  bool admits_other_content = false;

  /// How many players of one address the server admits.
  std::uint16_t players_per_address() const;
};

enum class Program : std::uint8_t { server, client };

/// How a program is called, with an example.
std::string usage_of(Program program);

/// Reads a command line. Fails with `invalid_argument` and the usage.
muster::Result<ProgramOptions> parse_options(Program program, int argc, char** argv);

}  // namespace arena
