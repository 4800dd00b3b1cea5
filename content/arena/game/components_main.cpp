// Prints the arena's components.json, so that the bundler can cook components without the game's
// code:
//
//     arena_components > content/arena/components.json
#include <cstdio>
#include <string>

#include "content/arena/game/components.h"

int main() {
  const std::string text = muster::components_to_json(arena::arena_components());
  const std::size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  return written == text.size() && std::fflush(stdout) == 0 ? 0 : 2;
}
