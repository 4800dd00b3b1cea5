// Tests that `validate` reports exactly the assets that `prepare` would add.
#include <algorithm>
#include <set>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "registry/rules/validate.h"
#include "tests/support/open_project.h"

namespace muster {
namespace {

using testing::UnityProject;

enum class Layout : std::uint8_t { first, second, last, plain };

std::multiset<std::string> missing_in(const Project& project) {
  std::multiset<std::string> paths;
  for (const Finding& finding : validate(project, {})) {
    if (finding.rule == "unregistered-prefab") paths.insert(finding.location.path.text());
  }
  return paths;
}

std::set<std::string> added_to(const PreparePlan& plan) {
  std::set<std::string> paths;
  for (const RegistryPlan& registry : plan.registries) {
    for (const PrepareChange& change : registry.changes) {
      if (change.kind == PrepareChange::Kind::add) paths.insert(change.path.text());
    }
  }
  return paths;
}

// A project of one layout, whose registries list only some of their members.
class RandomProject {
 public:
  RandomProject(std::uint64_t seed, Layout layout) : random_(seed), layout_(layout) {
    if (layout == Layout::plain) {
      project.files.add("muster.yaml", "version: 1\nfolders: [Assets]\n");
    }
    entity_ = project.script("ReplicatedEntity");
    add_prefabs();
    add_definitions();
    add_registries();
    add_roots();
  }

  UnityProject project;

 private:
  bool chance() { return random_.below(2) == 0; }

  Guid random_prefab(const char* kind, std::size_t i) {
    return project.prefab("Assets/" + std::string(kind) + std::to_string(i) + ".prefab",
                          {{entity_, "  guid: \n"}});
  }

  void add_prefabs() {
    for (std::size_t i = 0; i < 1 + random_.below(4); ++i) {
      prefabs_.push_back(random_prefab("Thing", i));
    }
    const char* const base =
        layout_ == Layout::second ? "ScriptableObjectRegistryEntry" : "ScriptableObject";
    const Guid script = project.script(
        layout_ == Layout::first ? "ReplicatedEntityFactor" : "ReplicatedEntityFactory", base);
    if (chance()) factories_.push_back(project.asset("Assets/F.asset", script, "  typeId: 0\n"));
  }

  // In the first layout each definition has two prefabs. In all layouts each definition is also a
  // member of another registry.
  void add_definitions() {
    const char* base = "ScriptableObject";
    if (layout_ == Layout::first) base = "DynamicEnum, IReplicatedEntityProvider";
    if (layout_ == Layout::second) base = "ScriptableObjectRegistryEntry";
    const Guid script = project.script("CharacterTypeDefinition", base);
    for (std::size_t i = 0; i < random_.below(4); ++i) {
      std::string body;
      for (const auto& [key, kind] :
           {std::pair("prefabServer", "Server"), std::pair("prefabClient", "Client")}) {
        const std::uint64_t action = random_.below(5);
        Guid guid;
        if (action > 0) guid = random_prefab(kind, i);
        if (action == 1)
          project.remove("Assets/" + std::string(kind) + std::to_string(i) + ".prefab");
        if (action == 2 && !prefabs_.empty()) guid = prefabs_[random_.below(prefabs_.size())];
        if (!guid.is_null() && action != 1) prefabs_.push_back(guid);
        body += std::string("  ") + key +
                ":\n    guid: " + (guid.is_null() ? "" : guid.to_string()) + "\n";
      }
      definitions_.push_back(
          project.asset("Assets/Definition" + std::to_string(i) + ".asset", script, body));
    }
  }

  std::string entry(const Guid& guid, bool is_factory) const {
    const std::string strong = is_factory ? UnityProject::strong(guid) : "{fileID: 0}";
    if (layout_ == Layout::plain) {
      return is_factory ? "- factory: {fileID: 1, guid: " + guid.to_string() + "}\n"
                        : "- prefab: {guid: " + guid.to_string() + "}\n";
    }
    if (layout_ == Layout::last) {
      return "  - guid:\n" + UnityProject::words(guid, 6) + "    prefab:\n" +
             UnityProject::words(is_factory ? Guid() : guid, 6) + "    factory: " + strong + "\n";
    }
    return "  - prefab:\n      guid: " + (is_factory ? std::string() : guid.to_string()) +
           "\n    factory: " + strong + "\n";
  }

  void add_registries() {
    const std::size_t count = layout_ == Layout::first && chance() ? 2 : 1 + random_.below(3);
    const std::string name = "ReplicatedEntityRegistry";
    const Guid script = project.script(name, "RegistryBase");
    const bool has_sides = layout_ == Layout::first && chance();
    for (std::size_t i = 0; i < count; ++i) {
      std::string list;
      std::set<Guid> chosen;
      for (const Guid& guid : prefabs_) {
        if (random_.below(3) == 0 && chosen.insert(guid).second) list += entry(guid, false);
      }
      for (const Guid& guid : factories_) {
        if (random_.below(3) == 0) list += entry(guid, true);
      }
      const std::string path = "Assets/R" + std::to_string(i);
      if (layout_ == Layout::plain) {
        registries_.push_back(
            project.file(path + ".yaml",
                         "class: " + name + "\nentries:" + (list.empty() ? " []\n" : "\n" + list)));
        continue;
      }
      const std::string side = has_sides ? "  server: " + std::to_string(i % 2) + "\n" : "";
      registries_.push_back(project.asset(
          path + ".asset", script, side + "  entries:" + (list.empty() ? " []\n" : "\n" + list)));
    }
    std::string list;
    for (const Guid& guid : definitions_) {
      if (chance()) list += "  - " + UnityProject::strong(guid) + "\n";
    }
    registries_.push_back(project.asset("Assets/Characters.asset",
                                        project.script("CharacterTypeRegistry", "RegistryBase"),
                                        "  entries:" + (list.empty() ? " []\n" : "\n" + list)));
  }

  void add_roots() {
    if (random_.below(3) == 0) return;  // Without roots, all registries are for both sides.
    const Guid script = project.script("AssetRegistryRoot", "ScriptableObject");
    for (const std::string flag : {"0", "1"}) {
      std::string list;
      for (const Guid& guid : registries_) {
        if (random_.below(3) > 0) list += "  - " + UnityProject::strong(guid) + "\n";
      }
      project.asset("Assets/Root" + flag + ".asset", script,
                    "  serverBuild: " + flag +
                        "\n  assetRegistries:" + (list.empty() ? " []\n" : "\n" + list));
    }
  }

  Random random_;
  Layout layout_;
  Guid entity_;
  std::vector<Guid> prefabs_;
  std::vector<Guid> factories_;
  std::vector<Guid> definitions_;
  std::vector<Guid> registries_;
};

TEST_CASE("validate reports exactly the entries that prepare would add, in every layout",
          "[registry][registries][rules][sys-1]") {
  const Layout layout = GENERATE(Layout::first, Layout::second, Layout::last, Layout::plain);
  std::size_t found = 0;
  std::size_t refused = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed, static_cast<int>(layout));
    RandomProject random(seed, layout);
    const auto before = open(random.project);
    const auto plan = plan_prepare(*before);
    if (!plan) {
      // The ids of the two sides may disagree. Then `prepare` fails.
      CHECK(plan.error().code == ErrorCode::malformed);
      ++refused;
      continue;
    }
    const auto missing = missing_in(*before);
    const std::set<std::string> once(missing.begin(), missing.end());
    CHECK(added_to(plan.value()) == once);
    found += once.size();
    REQUIRE(apply_prepare(random.project.files, plan.value()).has_value());
    const auto after = open(random.project);
    CHECK(missing_in(*after).empty());
    const auto again = plan_prepare(*after);
    REQUIRE(again.has_value());
    CHECK(again.value().writes.empty());
  }
  CHECK(found > 100);
  CHECK(refused < 50);
}

TEST_CASE("A prefab of two definitions is reported, and only the first definition is registered",
          "[registry][registries][rules]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid shared = project.prefab("Assets/Shared.prefab", {{entity, "  guid: \n"}});
  const Guid own = project.prefab("Assets/Own.prefab", {{entity, "  guid: \n"}});
  const Guid script =
      project.script("ItemTypeDefinition", "DynamicEnum, IReplicatedEntityProvider");
  const auto item = [&](const char* path, const Guid& server, const Guid& client) {
    project.asset(path, script,
                  "  prefabServer:\n    guid: " + server.to_string() +
                      "\n  prefabClient:\n    guid: " + client.to_string() + "\n");
  };
  item("Assets/A.asset", shared, shared);
  item("Assets/B.asset", shared, own);
  const Guid registry = project.script("ReplicatedEntityRegistry");
  project.asset("Assets/C.asset", registry, "  server: 0\n  entries: []\n");
  project.asset("Assets/S.asset", registry, "  server: 1\n  entries: []\n");
  const auto plan = plan_prepare(*open(project));
  REQUIRE(plan.has_value());
  CHECK(added_to(plan.value()) == std::set<std::string>{"Assets/Shared.prefab"});
  REQUIRE(plan.value().notes.size() == 1);
  CHECK(plan.value().notes.front().starts_with("Assets/B.asset: skipped"));
  REQUIRE(apply_prepare(project.files, plan.value()).has_value());
  const auto after = open(project);
  CHECK(plan_prepare(*after).value().writes.empty());
  const auto findings = validate(*after, {});
  const auto clash = std::ranges::find(findings, "provider-collision", &Finding::rule);
  REQUIRE(clash != findings.end());
  CHECK(clash->location.path.text() == "Assets/B.asset");
  CHECK(clash->severity == Severity::error);
}

TEST_CASE("Assets of one side do not change the indices of the other side",
          "[registry][registries][sys-2]") {
  UnityProject project;
  const Guid entity = project.script("ReplicatedEntity");
  const Guid script =
      project.script("ItemTypeDefinition", "DynamicEnum, IReplicatedEntityProvider");
  const Guid ghost = project.prefab("Assets/Ghost.prefab", {{entity, "  guid: \n"}});
  project.asset(
      "Assets/A.asset", script,
      "  prefabServer:\n    guid: \n  prefabClient:\n    guid: " + ghost.to_string() + "\n");
  project.prefab("Assets/Crate.prefab", {{entity, "  guid: \n"}});
  const Guid registry = project.script("ReplicatedEntityRegistry");
  project.asset("Assets/C.asset", registry, "  server: 0\n  entries: []\n");
  project.asset("Assets/S.asset", registry, "  server: 1\n  entries: []\n");
  for (int round = 0; round < 3; ++round) {
    const auto plan = plan_prepare(*open(project));
    REQUIRE(plan.has_value());
    REQUIRE(apply_prepare(project.files, plan.value()).has_value());
    project.prefab("Assets/More" + std::to_string(round) + ".prefab", {{entity, "  guid: \n"}});
  }
  const auto opened = open(project);
  for (const Registry& found : opened->model().registries) {
    CAPTURE(found.server_flag.value());
    REQUIRE(found.entries.size() == 4);
    for (const RegistryEntry& entry : found.entries) CHECK(entry.type_id.value() == entry.slot);
    CHECK(found.entries[0].is_free == found.server_flag.value());
  }
}

}  // namespace
}  // namespace muster
