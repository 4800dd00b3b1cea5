// Writes the components of the first game for `muster build`: `components components.json`.
#include <muster/build.h>

#include "game.h"

int main(int argc, char** argv) {
  if (argc != 2) return std::puts("usage: components FILE"), 2;
  const auto written = muster::export_components(kGame, argv[1]);
  return written ? 0 : muster::complain(written.error());
}
