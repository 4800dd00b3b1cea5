#include "registry/model/stripping.h"

#include <algorithm>
#include <optional>
#include <set>

#include <catch2/catch.hpp>

#include "registry/base/memory_file_system.h"
#include "registry/base/seed.h"
#include "registry/model/stripped_parts.h"
#include "registry/rules/validate.h"
#include "tests/support/open_project.h"
#include "tests/support/prefab_text.h"

namespace muster {
namespace {

using testing::UnityProject;

std::string guid_text(std::size_t i) {
  Random random(i + 1);
  ByteVector bytes(16);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
  return Guid::from_bytes(std::span(bytes).first<16>()).to_string();
}

/// A plain project with a registry of the server.
class Game {
 public:
  explicit Game(const std::string& strip = {}) {
    files_.add("muster.yaml",
               "version: 1\nfolders: [a]\nclasses:\n  ThingRegistry:\n    entries: entries\n"
               "    references:\n    - {path: thing, strength: weak, targets: [client, server]}\n" +
                   strip);
  }

  std::string ref(const std::string& path) {
    const auto known = std::ranges::find(paths_, path);
    const auto index = static_cast<std::size_t>(known - paths_.begin());
    if (known == paths_.end()) paths_.push_back(path);
    return "{fileID: 1, guid: " + guid_text(index) + "}";
  }
  Game& add(const std::string& path, const std::string& text = "x") {
    const std::string own = ref(path);
    files_.add("a/" + path, text);
    files_.add("a/" + path + ".meta", "guid: " + own.substr(own.size() - 33, 32) + "\n");
    return *this;
  }
  /// Adds a plain prefab. Each component is `Class: path path`.
  Game& prefab(const std::string& path,
               const std::vector<std::pair<std::string, std::vector<std::string>>>& components) {
    std::string text = "class: Prefab\nroot:\n  name: thing\n  components:\n  - Transform: {}\n";
    for (const auto& [name, used] : components) {
      text += "  - " + name + ":\n      uses:\n";
      for (const std::string& one : used) text += "      - " + ref(one) + "\n";
    }
    return add(path, text);
  }
  const Project& open(const std::vector<std::string>& registered,
                      const std::optional<std::vector<VariantWish>>& wishes = std::nullopt) {
    std::string entries = "class: ThingRegistry\nentries:\n";
    for (std::size_t i = 0; i < registered.size(); ++i) {
      entries += "- type_id: " + std::to_string(i) + "\n  thing: " + ref(registered[i]) + "\n";
    }
    add("registry.yaml", entries + extra_);
    for (const char* side : {"0", "1"}) {
      add(std::string("root") + side + ".yaml",
          std::string("class: AssetRegistryRoot\nserverBuild: ") + side + "\nassetRegistries:\n- " +
              ref("registry.yaml") + "\n");
    }
    auto opened = Project::open(files_, 2, {}, {}, wishes);
    REQUIRE(opened.has_value());
    project_ = std::move(opened).value();
    return *project_;
  }
  AssetNumber number(const std::string& path) const {
    return project_->index().find(AssetPath::parse("a/" + path).value());
  }
  std::set<std::string> built(Target target) const {
    std::set<std::string> paths;
    for (const AssetNumber asset : project_->stripping(target).built()) {
      paths.insert(project_->index().at(asset).path.text().substr(2));
    }
    for (const char* own : {"registry.yaml", "root0.yaml", "root1.yaml"}) paths.erase(own);
    return paths;
  }
  std::string rule_of(const std::string& path, Target target = Target::server) const {
    const StrippedAsset* const found = project_->stripping(target).find(number(path));
    return found == nullptr ? "none" : found->rule;
  }
  std::string extra_;

 private:
  std::vector<std::string> paths_;
  MemoryFileSystem files_;
  std::unique_ptr<Project> project_;
};

using Paths = std::set<std::string>;

TEST_CASE("A server is built without graphics and sound", "[registry][strip][sys-14]") {
  Game game;
  game.add("skin.png").add("hum.wav").add("data.bin");
  game.add("paint.yaml", "class: Material\nmain: " + game.ref("skin.png") + "\n");
  game.add("sheet.yaml", "class: Numbers\nsound: " + game.ref("hum.wav") +
                             "\nraw: " + game.ref("data.bin") + "\n");
  game.prefab("crate.yaml", {{"Health", {"sheet.yaml", "paint.yaml"}}});
  game.open({"crate.yaml"});
  CHECK(game.built(Target::client) ==
        Paths{"crate.yaml", "data.bin", "hum.wav", "paint.yaml", "sheet.yaml", "skin.png"});
  CHECK(game.built(Target::server) == Paths{"crate.yaml", "data.bin", "sheet.yaml"});
  CHECK(game.rule_of("paint.yaml") == "kind material");
  CHECK(game.rule_of("skin.png") == "kind texture");
  CHECK(game.rule_of("hum.wav") == "kind audio");
  CHECK(game.rule_of("sheet.yaml") == "none");
  CHECK(game.rule_of("skin.png", Target::client) == "none");
}

TEST_CASE("An asset is stripped if all its users are stripped, and is kept if it has other users",
          "[registry][strip][sys-14]") {
  Game game;
  game.add("seen.fbx").add("hit.fbx").add("both.fbx").add("tuning.bin");
  game.add("paint.yaml", "class: Material\ntuning: " + game.ref("tuning.bin") +
                             "\nshape: " + game.ref("both.fbx") + "\n");
  game.prefab("crate.yaml", {{"MeshFilter", {"seen.fbx", "both.fbx"}},
                             {"MeshRenderer", {"paint.yaml"}},
                             {"MeshCollider", {"hit.fbx", "both.fbx"}}});
  game.prefab("other.yaml", {{"AudioSource", {"hit.fbx"}}});
  game.open({"crate.yaml", "other.yaml"});
  CHECK(game.built(Target::server) == Paths{"both.fbx", "crate.yaml", "hit.fbx", "other.yaml"});
  CHECK(game.rule_of("seen.fbx").empty());
  CHECK(game.rule_of("tuning.bin").empty());
  CHECK(game.rule_of("hit.fbx") == "none");
  const auto& components =
      game.open({"crate.yaml", "other.yaml"}).stripping(Target::server).components();
  CHECK(components.size() == 3);
  CHECK(components.at("MeshFilter").count == 1);
}

TEST_CASE("Assets that a registry names are never stripped", "[registry][strip][sys-14]") {
  Game game;
  game.add("icon.png").add("sound.wav").add("shown.png");
  game.prefab("crate.yaml", {{"Image", {"shown.png"}}});
  game.extra_ = "flag: " + game.ref("icon.png") + "\n";
  const Project& project = game.open({"crate.yaml", "sound.wav"});
  CHECK(game.built(Target::server) == Paths{"crate.yaml", "icon.png", "sound.wav"});
  std::vector<std::string> named;
  for (const StrippedAsset& one : project.stripping(Target::server).named()) {
    named.push_back(project.index().at(one.asset).path.text() + ": " + one.rule);
  }
  CHECK(named == std::vector<std::string>{"a/icon.png: kind texture", "a/sound.wav: kind audio"});
  CHECK(project.stripping(Target::server).unkept_from(game.number("crate.yaml")).size() == 1);
  CHECK(project.stripping(Target::client).named().empty());
  std::vector<std::string> notes;
  for (const Finding& finding : validate(project, {})) {
    if (finding.rule != "presentation-named") continue;
    CHECK(finding.severity == Severity::note);
    notes.push_back(finding.location.path.text() + ":" +
                    std::to_string(finding.location.position.line) + " " + finding.message);
  }
  CHECK(notes == std::vector<std::string>{
                     "a/registry.yaml:6 'a/sound.wav' is left out of the server by 'strip' (kind "
                     "audio), but this registry names it: it is built",
                     "a/registry.yaml:7 'a/icon.png' is left out of the server by 'strip' (kind "
                     "texture), but this registry names it: it is built"});
}

TEST_CASE("The rules of a project determine the stripped assets", "[registry][strip][sys-14]") {
  Game game(
      "strip:\n  server:\n    kinds: [.bank]\n    components: [Decal, Palette]\n"
      "    keep: [font, \"a/heights/**\", Light]\n  client: {kinds: [.bank]}\n");
  game.add("sfx.bank").add("ui.ttf").add("heights/north.png").add("lamp.fbx").add("dirt.fbx");
  game.add("palette.yaml", "class: Palette\ncolors: 3\n");
  game.prefab("crate.yaml", {{"Sound", {"sfx.bank", "palette.yaml"}},
                             {"Label", {"ui.ttf"}},
                             {"Light", {"lamp.fbx"}},
                             {"Decal", {"dirt.fbx"}},
                             {"Ground", {"heights/north.png"}}});
  const Project& project = game.open({"crate.yaml"});
  CHECK(game.built(Target::server) ==
        Paths{"crate.yaml", "heights/north.png", "lamp.fbx", "ui.ttf"});
  CHECK(game.rule_of("sfx.bank") == "kind .bank");
  CHECK(game.rule_of("palette.yaml") == "class Palette");
  REQUIRE(project.stripping(Target::server).kept().size() == 1);
  CHECK(project.stripping(Target::server).kept().front().asset == game.number("heights/north.png"));
  CHECK(game.rule_of("sfx.bank", Target::client) == "kind .bank");
  CHECK(game.built(Target::client).contains("dirt.fbx"));
}

std::string axes_and_keep(const std::string& keep) {
  return "variants:\n  quality: {values: [low, high], default: high}\n"
         "  language: {values: [en, de]}\n" +
         (keep.empty() ? "" : "strip: {server: {keep: [\"" + keep + "\"]}}\n");
}

TEST_CASE("A server keeps either all variants of an asset or none",
          "[registry][strip][variant][sys-14]") {
  const std::string keep = GENERATE(as<std::string>{}, "", "a/skin.png", "a/skin@low.png",
                                    "a/skin@low,de.png", "a/s*", "a/other.png");
  const auto quality = GENERATE(as<std::string>{}, "", "low", "high");
  CAPTURE(keep, quality);
  Game game(axes_and_keep(keep));
  for (const char* name :
       {"skin.png", "skin@low.png", "skin@low,de.png", "hum.wav", "hum@low.wav"}) {
    game.add(name);
  }
  game.prefab("crate.yaml", {{"Health", {"skin.png", "hum.wav"}}});
  std::optional<std::vector<VariantWish>> wishes;
  if (!quality.empty()) wishes = {{"quality", quality}};
  const Project& project = game.open({"crate.yaml"}, wishes);
  Paths files{"skin.png", "skin@low.png", "skin@low,de.png"};
  if (quality == "low") files.erase("skin.png");
  if (quality == "high") files = {"skin.png"};
  Paths expected{"crate.yaml"};
  const bool is_kept = !keep.empty() && keep != "a/other.png";
  if (is_kept) expected.insert(files.begin(), files.end());
  CHECK(game.built(Target::server) == expected);
  const Paths client = game.built(Target::client);
  CHECK(std::ranges::includes(client, files));
  CHECK(project.stripping(Target::server).kept().size() == (is_kept ? files.size() : 0));
  for (const std::string& file : files) {
    CHECK(game.rule_of(file) == (is_kept ? "none" : "kind texture"));
  }
  CHECK(game.rule_of(quality == "low" ? "hum@low.wav" : "hum.wav") == "kind audio");
  // A pattern for an existing file is valid for each choice of variants.
  std::size_t reported = 0;
  for (const Finding& finding : validate(project, {})) reported += finding.rule == "unmatched-keep";
  CHECK(reported == (keep == "a/other.png" ? 1 : 0));
}

TEST_CASE("Assets that a registry names are packed for the server with their variants",
          "[registry][strip][variant][sys-14]") {
  Game game(axes_and_keep(""));
  game.add("icon.png").add("icon@low.png").add("flag.png").add("flag@low.png").add("other.png");
  game.add("other@low.png");
  game.prefab("crate.yaml", {{"Image", {"other.png"}}});
  game.extra_ = "flag: " + game.ref("flag.png") + "\n";
  const std::vector<std::string> registered = {"crate.yaml", "icon.png"};
  const Project& project = game.open(registered);
  CHECK(game.built(Target::server) ==
        Paths{"crate.yaml", "flag.png", "flag@low.png", "icon.png", "icon@low.png"});
  CHECK(project.stripping(Target::server).named().size() == 4);
  std::size_t reported = 0;
  for (const Finding& finding : validate(project, {}))
    reported += finding.rule == "presentation-named";
  CHECK(reported == 2);
  game.open(registered, std::vector<VariantWish>{{"quality", "low"}});
  CHECK(game.built(Target::server) == Paths{"crate.yaml", "flag@low.png", "icon@low.png"});
}

TEST_CASE("A class rule applies to a plain asset only if the project wrote the rule",
          "[registry][strip][sys-14]") {
  const bool is_named = GENERATE(false, true);
  Game game(is_named ? "strip: {server: {components: [Light]}}\n" : "");
  game.add("beam.bin");
  game.add("sun.yaml", "class: Light\nbeam: " + game.ref("beam.bin") + "\n");
  game.prefab("crate.yaml", {{"Sky", {"sun.yaml"}}});
  game.open({"crate.yaml"});
  CHECK(game.rule_of("sun.yaml") == (is_named ? "class Light" : "none"));
  CHECK(game.built(Target::server).contains("beam.bin") == !is_named);
}

TEST_CASE("A script with the name of an engine class is stripped only if the project names it",
          "[registry][strip][sys-14]") {
  const auto [strip, goes] = GENERATE(table<std::string, std::set<std::string>>({
      {"", {"engine"}},
      {"strip: {server: {components: [Light]}}\n", {"asset", "engine", "script"}},
      {"strip: {server: {components: [Light], keep: [Light]}}\n", {}},
      {"strip: {server: {defaults: false, components: [Light]}}\n", {"asset", "engine", "script"}},
      {"strip: {server: {keep: [Light]}}\n", {}},
  }));
  CAPTURE(strip);
  UnityProject project;
  const Guid script = project.script("Light");
  const auto use = [&](const char* name) {
    const Guid used = project.file("Assets/" + std::string(name) + ".bytes", "x");
    return "  m_Used: {fileID: 1, guid: " + used.to_string() + ", type: 3}\n";
  };
  const Guid data = project.asset("Assets/Data.asset", script, use("asset"));
  const Guid prefab = project.file(
      "Assets/Lamp.prefab",
      "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n"
      "--- !u!1 &1\nGameObject:\n  m_Name: L\n  m_Component:\n  - component: {fileID: 2}\n"
      "  - component: {fileID: 3}\n  - component: {fileID: 4}\n"
      "--- !u!4 &2\nTransform:\n  m_GameObject: {fileID: 1}\n  m_Father: {fileID: 0}\n"
      "--- !u!108 &3\nLight:\n  m_GameObject: {fileID: 1}\n" +
          use("engine") +
          "--- !u!114 &4\nMonoBehaviour:\n  m_GameObject: {fileID: 1}\n"
          "  m_Script: {fileID: 11500000, guid: " +
          script.to_string() + ", type: 3}\n  m_Data: " + UnityProject::strong(data) + "\n" +
          use("script"));
  project.files.add("muster.yaml",
                    "version: 1\nclasses:\n  Lamps:\n    references:\n"
                    "    - {path: lamp, strength: strong, targets: [client, server]}\n" +
                        strip);
  const Guid registry =
      project.asset("Assets/Lamps.asset", project.script("Lamps"),
                    "  entries:\n  - lamp: " + UnityProject::strong(prefab) + "\n");
  project.asset(
      "Assets/Root.asset", project.script("AssetRegistryRoot"),
      "  serverBuild: 1\n  assetRegistries:\n  - " + UnityProject::strong(registry) + "\n");
  const auto opened = testing::open(project);
  const Stripping& stripping = opened->stripping(Target::server);
  std::set<std::string> left;
  for (const char* name : {"asset", "engine", "script"}) {
    const auto path = AssetPath::parse("Assets/" + std::string(name) + ".bytes");
    const AssetNumber asset = opened->index().find(path.value());
    if (!std::ranges::binary_search(stripping.built(), asset)) left.insert(name);
  }
  CHECK(left == goes);
}

TEST_CASE("A component of a package's script is recognised by its stored class name",
          "[registry][strip][sys-14]") {
  UnityProject project;
  project.file("Assets/a.prefab",
               "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!1 &1\nGameObject:\n  m_Name: A\n"
               "--- !u!114 &2\nMonoBehaviour:\n  m_GameObject: {fileID: 1}\n"
               "  m_Script: {fileID: 11500000, guid: 0777d029ed3dffa4692f417d4aba19ca, type: 3}\n"
               "  m_EditorClassIdentifier: Unity.RP::UnityEngine.Rendering.DecalProjector\n");
  project.files.add("muster.yaml", "version: 1\nstrip: {server: {components: [DecalProjector]}}\n");
  const auto opened = testing::open(project);
  const AssetNumber asset = opened->index().find(AssetPath::parse("Assets/a.prefab").value());
  const std::vector<StrippedPart> parts =
      stripped_parts(opened->sources().get(asset), opened->scripts(), opened->config().strip[1]);
  REQUIRE(parts.size() == 1);
  CHECK(parts.front().class_name == "DecalProjector");
  CHECK(parts.front().document == 1);
}

TEST_CASE(
    "The overrides of a nested prefab's renderer are stripped with the renderer, and no others",
    "[registry][strip][sys-14]") {
  UnityProject project;
  const Guid seen = project.file("Assets/seen.fbx", "x");
  const Guid hit = project.file("Assets/hit.fbx", "x");
  const auto strong = [](const Guid& guid) {
    return "{fileID: 4300000, guid: " + guid.to_string() + ", type: 3}";
  };
  const std::string head = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n";
  const Guid inner = project.file(
      "Assets/Inner.prefab",
      head +
          "--- !u!1 &1\nGameObject:\n  m_Name: I\n  m_Component:\n  - component: {fileID: 2}\n"
          "  - component: {fileID: 3}\n  - component: {fileID: 5}\n"
          "--- !u!4 &2\nTransform:\n  m_GameObject: {fileID: 1}\n  m_Father: {fileID: 0}\n"
          "--- !u!33 &3\nMeshFilter:\n  m_GameObject: {fileID: 1}\n  m_Mesh: {fileID: 0}\n"
          "--- !u!64 &5\nMeshCollider:\n  m_GameObject: {fileID: 1}\n  m_Mesh: {fileID: 0}\n");
  const auto change = [&](int target, const Guid& mesh) {
    return "    - target: {fileID: " + std::to_string(target) + ", guid: " + inner.to_string() +
           ", type: 3}\n      propertyPath: m_Mesh\n      value: \n      objectReference: " +
           strong(mesh) + "\n";
  };
  project.file("Assets/Outer.prefab",
               head +
                   "--- !u!1001 &9\nPrefabInstance:\n  m_Modification:\n"
                   "    m_TransformParent: {fileID: 0}\n    m_Modifications:\n" +
                   change(3, seen) + change(5, hit) +
                   "  m_SourcePrefab: {fileID: 100100000, guid: " + inner.to_string() +
                   ", type: 3}\n");
  const auto opened = testing::open(project);
  const AssetNumber outer = opened->index().find(AssetPath::parse("Assets/Outer.prefab").value());
  const StripRules rules = StripRules::defaults_for(Target::server);
  const SourceFile& source = opened->sources().get(outer);
  CHECK(stripped_parts(source, opened->scripts(), rules).empty());
  const MentionCounts counts =
      mentions_of(source, {}, opened->scripts(), rules, [&](const Guid& guid) {
        const AssetNumber asset = opened->index().find(guid);
        return asset == kNoAsset ? nullptr : &opened->sources().get(asset);
      });
  REQUIRE(counts.size() == 1);
  CHECK(counts.begin()->first.first == seen);
  CHECK(counts.begin()->second == 1);
}

TEST_CASE(
    "In random projects, only presentation assets are stripped, and all other references are "
    "followed",
    "[registry][strip][sys-14]") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Game game;
    const std::size_t count = 8 + random.below(20);
    const auto path = [](std::size_t i) {
      const char* const ends[] = {".yaml", ".png", ".fbx", ".yaml", ".mp3"};
      return "t" + std::to_string(100 + i) + ends[i % 5];
    };
    const auto is_seen = [](std::size_t i) { return i % 5 == 1 || i % 5 == 4; };
    std::vector<std::set<std::size_t>> live(count);
    std::vector<std::set<std::size_t>> all(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 5 != 0 && i % 5 != 3) {
        game.add(path(i));
        continue;
      }
      std::vector<std::pair<std::string, std::vector<std::string>>> components;
      for (const char* name : {"Logic", "MeshRenderer", "Collider", "Light"}) {
        const std::string_view class_name = name;
        const bool is_kept = class_name != "MeshRenderer" && class_name != "Light";
        components.push_back({name, {}});
        for (std::size_t k = random.below(3); k > 0; --k) {
          const std::size_t to = random.below(count);
          components.back().second.push_back(path(to));
          all[i].insert(to);
          if (is_kept && !is_seen(to)) live[i].insert(to);
        }
      }
      game.prefab(path(i), components);
    }
    const std::vector<std::size_t> roots = {0, 5};
    const auto reach = [&](const std::vector<std::set<std::size_t>>& edges) {
      Paths found;
      std::vector<std::size_t> queue = roots;
      for (std::size_t i = 0; i < queue.size(); ++i) {
        if (!found.insert(path(queue[i])).second) continue;
        for (const std::size_t to : edges[queue[i]]) queue.push_back(to);
      }
      return found;
    };
    const Project& project = game.open({path(0), path(5)});
    CHECK(game.built(Target::client) == reach(all));
    const Paths built = game.built(Target::server);
    CHECK(built == reach(live));
    // Each asset of the client is either built for the server or listed as stripped.
    for (const std::string& one : game.built(Target::client)) {
      CHECK(built.contains(one) ==
            (project.stripping(Target::server).find(game.number(one)) == nullptr));
    }
  }
}

TEST_CASE("Assets that only an override of a removed component mentions are not built",
          "[registry][stripping]") {
  UnityProject project;
  project.files.add("muster.yaml",
                    "version: 1\nclasses:\n  Things:\n    references:\n"
                    "    - {path: thing, targets: [client]}\n");
  const Guid holder = project.script("Holder");
  const Guid icon = project.file("Assets/icon.png", "png");
  const Guid base = project.file("Assets/Base.prefab", testing::PrefabText()
                                                           .object(100, "Root", {400, 500})
                                                           .transform(400, 100, 0)
                                                           .behaviour(500, 100, holder)
                                                           .text());
  const bool is_removed = GENERATE(true, false);
  std::string text =
      testing::PrefabText()
          .instance(7000, base,
                    {.changes = {{500, "icon", ""}},
                     .removed_components =
                         is_removed ? std::vector<std::int64_t>{500} : std::vector<std::int64_t>{}})
          .text();
  const std::string nothing = "objectReference: {fileID: 0}";
  text.replace(text.find(nothing), nothing.size(),
               "objectReference: {fileID: 2800000, guid: " + icon.to_string() + ", type: 3}");
  const Guid variant = project.file("Assets/V.prefab", text);
  project.asset("Assets/Things.asset", project.script("Things", "ScriptableObject"),
                "  entries:\n  - thing:\n      guid: " + variant.to_string() + "\n");
  const auto open = testing::open(project);
  const auto built = built_assets(*open, Target::client);
  CHECK(built.contains(open->index().find(base)));
  CHECK(built.contains(open->index().find(icon)) != is_removed);
}

}  // namespace
}  // namespace muster
