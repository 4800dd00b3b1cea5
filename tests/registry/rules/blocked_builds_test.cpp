// Tests which findings of `validate` block a build.
#include <algorithm>

#include <catch2/catch.hpp>

#include "registry/rules/validate.h"
#include "tests/support/prefab_text.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::PrefabText;
using testing::UnityProject;

// A project with one registered prefab that refers to this guid.
class Game {
 public:
  explicit Game(const std::string& reference) {
    const Guid holder = project.script("Holder");
    project.files.add("muster.yaml",
                      "version: 1\nclasses:\n  Things:\n    references:\n"
                      "    - {path: prefab, targets: [client, server], role: prefab}\n");
    const Guid prefab = project.file("Assets/P.prefab",
                                     PrefabText()
                                         .object(100, "Root", {400, 500})
                                         .transform(400, 100, 0)
                                         .behaviour(500, 100, holder, "  icon: " + reference + "\n")
                                         .text());
    project.asset("Assets/Things.asset", project.script("Things", "ScriptableObject"),
                  "  entries:\n  - prefab:\n      guid: " + prefab.to_string() + "\n");
  }

  std::vector<Finding> findings() const {
    const auto opened = Project::open(project.files, 1, {});
    REQUIRE(opened.has_value());
    return validate(*opened.value(), {});
  }
  Finding only(std::string_view rule) const {
    std::vector<Finding> found = findings();
    std::erase_if(found, [&](const Finding& finding) { return finding.rule != rule; });
    REQUIRE(found.size() == 1);
    return found.front();
  }

  UnityProject project;
};

const std::string kIcon = "5f0e1d2c3b4a59687786a5b4c3d2e1f0";
const std::string kStrongIcon = "{fileID: 2800000, guid: " + kIcon + ", type: 3}";

TEST_CASE("A sidecar that cannot be read blocks the build while a built asset lacks a guid",
          "[registry][rules]") {
  const auto [reason, text, rule] = GENERATE(table<std::string, std::string, std::string>({
      {"conflict",
       "<<<<<<< HEAD\nguid: 11e2d3c4b5a697887960514233241506\n=======\nguid: " + kIcon +
           "\n>>>>>>> b\n",
       "merge-conflict"},
      {"empty", "", "malformed-guid"},
      {"second document", "guid: 11e2d3c4b5a697887960514233241506\n---\nguid: " + kIcon + "\n",
       "wrong-shape"},
      {"pointer",
       "version https://git-lfs.github.com/spec/v1\noid sha256:" + std::string(64, '0') +
           "\nsize 90\n",
       "lfs-pointer"},
  }));
  CAPTURE(reason);
  Game game(kStrongIcon);
  game.project.files.add("Assets/icon.png", "png");
  game.project.files.add("Assets/icon.png.meta", text);
  CHECK(game.only(rule).blocks_build);
  // If no guid is missing, the unreadable sidecar has no effect.
  Game whole("{fileID: 0}");
  whole.project.files.add("Assets/icon.png", "png");
  whole.project.files.add("Assets/icon.png.meta", text);
  CHECK_FALSE(whole.only(rule).blocks_build);
}

TEST_CASE("A picture without a sidecar blocks the build if its folder is built",
          "[registry][rules]") {
  const auto [is_built, name] =
      GENERATE(table<bool, std::string>({{true, "b.png"}, {true, "notes.md"}, {false, "b.png"}}));
  CAPTURE(is_built, name);
  const std::string folder = "0f1e2d3c4b5a69788796a5b4c3d2e1f1";
  Game game(is_built ? "{fileID: 4343727234628468602, guid: " + kIcon + ", type: 2}"
                     : "{fileID: 0}");
  game.project.files.add("Assets/Ui.spriteatlas",
                         "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n"
                         "--- !u!687078895 &4343727234628468602\nSpriteAtlas:\n  m_Name: Ui\n"
                         "  m_EditorData:\n    packables:\n    - {fileID: 102900000, guid: " +
                             folder + ", type: 3}\n  m_PackedSprites: []\n");
  game.project.files.add("Assets/Ui.spriteatlas.meta", "guid: " + kIcon + "\n");
  game.project.files.add("Assets/Icons.meta", "guid: " + folder + "\nfolderAsset: yes\n");
  game.project.file("Assets/Icons/a.png", "png");
  game.project.files.add("Assets/Icons/" + name, "content");
  std::vector<Finding> found = game.findings();
  std::erase_if(found, [name = name](const Finding& finding) {
    return finding.location.path.name() != name || finding.rule != "missing-meta";
  });
  REQUIRE(found.size() == 1);
  CHECK(found[0].blocks_build == (is_built && name == "b.png"));
}

TEST_CASE("An error of an asset blocks a build only if the asset is built", "[registry][rules]") {
  const bool is_built = GENERATE(true, false);
  Game game(is_built ? kStrongIcon : "{fileID: 0}");
  game.project.files.add("Assets/icon.png", "png");
  game.project.files.add("Assets/icon.png.meta", "guid: " + kIcon + "\n<<<<<<< HEAD\n");
  CHECK(game.only("merge-conflict").blocks_build == is_built);
}

TEST_CASE("A model's sidecar may have megabytes of import settings", "[registry][rules]") {
  Game game("{fileID: 100000, guid: " + kIcon + ", type: 3}");
  game.project.files.add("Assets/robot.fbx", "fbx");
  std::string text = "fileFormatVersion: 2\nguid: " + kIcon + "\nModelImporter:\n  clips:\n";
  while (text.size() < 3'000'000) text += "  - {name: Walk, path: Assets/robot}\n";
  game.project.files.add("Assets/robot.fbx.meta", text);
  for (const Finding& finding : game.findings()) {
    CAPTURE(finding.message);
    CHECK(finding.severity != Severity::error);
  }
}

TEST_CASE("A folder to which a built asset refers is an error, at any position of the reference",
          "[registry][rules]") {
  Game game("{fileID: 102900000, guid: " + kIcon + ", type: 3}");
  game.project.file("Assets/Icons/a.png", "png");
  game.project.files.add("Assets/Icons.meta", "guid: " + kIcon + "\nfolderAsset: yes\n");
  const Finding finding = game.only("folder-reference");
  CHECK(finding.blocks_build);
  CHECK(finding.location.path.text() == "Assets/P.prefab");
  CHECK(finding.location.position.line > 0);
}

TEST_CASE("An atlas of an empty folder is an error", "[registry][rules]") {
  UnityProject fresh;
  const bool has_picture = GENERATE(true, false);
  Game game(kStrongIcon);
  game.project.files.add("Assets/Ui.spriteatlas",
                         "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!687078895 &1\n"
                         "SpriteAtlas:\n  packables:\n  - {fileID: 102900000, guid: "
                         "00112233445566778899aabbccddee01, type: 3}\n");
  game.project.files.add("Assets/Ui.spriteatlas.meta", "guid: " + kIcon + "\n");
  game.project.file(has_picture ? "Assets/Icons/a.png" : "Assets/Icons/a.txt", "x");
  game.project.files.add("Assets/Icons.meta",
                         "guid: 00112233445566778899aabbccddee01\nfolderAsset: yes\n");
  const auto findings = game.findings();
  CHECK((std::ranges::find(findings, "folder-reference", &Finding::rule) == findings.end()) ==
        has_picture);
}

TEST_CASE("The unused overrides of a prefab are reported once", "[registry][rules]") {
  Game game("{fileID: 0}");
  const Guid other = game.project.file("Assets/Other.prefab", "");
  const auto base = Project::open(game.project.files, 1, {});
  REQUIRE(base.has_value());
  const Guid health = game.project.script("Health");
  const Guid source = game.project.file("Assets/Base.prefab", PrefabText()
                                                                  .object(100, "Root", {400, 500})
                                                                  .transform(400, 100, 0)
                                                                  .behaviour(500, 100, health)
                                                                  .text());
  std::string text =
      PrefabText().instance(7000, source, {.changes = {{500, "a", "1"}, {999, "b", "2"}}}).text();
  text.replace(text.find(source.to_string()), 32, other.to_string());
  const Guid icon = Guid::parse(kIcon).value();
  game.project.files.add("Assets/V.prefab", text);
  game.project.files.add("Assets/V.prefab.meta", "guid: " + icon.to_string() + "\n");
  game.project.asset("Assets/More.asset", game.project.script("Things", "ScriptableObject"),
                     "  entries:\n  - prefab:\n      guid: " + icon.to_string() + "\n");
  const Finding finding = game.only("unused-override");
  CHECK(finding.severity == Severity::warning);
  CHECK(finding.message.find("'Assets/Other.prefab'") != std::string::npos);
  CHECK(finding.message.ends_with("2 unused overrides in all"));
  CHECK(finding.location.path.text() == "Assets/V.prefab");
}

}  // namespace
}  // namespace muster
