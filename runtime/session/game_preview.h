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
  /// The client's open build. `follow` replaces the build, so copy it to keep texts of
  /// `Build::path`.
  const Build& build() const;
  /// Runs a frame of the server and a frame of the client.
  void frame(Time now);
  void run_frame();  ///< `frame(edges.now())`.
  /// Returns true if the client plays and no requested asset is still being loaded.
  bool is_ready() const;
  /// The components of an entity of the client's world as YAML, with units. Each line is indented
  /// by `indent` spaces.
  std::string text(EntityId entity, std::size_t indent = 0) const;

  /// Moves server and client to the build that is in the folder now. Returns nothing if both have
  /// this build already, or if the build's files are being replaced. The summary counts the
  /// entities of the client, or of the server if only the server's part has changed.
  ///
  /// Without a `muster watch`, each call reads both catalogs, so call this function a few times per
  /// second. While a watch runs, a call reads the catalogs only after a build, once per second
  /// after a failure, and every five seconds.
  ///
  /// Fails as `Build::open`, `GameServer::reload` and `GameClient::reload` do, with the code of a
  /// catalog that cannot be read, and with `invalid_argument` if the client's and the server's part
  /// of the build have not agreed for a second. If only one side fails, the other side keeps its
  /// new build. A later call tries again.
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
