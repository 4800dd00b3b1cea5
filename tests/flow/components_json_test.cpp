#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "content/arena/game/components.h"
#include "registry/base/disk_file_system.h"

using namespace muster;

namespace {

std::string committed_text() {
  const auto files = DiskFileSystem::open(MUSTER_SOURCE_DIR "/content/arena");
  REQUIRE(files.has_value());
  ByteVector buffer;
  const auto bytes =
      read_whole(files.value(), AssetPath::parse("components.json").value(), 1 << 20, buffer);
  REQUIRE(bytes.has_value());
  std::string text;
  for (const std::byte byte : bytes.value()) text.push_back(std::to_integer<char>(byte));
  return text;
}

}  // namespace

TEST_CASE("The committed components.json matches the game's export", "[flow][content]") {
  INFO("run: build/release/bin/arena_components > content/arena/components.json");
  CHECK(committed_text() == components_to_json(arena::arena_components()));
}

TEST_CASE("The arena's components are unchanged after a round trip through JSON",
          "[flow][content]") {
  const std::vector<ComponentDescription> components = arena::arena_components();
  const auto read = components_from_json(components_to_json(components));
  REQUIRE(read.has_value());
  REQUIRE(read.value().size() == components.size());
  for (std::size_t i = 0; i < components.size(); ++i) {
    CAPTURE(components[i].name);
    CHECK(read.value()[i].hash() == components[i].hash());
    CHECK(read.value()[i].default_value == components[i].default_value);
  }
}
