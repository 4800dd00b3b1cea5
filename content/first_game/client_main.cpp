// A client of the first game, which draws in a terminal: `client BUILD SERVER KEY`.
#include <muster/client.h>

#include "game.h"
#include "window.h"

int main(int argc, char** argv) {
  if (argc != 4) return std::puts("usage: client BUILD SERVER KEY"), 2;
  muster::SystemEdges edges;
  auto opened =
      muster::GameClient::connect(muster::Build::open(argv[1], muster::Target::client, kGame),
                                  edges, {.server = argv[2], .key = argv[3]});
  if (!opened) return muster::complain(opened.error());
  muster::GameClient& client = *opened.value();
  Window window;
  while (window.is_open() && !client.is_over()) {
    client.set_command(Move{.x = window.stick_x(), .z = window.stick_z()});
    client.run_frame();
    client.each<const muster::Transform>([&](muster::EntityId id, const muster::Transform& at) {
      window.draw(client.asset_path(id), at.position);  // interpolated between two snapshots
    });
    window.show(client.state_text());
  }
  return client.end().is_good ? 0 : muster::complain({client.end().code, client.end().text});
}
