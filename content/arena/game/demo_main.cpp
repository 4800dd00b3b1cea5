// Loads a build of the arena, and spawns one entity of every type id, as a server and as a client.
//
//     arena_demo build/demo [--format text|json] [--variant quality=low]
//
// Exit codes: 0 success, 1 an asset failed to load, 2 wrong usage or unreadable build.
#include <muster/build.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "content/arena/game/rules.h"
#include "content/arena/game/tour_report.h"

namespace {

int complain(std::string_view message) {
  std::fprintf(stderr, "arena_demo: %.*s\n", static_cast<int>(message.size()), message.data());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder;
  std::string_view format = "text";
  muster::BuildOpenOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--format" && i + 1 < argc) {
      format = argv[++i];
    } else if (argument == "--variant" && i + 1 < argc) {
      const std::string_view chosen = argv[++i];
      const std::size_t at = chosen.find('=');
      options.variants.emplace_back(chosen.substr(0, at),
                                    at == chosen.npos ? "" : chosen.substr(at + 1));
    } else if (folder.empty() && !argument.starts_with("-")) {
      folder = argument;
    } else {
      folder.clear();
      break;
    }
  }
  if (folder.empty() || (format != "text" && format != "json")) {
    return complain(
        "usage: arena_demo BUILD [--format text|json] [--variant AXIS=VALUE]; 'muster build' "
        "writes BUILD");
  }
  const muster::Game game = arena::make_game();
  const auto client = muster::Build::open(folder, muster::Target::client, game, options);
  if (!client) return complain(client.error().message);
  const auto server = muster::Build::open(folder, muster::Target::server, game, options);
  if (!server) return complain(server.error().message);
  if (!client.value().agrees_with(server.value())) {
    return complain("the client and server of '" + folder +
                    "' cannot play together: their type ids or components differ; build both");
  }
  const muster::SteadyClock clock;
  muster::TourReport report;
  muster::tour(client.value(), clock, report);
  muster::tour(server.value(), clock, report);
  const std::string text = format == "json" ? arena::tour_json(report) : arena::tour_table(report);
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return !is_written || report.failures() > 0 ? 1 : 0;
}
