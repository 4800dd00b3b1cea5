// A simulated network without delay connects server and client. The network's time follows the
// caller's time.
#include "runtime/session/game_preview.h"

#include <algorithm>
#include <utility>

#include "registry/components/component_text.h"
#include "runtime/assets/build_notices.h"
#include "runtime/session/build_content.h"
#include "runtime/session/session_access.h"
#include "runtime/spawn/prefab_instances.h"
#include "runtime/spawn/prefab_link.h"

namespace muster {
namespace {

constexpr std::string_view kServerAddress = "server:7000";

}  // namespace

struct GamePreview::Impl {
  Impl(Edges& given, const Game& its_game, std::string_view its_folder)
      : outer(given), game(its_game), folder(its_folder), notices(folder) {}
  Result<std::optional<ReloadSummary>> follow(Time now);
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
  bool must_check = true;  ///< The folder may have a build that is not open.
  Time next_check = Time::min();
  std::optional<Time> differs_since;  ///< The time since which the parts do not agree.
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
  const Time now = impl_->outer.now();
  const bool is_due = impl_->must_check && now >= impl_->next_check;
  if (impl_->notices.poll(now) == BuildNotices::Notice::none && !is_due) {
    return std::optional<ReloadSummary>();
  }
  impl_->must_check = true;
  impl_->next_check = now + BuildNotices::kPause;
  return impl_->follow(now);
}

Result<std::optional<ReloadSummary>> GamePreview::Impl::follow(Time now) {
  std::optional<ReloadSummary> summary;
  const auto is_old = [](const BuildContent& content) {
    return is_another_build(content.source(), content.catalog());
  };
  const Result<bool> is_server_old = is_old(*SessionAccess::members(*server).content);
  const Result<bool> is_client_old = is_old(*SessionAccess::members(*client).content);
  for (const Result<bool>* one : {&is_server_old, &is_client_old}) {
    if (*one) continue;
    // While a build is being replaced, a catalog can be missing.
    if (one->error().code == ErrorCode::not_found) return summary;
    return fail(one->error());
  }
  if (!is_server_old.value() && !is_client_old.value()) {
    must_check = false;
    return summary;
  }
  const auto for_server = Build::open(folder, Target::server, game);
  const auto for_client = Build::open(folder, Target::client, game);
  for (const Result<Build>* one : {&for_server, &for_client}) {
    if (*one) continue;
    if (one->error().code == ErrorCode::not_found) return summary;
    return fail(one->error());
  }
  if (for_server.value().agrees_with(for_client.value())) {
    differs_since.reset();
  } else {
    // A bundler that publishes a build replaces one part after the other.
    if (!differs_since) differs_since = now;
    if (now - *differs_since < BuildNotices::kPause) return summary;
    return fail(ErrorCode::invalid_argument,
                "the client's and the server's part of '" + folder +
                    "' do not agree: their type ids or components differ; build both");
  }
  if (is_server_old.value()) {
    Result<ReloadSummary> reloaded = server->reload(for_server.value());
    if (!reloaded) return fail(reloaded.error());
    summary = std::move(reloaded.value());
  }
  if (is_client_old.value()) {
    Result<ReloadSummary> reloaded = client->reload(for_client.value());
    if (!reloaded) return fail(reloaded.error());
    build = for_client.value();
    summary = std::move(reloaded.value());
  }
  // The folder may have changed while the two parts were opened, so the next call checks again.
  next_check = Time::min();
  return summary;
}

void GamePreview::on_problem(std::function<void(const Problem&)> callback) {
  impl_->on_problem = std::move(callback);
}

}  // namespace muster
