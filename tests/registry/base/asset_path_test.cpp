#include "registry/base/asset_path.h"

#include <string>

#include <catch2/catch.hpp>

using namespace muster;

namespace {

AssetPath path_of(std::string_view text) { return AssetPath::parse(text).value(); }

}  // namespace

TEST_CASE("A path has exactly one spelling", "[registry][asset_path]") {
  const auto [text, expected] =
      GENERATE(table<std::string, std::string>({{"a/b.prefab", "a/b.prefab"},
                                                {"a//b", "a/b"},
                                                {"./a/./b/", "a/b"},
                                                {"a/x/../b", "a/b"},
                                                {"a/..", ""},
                                                {"", ""},
                                                {".", ""},
                                                {"a b/\xC3\xA9", "a b/\xC3\xA9"},
                                                {"..a/b..", "..a/b.."}}));
  CAPTURE(text);
  const auto path = AssetPath::parse(text);
  REQUIRE(path.has_value());
  CHECK(path.value().text() == expected);
  CHECK(AssetPath::parse(path.value().text()).value() == path.value());
}

TEST_CASE("A path cannot leave the project", "[registry][asset_path]") {
  const auto text = GENERATE(as<std::string>(), "/etc/passwd", "..", "../a", "a/../../b", "a\\b",
                             std::string("a\0b", 3), "/");
  CAPTURE(text);
  const auto path = AssetPath::parse(text);
  REQUIRE_FALSE(path.has_value());
  CHECK(path.error().code == ErrorCode::invalid_argument);
}

TEST_CASE("A path is split into parent, name, stem and extension", "[registry][asset_path]") {
  const auto [text, parent, name, stem, extension] =
      GENERATE(table<std::string, std::string, std::string, std::string, std::string>(
          {{"a/b/c.prefab.meta", "a/b", "c.prefab.meta", "c.prefab", "meta"},
           {"c", "", "c", "c", ""},
           {"a.d/c", "a.d", "c", "c", ""},
           {"a/.hidden", "a", ".hidden", "", "hidden"},
           {"", "", "", "", ""}}));
  const AssetPath path = path_of(text);
  CAPTURE(text);
  CHECK(path.parent().text() == parent);
  CHECK(path.name() == name);
  CHECK(path.stem() == stem);
  CHECK(path.extension() == extension);
}

TEST_CASE("A path is inside its folders, and not inside folders with a longer name",
          "[registry][asset_path]") {
  CHECK(path_of("a/b").is_within(path_of("a")));
  CHECK(path_of("a/b").is_within(path_of("a/b")));
  CHECK(path_of("a/b").is_within(AssetPath()));
  CHECK_FALSE(path_of("ab/c").is_within(path_of("a")));
  CHECK_FALSE(path_of("a").is_within(path_of("a/b")));
  CHECK(AssetPath().child("a").child("b") == path_of("a/b"));
}

TEST_CASE("Extensions are compared without regard to ASCII case", "[registry][asset_path]") {
  CHECK(lower_ascii("FbX") == "fbx");
  CHECK(lower_ascii("\xC3\x84@[z0") == "\xC3\x84@[z0");
}
