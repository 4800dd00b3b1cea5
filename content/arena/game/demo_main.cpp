// Loads a build of the arena, and spawns one entity of every type id, as a server and as a client.
//
//     arena_demo build/demo [--format text|json] [--variant quality=low]
//
// Exit codes: 0 success, 1 an asset failed to load, 2 wrong usage or unreadable build.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "content/arena/game/tour.h"
#include "content/arena/game/tour_report.h"
#include "registry/base/mapping_guard.h"
#include "runtime/assets/disk_source.h"

namespace {

int complain(std::string_view message) {
  std::fprintf(stderr, "arena_demo: %.*s\n", static_cast<int>(message.size()), message.data());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder;
  std::string_view format = "text";
  std::vector<muster::VariantSetting> variants;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--format" && i + 1 < argc) {
      format = argv[++i];
    } else if (argument == "--variant" && i + 1 < argc) {
      const std::string_view wish = argv[++i];
      const std::size_t at = wish.find('=');
      variants.push_back({wish.substr(0, at), at == wish.npos ? "" : wish.substr(at + 1)});
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
  const muster::MappingGuard mapping_guard;
  const muster::MappedSource client_source(folder + "/client");
  const muster::MappedSource server_source(folder + "/server");
  auto client = muster::BundleStore::open(client_source, {}, nullptr, variants);
  if (!client) return complain(client.error().message);
  auto server = muster::BundleStore::open(server_source, {}, nullptr, variants);
  if (!server) return complain(server.error().message);
  if (client.value().catalog().agreement() != server.value().catalog().agreement()) {
    return complain("the client and server of '" + folder +
                    "' cannot play together: their type ids or components differ; build both");
  }
  const muster::SteadyClock clock;
  arena::TourReport report;
  arena::tour(client.value(), clock, report);
  arena::tour(server.value(), clock, report);
  const std::string text = format == "json" ? tour_json(report) : tour_table(report);
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return !is_written || report.failures() > 0 ? 1 : 0;
}
