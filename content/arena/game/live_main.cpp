// Plays a build with one entity of every replicated type, and reloads each new build that `muster
// watch` publishes.
//
//     arena_live build/live [--reloads N]
//
// Ends after N new builds, or with Ctrl-C. Exit codes: 0 success, 2 wrong usage or unreadable
// build.
#include <muster/preview.h>
#include <muster/world.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>

#include "content/arena/game/rules.h"

namespace {

int complain(const std::string& message) {
  std::fprintf(stderr, "arena_live: %s\n", message.c_str());
  return 2;
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

/// Returns the components of the first entity of a prefab, with their values.
std::string values_of(const muster::GamePreview& preview, std::string_view path) {
  const muster::GameClient& client = preview.client();
  muster::EntityId found;
  client.world().each_entity([&](muster::EntityId entity) {
    if (found.is_null() && client.asset_path(entity) == path) found = entity;
  });
  return found.is_null() ? std::string() : preview.text(found, 4);
}

std::string text_of(const muster::ReloadSummary& summary, const muster::GamePreview& preview) {
  std::string text = std::to_string(summary.unchanged) + " unchanged, " +
                     std::to_string(summary.updated) + " updated, " +
                     std::to_string(summary.rebuilt) + " rebuilt, " +
                     std::to_string(summary.failed) + " failed\n";
  for (const muster::Error& error : summary.errors) text += "  " + error.message + "\n";
  for (const muster::Guid& asset : summary.changed) {
    const std::string_view path = preview.build().path(asset);
    text += "  " + (path.empty() ? asset.to_string() : std::string(path)) + "\n";
    if (!path.empty()) text += values_of(preview, path);
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
  muster::SystemEdges edges;
  auto opened = muster::GamePreview::open(arena::make_game(), argv[1], edges);
  if (!opened) return complain(opened.error().message);
  muster::GamePreview& preview = *opened.value();
  preview.on_problem([](const muster::Problem& problem) { complain(problem.text); });
  for (const muster::TypeId type : preview.build().types()) preview.server().spawn(type);
  while (!preview.is_ready()) {
    preview.run_frame();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  print("live: " + std::to_string(preview.client().world().entity_count()) + " entities\n");
  std::string last_error;
  while (reloads != 0) {
    preview.run_frame();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const auto followed = preview.follow();
    if (!followed && followed.error().message != last_error) {
      last_error = followed.error().message;
      complain(last_error);
    }
    if (!followed || !followed.value()) continue;
    last_error.clear();
    print("new build: " + text_of(*followed.value(), preview));
    --reloads;
  }
  return 0;
}
