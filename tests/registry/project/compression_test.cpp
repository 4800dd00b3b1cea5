#include "registry/project/compression.h"

#include <catch2/catch.hpp>

#include "tests/support/config_text.h"

namespace muster {
namespace {

using testing::config_with;

TEST_CASE("Compression has a default level and levels per kind", "[registry][compression]") {
  const auto config = config_with(
      "compression:\n  default: 9\n  kinds: {object: 19, PNG: store, import_settings: 1}\n");
  REQUIRE(config.has_value());
  const CompressionRules rules = config.value().compression;
  CHECK(rules.level == 9);
  CHECK(rules.kinds.size() == 3);
  CHECK(rules.kinds.at("png") == 0);
  CHECK(rules.kinds.at("object") == 19);
  CHECK(rules.text() == "import_settings: 1, object: 19, png: store");
  for (const std::string text : {"", "compression:\n", "compression: {}\n"}) {
    const CompressionRules none = config_with(text).value().compression;
    CHECK_FALSE(none.level.has_value());
    CHECK(none.text().empty());
  }
}

TEST_CASE("An invalid compression setting is refused with its line", "[registry][compression]") {
  const auto [text, location] = GENERATE(table<std::string, std::string>({
      {"compression: 9\n", "muster.yaml:2:14"},
      {"compression: [9]\n", "muster.yaml:2:14"},
      {"compression: {level: 9}\n", "muster.yaml:2:"},
      {"compression:\n  default: 20\n", "muster.yaml:3:12"},
      {"compression:\n  default: 0\n", "muster.yaml:3:12"},
      {"compression:\n  default: store\n", "muster.yaml:3:12"},
      {"compression:\n  default: fast\n", "muster.yaml:3:12"},
      {"compression:\n  kinds: [png]\n", "muster.yaml:3:"},
      {"compression:\n  kinds:\n    png: best\n", "muster.yaml:4:10"},
      {"compression:\n  kinds:\n    .png: store\n", "muster.yaml:4:5"},
      {"compression:\n  kinds:\n    png: 3\n    PNG: 4\n", "muster.yaml:5:5"},
  }));
  CAPTURE(text);
  const auto config = config_with(text);
  REQUIRE_FALSE(config.has_value());
  CHECK(config.error().code == ErrorCode::malformed);
  CAPTURE(config.error().message);
  CHECK(config.error().message.starts_with(location));
}

}  // namespace
}  // namespace muster
