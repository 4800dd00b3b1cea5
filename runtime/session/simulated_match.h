// A server and its clients in one process, on simulated time: for tests of a game.
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

/// How a match is simulated.
struct MatchOptions {
  std::uint64_t seed = 1;
  GameServerOptions server{};
  BuildOpenOptions build{};
};

/// A match for one thread. Misuse by the game is reported as a problem and never ends the program.
class SimulatedMatch {
 public:
  /// `folder` is the output of `muster build`. Fails as `Build::open` and `GameServer::open` do.
  static Result<std::unique_ptr<SimulatedMatch>> open(const Game& game, std::string_view folder,
                                                      const MatchOptions& options = {});
  ~SimulatedMatch();

  GameServer& server();
  /// A client on a separate machine, behind a link. Lives as long as the match.
  GameClient& add_client(const Link& link = {});
  /// The same for a client with its own game, build or options, such as another key.
  GameClient& add_client(const Link& link, const Game& game, std::string_view folder,
                         const GameClientOptions& options);
  SimulatedEdges& edges();
  /// Called before each client frame (60 per second). Here a test sets the commands of its players.
  void on_client_frame(std::function<void(GameClient&, Tick)> callback);
  void run(Duration duration);
  /// Replaces the link of a client.
  void set_link(const GameClient& client, const Link& link);
  /// Stops the server at once, without a message to its clients.
  void kill_server();

  /// Stops the game's systems for `settle`, so that everything that was sent arrives. Then compares
  /// the server's world with the world of each client. Compares only values that the client
  /// receives, with the resolution that they have on the wire. Returns one line per difference:
  /// client, entity, component, field, both values. Empty if all are equal.
  std::vector<std::string> differences(Duration settle = std::chrono::seconds(2));
  /// All problems of both sides.
  std::span<const Problem> problems() const;
  /// The hash of the server's world; equal for equal seeds.
  std::uint64_t world_hash() const;

 private:
  struct Impl;
  explicit SimulatedMatch(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster
