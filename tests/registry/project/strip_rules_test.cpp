#include "registry/project/strip_rules.h"

#include <catch2/catch.hpp>

#include "registry/project/asset_kinds.h"
#include "tests/support/config_text.h"

namespace muster {
namespace {

using testing::config_with;

StripRules rules_for(Target target, const std::string& strip) {
  const auto config = config_with(strip);
  REQUIRE(config.has_value());
  return config.value().strip[target_index(target)];
}

TEST_CASE("Kinds are recognised by extensions and by classes", "[registry][strip]") {
  CHECK(kind_of("Assets/a.b/Rock.PNG") == "texture");
  CHECK(kind_of("rock.physicMaterial") == "physics");
  CHECK(kind_of("rock.mat") == "material");
  CHECK(kind_of("a.prefab") == "prefab");
  CHECK(kind_of("a.3ds") == "mesh");
  CHECK(kind_of("a.png jpg") == "other");
  CHECK(kind_of("") == "other");
  CHECK(kind_of("clip.webm") == "video");
  CHECK(kind_of("rock") == "other");
  CHECK(kind_of("rock. png") == "other");
  CHECK(kind_of("rock.") == "other");
  CHECK(kind_of_class("Material") == "material");
  CHECK(kind_of_class("Mesh") == "mesh");
  CHECK(kind_of_class("Mesh Texture2D").empty());
  CHECK(kind_of_class("").empty());
  CHECK(find_asset_kind("texture") != nullptr);
  CHECK(find_asset_kind("other") == nullptr);
}

TEST_CASE(
    "A server is stripped of presentation and a client of nothing, unless a project decides "
    "otherwise",
    "[registry][strip][sys-14]") {
  for (const std::string text :
       {"", "strip:\n", "strip: {}\n", "strip: {server: {}}\n", "strip:\n  server:\n  client:\n"}) {
    CAPTURE(text);
    const StripRules server = rules_for(Target::server, text);
    for (const char* kind : {"texture", "audio", "video", "font", "shader", "material"}) {
      CHECK(server.strips_kind(kind));
    }
    for (const char* kind : {"mesh", "animation", "physics", "prefab", "data", "level", ""}) {
      CHECK_FALSE(server.strips_kind(kind));
    }
    for (const char* name : {"MeshRenderer", "ParticleSystem", "AudioSource", "Light", "Camera"}) {
      CHECK(server.strips_class(name, ClassOwner::engine));
    }
    for (const char* name : {"Transform", "BoxCollider", "Animator", "Terrain", "Rigidbody", ""}) {
      CHECK_FALSE(server.strips_class(name, ClassOwner::engine));
    }
    CHECK(rules_for(Target::client, text).empty());
  }
}

TEST_CASE("Rules can be added, removed and disabled", "[registry][strip]") {
  const std::string text =
      "strip:\n  server:\n    kinds: [mesh, .Bank]\n    components: [Decal]\n"
      "    keep: [font, Light, \"Assets/Maps/**\", \"*.hdr\"]\n"
      "  client: {kinds: [.psb]}\n";
  const StripRules server = rules_for(Target::server, text);
  CHECK(server.strips_kind("mesh"));
  CHECK(server.strips_kind(".bank"));
  CHECK(server.strips_kind("texture"));
  CHECK_FALSE(server.strips_kind("font"));
  CHECK(server.strips_class("Decal", ClassOwner::engine));
  CHECK_FALSE(server.strips_class("Light", ClassOwner::engine));
  CHECK(server.keeps_path("Assets/Maps/a/b.png"));
  CHECK_FALSE(server.keeps_path("Assets/Other/b.png"));
  CHECK(server.keeps_path("sky.hdr"));
  REQUIRE(server.kept_paths().size() == 2);
  CHECK(server.kept_paths()[1].pattern == "*.hdr");
  CHECK(server.kept_paths()[1].position.line == 6);
  const StripRules client = rules_for(Target::client, text);
  CHECK(client.kinds().size() == 1);
  CHECK(client.components().empty());
  const StripRules off = rules_for(Target::server, "strip: {server: {defaults: false}}\n");
  CHECK(off.empty());
  const StripRules own =
      rules_for(Target::server, "strip: {server: {defaults: false, kinds: [audio]}}\n");
  CHECK(own.kinds().size() == 1);
  CHECK_FALSE(own.has_classes());
  const StripRules kept =
      rules_for(Target::server, "strip: {server: {kinds: [.Bank, .fsb], keep: [.BANK]}}\n");
  CHECK_FALSE(kept.strips_kind(".bank"));
  CHECK(kept.strips_kind(".fsb"));
}

TEST_CASE("Default rules apply to the engine's classes, project rules to any class",
          "[registry][strip]") {
  const auto strips = [](const std::string& text, std::string_view name) {
    const StripRules rules = rules_for(Target::server, text);
    return std::pair(rules.strips_class(name, ClassOwner::engine),
                     rules.strips_class(name, ClassOwner::project));
  };
  CHECK(strips("", "Light") == std::pair(true, false));
  CHECK(strips("strip: {server: {components: [Light]}}\n", "Light") == std::pair(true, true));
  CHECK(strips("strip: {server: {components: [Light]}}\n", "Camera") == std::pair(true, false));
  CHECK(strips("strip: {server: {components: [Light], keep: [Light]}}\n", "Light") ==
        std::pair(false, false));
}

TEST_CASE("An invalid rule is refused with its line", "[registry][strip]") {
  const auto [text, location, expected] = GENERATE(table<std::string, std::string, std::string>({
      {"strip: [server]\n", "muster.yaml:2:8", "must be a mapping"},
      {"strip: {phone: {}}\n", "muster.yaml:2:16", "unknown key 'phone'"},
      {"strip: {server: [audio]}\n", "muster.yaml:2:17", "must be a mapping"},
      {"strip: {server: {drop: [audio]}}\n", "muster.yaml:2:24", "unknown key 'drop'"},
      {"strip: {server: {defaults: no}}\n", "muster.yaml:2:28", "true or false"},
      {"strip: {server: {kinds: audio}}\n", "muster.yaml:2:25", "must be a list"},
      {"strip: {server: {kinds: [sound]}}\n", "muster.yaml:2:26", "texture, mesh, audio"},
      {"strip: {server: {kinds: [png]}}\n", "muster.yaml:2:26", "are '.png'"},
      {"strip: {server: {kinds: [a/b]}}\n", "muster.yaml:2:26", "or an extension"},
      {"strip: {server: {kinds: [.]}}\n", "muster.yaml:2:26", "or an extension"},
      {"strip: {server: {kinds: [\"\"]}}\n", "muster.yaml:2:26", "item is empty"},
      {"strip: {server: {kinds: [prefab]}}\n", "muster.yaml:2:26", "cannot be stripped"},
      {"strip: {server: {components: [Transform]}}\n", "muster.yaml:2:31", "no prefab"},
      {"strip: {server: {components: [A.B]}}\n", "muster.yaml:2:31", "not the name of a class"},
      {"strip: {server: {keep: [mesh]}}\n", "muster.yaml:2:25", "kept anyway"},
      {"strip: {client: {keep: [font]}}\n", "muster.yaml:2:25", "kept anyway"},
      {"strip: {server: {keep: [.png]}}\n", "muster.yaml:2:25", "'texture', or files by their"},
      {"strip: {server: {keep: [.PNG]}}\n", "muster.yaml:2:25", "\"**.png\" are all"},
      {"strip: {server: {keep: [png]}}\n", "muster.yaml:2:25", "neither a kind nor a class"},
      {"strip: {server: {kinds: [.png], keep: [.png]}}\n", "muster.yaml:2:40", "'texture', or"},
      {"strip: {server: {kinds: [.bank], keep: [bank]}}\n", "muster.yaml:2:41", "'.bank', or"},
      {"strip: {server: {keep: [.fbx]}}\n", "muster.yaml:2:25", "kept anyway"},
      {"strip: {server: {keep: [texture, .png]}}\n", "muster.yaml:2:34", "kept anyway"},
      {"strip: {server: {keep: [\"*/*/*/*/*/*/*/*/*\"]}}\n", "muster.yaml:2:25", "8 stars"},
  }));
  CAPTURE(text);
  const auto config = config_with(text);
  REQUIRE_FALSE(config.has_value());
  CHECK(config.error().code == ErrorCode::malformed);
  CHECK_THAT(config.error().message, Catch::StartsWith(location));
  CHECK_THAT(config.error().message, Catch::Contains(expected));
}

}  // namespace
}  // namespace muster
