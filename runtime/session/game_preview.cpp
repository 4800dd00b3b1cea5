// A simulated network without delay connects server and client. The network's time follows the
// caller's time.
#include "runtime/session/game_preview.h"

#include <algorithm>
#include <utility>

#include "registry/components/component_text.h"
#include "runtime/assets/build_notices.h"
#include "runtime/session/build_content.h"
#include "runtime/session/session_access.h"
#include "runtime/spawn/hot_reload.h"
#include "runtime/spawn/prefab_link.h"

namespace muster {
namespace {

constexpr std::string_view kServerAddress = "server:7000";

}  // namespace

struct GamePreview::Impl {
  Impl(Edges& given, const Game& its_game, std::string_view its_folder)
      : outer(given), game(its_game), folder(its_folder), notices(folder) {}
  void report(const Problem& problem) {
    if (on_problem) {
      on_problem(problem);
    } else {
      outer.log(LogLevel::warning, to_line(problem));
    }
  }

  Edges& outer;
  Game game;
  std::string folder;
  SimulatedEdges edges{1};
  std::unique_ptr<GameServer> server;
  std::unique_ptr<GameClient> client;
  std::optional<Build> build;  ///< The client's build.
  BuildNotices notices;
  bool must_check = true;  ///< The last attempt to follow a build has failed.
  std::optional<Time> last;
  std::function<void(const Problem&)> on_problem;
};

GamePreview::GamePreview(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GamePreview::~GamePreview() = default;

Result<std::unique_ptr<GamePreview>> GamePreview::open(const Game& game, std::string_view folder,
                                                       Edges& edges,
                                                       const PreviewOptions& options) {
  auto impl = std::make_unique<Impl>(edges, game, folder);
  auto server =
      GameServer::open(Build::open(folder, Target::server, game), impl->edges.host("server"),
                       {.listen = std::string(kServerAddress),
                        .key_file = {},
                        .level = options.level,
                        .may_reload = true});
  if (!server) return fail(server.error());
  impl->server = std::move(server.value());
  const auto build = Build::open(folder, Target::client, game);
  if (!build) return fail(build.error());
  impl->build = build.value();
  auto client = GameClient::connect(build, impl->edges.host("client"),
                                    {.server = std::string(kServerAddress),
                                     .key = impl->server->public_key(),
                                     .placeholder = options.placeholder,
                                     .may_reload = true});
  if (!client) return fail(client.error());
  impl->client = std::move(client.value());
  Impl& members = *impl;
  const auto report = [&members](const Problem& problem) { members.report(problem); };
  impl->server->on_problem(report);
  impl->client->on_problem(report);
  return std::unique_ptr<GamePreview>(new GamePreview(std::move(impl)));
}

GameServer& GamePreview::server() { return *impl_->server; }
GameClient& GamePreview::client() { return *impl_->client; }
const GameClient& GamePreview::client() const { return *impl_->client; }
const Build& GamePreview::build() const { return *impl_->build; }

void GamePreview::frame(Time now) {
  impl_->edges.advance(impl_->last ? std::max(now - *impl_->last, Duration()) : Duration());
  impl_->last = now;
  impl_->server->frame(impl_->edges.now());
  // Delivers the server's packets in the same frame.
  impl_->edges.advance({});
  impl_->client->frame(impl_->edges.now());
}
void GamePreview::run_frame() { frame(impl_->outer.now()); }

bool GamePreview::is_ready() const {
  const GameClient& client = *impl_->client;
  return client.state() == GameClientState::playing &&
         SessionAccess::members(*impl_->client).loading.empty();
}

std::string GamePreview::text(EntityId entity, std::size_t indent) const {
  const World& world = impl_->client->world();
  const std::string link = description_of<PrefabLink>().name;
  std::string text;
  for (std::uint32_t i = 0; i < world.component_type_count(); ++i) {
    const ComponentId id(i);
    const ComponentDescription& component = world.storage(id).description();
    if (component.name == link || !world.has(id, entity)) continue;
    text += std::string(indent, ' ') + component.name + ":\n" +
            component_text(component, world.bytes(id, entity),
                           {.indent = indent + 2, .with_units = true});
  }
  return text;
}

Result<std::optional<ReloadSummary>> GamePreview::follow() {
  std::optional<ReloadSummary> summary;
  const bool is_noticed = impl_->notices.poll(impl_->outer.now()) != BuildNotices::Notice::none;
  if (!is_noticed && !impl_->must_check) return summary;
  impl_->must_check = true;
  const BuildContent& open = *SessionAccess::members(*impl_->client).content;
  const Result<bool> is_another = is_another_build(open.source(), open.catalog());
  if (!is_another && is_another.error().code == ErrorCode::not_found) return summary;
  if (!is_another) return fail(is_another.error());
  if (!is_another.value()) {
    impl_->must_check = false;
    return summary;
  }
  const auto server = Build::open(impl_->folder, Target::server, impl_->game);
  const auto client = Build::open(impl_->folder, Target::client, impl_->game);
  if (!server) return fail(server.error());
  if (!client) return fail(client.error());
  const Result<ReloadSummary> at_server = impl_->server->reload(server.value());
  if (!at_server) return fail(at_server.error());
  Result<ReloadSummary> at_client = impl_->client->reload(client.value());
  if (!at_client) return fail(at_client.error());
  impl_->build = client.value();
  impl_->must_check = false;
  summary = std::move(at_client.value());
  return summary;
}

void GamePreview::on_problem(std::function<void(const Problem&)> callback) {
  impl_->on_problem = std::move(callback);
}

}  // namespace muster
