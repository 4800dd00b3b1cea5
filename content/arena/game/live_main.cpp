// Plays a build with one entity of every replicated type, and reloads each new build that `muster
// watch` publishes.
//
//     arena_live build/live [--reloads N]
//
// Ends after N new builds, or with Ctrl-C. Exit codes: 0 success, 2 wrong usage or unreadable
// build.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>

#include "content/arena/game/rules.h"
#include "registry/base/mapping_guard.h"
#include "registry/components/component_text.h"
#include "runtime/assets/build_notices.h"
#include "runtime/session/build_content.h"
#include "runtime/session/game_preview.h"
#include "runtime/world/world.h"

namespace {

int complain(const std::string& message) {
  std::fprintf(stderr, "arena_live: %s\n", message.c_str());
  return 2;
}

void say(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void spawn_all(muster::GameServer& server, const muster::BuildContent& content) {
  const muster::CatalogRegistry registry = content.catalog().registry(content.registry());
  for (std::uint32_t i = 0; i < registry.entry_count; ++i) {
    server.spawn(content.catalog().entry(registry.first_entry + i).type_id);
  }
}

/// Returns the components of the first entity of a prefab, with their values.
std::string values_of(const muster::GameClient& client, std::string_view path) {
  muster::EntityId found;
  client.world().each_entity([&](muster::EntityId entity) {
    if (found.is_null() && client.asset_path(entity) == path) found = entity;
  });
  std::string text;
  for (std::uint32_t i = 0; i < client.world().component_type_count() && !found.is_null(); ++i) {
    const muster::ComponentId id(i);
    const muster::ComponentDescription& component = client.world().storage(id).description();
    if (component.name == "PrefabLink" || !client.world().has(id, found)) continue;
    text += "    " + component.name + ":\n" +
            muster::component_text(component, client.world().bytes(id, found),
                                   {.indent = 6, .with_units = true});
  }
  return text;
}

std::string text_of(const muster::ReloadSummary& summary, const muster::GameClient& client,
                    const muster::CatalogReader& catalog) {
  std::string text = std::to_string(summary.unchanged) + " unchanged, " +
                     std::to_string(summary.updated) + " updated, " +
                     std::to_string(summary.rebuilt) + " rebuilt, " +
                     std::to_string(summary.failed) + " failed\n";
  for (const muster::Error& error : summary.errors) text += "  " + error.message + "\n";
  for (const muster::Guid& asset : summary.changed) {
    const auto record = catalog.find_asset(asset);
    text += "  " + (record ? std::string(record->path) : asset.to_string()) + "\n";
    if (record) text += values_of(client, record->path);
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  int reloads = -1;
  const bool is_bounded = argc == 4 && std::string_view(argv[2]) == "--reloads";
  if (is_bounded) std::from_chars(argv[3], argv[3] + std::string_view(argv[3]).size(), reloads);
  if ((argc != 2 && !is_bounded) || (is_bounded && reloads < 0)) {
    return complain("usage: arena_live BUILD [--reloads N]; 'muster watch' writes BUILD");
  }
  const muster::MappingGuard mapping_guard;
  muster::SystemEdges edges;
  const auto build = muster::Build::open(argv[1], muster::Target::client, arena::make_game());
  if (!build) return complain(build.error().message);
  auto opened = muster::GamePreview::open(arena::make_game(), argv[1], edges);
  if (!opened) return complain(opened.error().message);
  muster::GamePreview& preview = *opened.value();
  preview.on_problem([](const muster::Problem& problem) { complain(problem.text); });
  spawn_all(preview.server(), build.value().content());
  while (!preview.is_ready()) {
    preview.run_frame();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  say("live: " + std::to_string(preview.client().world().entity_count()) + " entities\n");
  muster::BuildNotices notices{argv[1]};
  while (reloads != 0) {
    preview.run_frame();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (notices.poll(edges.now()) == muster::BuildNotices::Notice::none) continue;
    const auto followed = preview.follow();
    if (!followed) complain(followed.error().message);
    if (!followed || !followed.value()) continue;
    const auto newer = muster::Build::open(argv[1], muster::Target::client, arena::make_game());
    if (!newer) continue;
    say("new build: " +
        text_of(*followed.value(), preview.client(), newer.value().content().catalog()));
    --reloads;
  }
  return 0;
}
