// A game on one machine without a network, for tools and editors.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/session/build.h"
#include "runtime/session/game_client.h"
#include "runtime/session/game_server.h"

namespace muster {

/// The options of a preview.
struct PreviewOptions {
  std::optional<LevelKey> level{};
  std::string placeholder{};  ///< See `GameClientOptions::placeholder`.
};

/// A server and one client in this process, connected to each other. The server has the world that
/// the game simulates, and the client has its player's view of that world. `follow` replaces the
/// build of server and client by a newer build in the folder. Only one thread at a time may use
/// this object.
///
///     while (window.is_open()) {
///       preview.client().set_command(...);
///       preview.run_frame();
///       if (auto followed = preview.follow(); followed && followed.value()) ...
///     }
class GamePreview {
 public:
  /// `folder` is the output of `muster build` for both targets. Fails if a build, the server or the
  /// client cannot be opened, with the code of that failure.
  static Result<std::unique_ptr<GamePreview>> open(const Game& game, std::string_view folder,
                                                   Edges& edges,
                                                   const PreviewOptions& options = {});
  ~GamePreview();

  GameServer& server();
  GameClient& client();
  const GameClient& client() const;
  const Build& build() const;  ///< The client's open build.
  /// Runs a frame of the server and a frame of the client.
  void frame(Time now);
  void run_frame();  ///< `frame(edges.now())`.
  /// Returns true if the client plays and no requested asset is still being loaded.
  bool is_ready() const;
  /// The components of an entity of the client's world as YAML, with units. Each line is indented
  /// by `indent` spaces.
  std::string text(EntityId entity, std::size_t indent = 0) const;

  /// Replaces the open build of server and client by the build that is in the folder now. Returns
  /// nothing if that build is already open, or if the build's files are being replaced. While
  /// `muster watch` runs, a call reads the disk only after the watch has built. The summary counts
  /// the entities of the client. Fails if the server or the client cannot reload, with the code of
  /// that failure. After a failure, the next call tries again.
  Result<std::optional<ReloadSummary>> follow();

  /// Sets the function that gets the problems of server and client. By default, problems are
  /// written to the edges' log.
  void on_problem(std::function<void(const Problem&)> callback);

 private:
  struct Impl;
  explicit GamePreview(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster
