// The server of the first game: `server BUILD`.
#include <muster/server.h>

#include <cstdio>

#include "game.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::puts("usage: server BUILD"), 2;
  const muster::StopSignal stop;
  muster::SystemEdges edges;
  auto opened = muster::GameServer::open(
      muster::Build::open(argv[1], muster::Target::server, kGame), edges, {.listen = "[::]:7000"});
  if (!opened) return muster::complain(opened.error());
  muster::GameServer& server = *opened.value();
  for (int i = 0; i < 20; ++i) {
    const float along = static_cast<float>(2 * i);
    server.spawn("coin", {}, muster::Transform{.position = {along, 0, 5}});
  }
  server.on_join([&](muster::PlayerId player) { server.spawn("robot", {.owner = player}); });
  std::printf("%s %s\n", server.address().c_str(), server.public_key().c_str());
  std::fflush(stdout);
  return server.run(stop);
}
