// Plays a client's build and follows each new one, as `muster watch` publishes them.
//
//     arena_live build/live [--reloads N]
//
// Ends after N new builds, else with Ctrl-C. Exit codes: 0 as told, 2 usage or unreadable build.
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "content/arena/game/live_game.h"
#include "registry/base/mapping_guard.h"
#include "runtime/assets/build_notices.h"
#include "runtime/assets/disk_source.h"

namespace {

int complain(std::string_view message) {
  std::fprintf(stderr, "arena_live: %.*s\n", static_cast<int>(message.size()), message.data());
  return 2;
}

void complain_of(const std::vector<muster::Error>& problems) {
  for (const muster::Error& problem : problems) complain(problem.message);
}

void say(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int reloads = -1;
  const bool is_bounded = argc == 4 && std::string_view(argv[2]) == "--reloads";
  if (is_bounded) std::from_chars(argv[3], argv[3] + std::string_view(argv[3]).size(), reloads);
  if ((argc != 2 && !is_bounded) || (is_bounded && reloads < 0)) {
    return complain("usage: arena_live BUILD [--reloads N]; 'muster watch' writes BUILD");
  }
  const std::string folder = std::string(argv[1]) + "/client";
  const muster::MappingGuard mapping_guard;
  using Source = muster::Result<std::unique_ptr<muster::BundleSource>>;
  auto game = arena::LiveGame::open([&](const auto& memory) -> Source {
    auto opened = muster::open_disk_source(folder, muster::SourceKind::automatic, memory);
    if (!opened) return muster::fail(opened.error());
    return std::move(opened.value().source);
  });
  if (!game) return complain(game.error().message);
  const muster::SteadyClock clock;
  while (game.value()->is_loading()) game.value()->frame(clock.now());
  complain_of(game.value()->take_problems());
  say("live: " + std::to_string(game.value()->entity_count()) + " entities\n");
  muster::BuildNotices notices{argv[1]};
  while (reloads != 0) {
    game.value()->frame(clock.now());
    complain_of(game.value()->take_problems());
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (notices.poll(clock.now()) == muster::BuildNotices::News::none) continue;
    const auto followed = game.value()->follow();
    if (!followed) complain(followed.error().message);
    if (followed && followed.value()) {
      say("new build: " + game.value()->text_of(*followed.value()));
      --reloads;
    }
  }
  return 0;
}
