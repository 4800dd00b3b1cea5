// A server and its clients in one process with simulated time, for tests of a game.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/session/game_client.h"
#include "runtime/session/game_server.h"

namespace muster {

/// The options of a simulated match.
struct MatchOptions {
  std::uint64_t seed = 1;
  GameServerOptions server{};
  BuildOpenOptions build{};
};

/// A simulated match. Only one thread at a time may use this object. Wrong calls by the game are
/// reported as problems, except calls that break a "Requires" of a function: these end the program
/// with a message.
class SimulatedMatch {
 public:
  /// `folder` is the output of `muster build`. Fails if the build or the server cannot be opened,
  /// with the code of that failure.
  static Result<std::unique_ptr<SimulatedMatch>> open(const Game& game, std::string_view folder,
                                                      const MatchOptions& options = {});
  ~SimulatedMatch();

  GameServer& server();
  /// Adds a client on a separate simulated machine, behind a link. The client lives as long as the
  /// match.
  GameClient& add_client(const Link& link = {});
  /// Adds a client with another game, another build or other options, for example with another key.
  GameClient& add_client(const Link& link, const Game& game, std::string_view folder,
                         const GameClientOptions& options);
  SimulatedEdges& edges();
  /// Sets the function that is called before each client frame, 60 times per second. A test sets
  /// the commands of its players in this function.
  void on_client_frame(std::function<void(GameClient&, Tick)> callback);
  void run(Duration duration);
  /// Replaces the link of a client.
  void set_link(const GameClient& client, const Link& link);
  /// Stops the server at once, without a message to its clients.
  void kill_server();

  /// Stops the game's systems for `settle`, so that all sent data arrives. Then compares the
  /// server's world with the world of each client. Compares only the values that the client
  /// receives, rounded as on the wire. Returns one line per difference, with client, entity,
  /// component, field and both values. The result is empty if all values are equal. Leaves out
  /// clients that have left or that the server has kicked, for example for malformed messages. A
  /// client that ended for another reason is a difference, and so is a closed server.
  std::vector<std::string> differences(Duration settle = std::chrono::seconds(2));
  /// All problems of the server and the clients.
  std::span<const Problem> problems() const;
  /// The hash of the server's world. Runs with equal seeds have equal hashes.
  std::uint64_t world_hash() const;

 private:
  struct Impl;
  explicit SimulatedMatch(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster
