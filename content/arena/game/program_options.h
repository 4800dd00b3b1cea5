// The command lines of the server and the client.
#pragma once

#include <muster/result.h>

#include <cstdint>
#include <optional>
#include <string>

#include "content/arena/game/lossy_edges.h"

namespace arena {

struct ProgramOptions {
  std::string build;
  std::string address;  ///< The address at which the server listens, or to which a client connects.
  std::string key;      ///< The server's key; only for clients.
  double seconds = 0;   ///< The duration of the match in seconds; 0 for no limit.
  double still_seconds = 2;  ///< The time at the end, in seconds, in which nothing moves.
  LossOptions loss;
  std::uint64_t seed = 1;
  std::uint16_t workers = 1;  ///< The number of threads that encode snapshots; only for servers.
  std::string record;         ///< The file for a recording of the match; empty for none.
  std::string capture;        ///< The file for a capture of all datagrams; empty for none.
  std::string play;           ///< A recording to play instead of a server's match.
  double from_seconds = 0;    ///< A replay starts at this time of the recording, in seconds.
  double speed = 1;           ///< The speed relative to real time; 0 for the maximum.
  bool wants_help = false;    ///< True for `--help`. If true, the other options were not parsed.
  /// The maximum number of clients from one address. If it is not set, `players_per_address`
  /// chooses a default.
  std::optional<std::uint16_t> clients_per_address;
  bool is_json = false;
  bool shows_world = false;  ///< True if the program prints the world's values at the end.
  bool admits_other_content = false;

  /// The maximum number of players from one address. If `clients_per_address` is not set, the
  /// result is the number of slots for a loopback address, and the library's default for other
  /// addresses.
  std::uint16_t players_per_address() const;
};

enum class Program : std::uint8_t { server, client };

/// The usage text of a program, with an example.
std::string usage_of(Program program);

/// Reads a command line. Fails with `invalid_argument` and the usage.
muster::Result<ProgramOptions> parse_options(Program program, int argc, char** argv);

}  // namespace arena
