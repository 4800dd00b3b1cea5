// Tests several registries of one class for one target, which share a range of type ids.
#include <algorithm>
#include <map>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "registry/model/type_ids.h"
#include "registry/rules/validate.h"
#include "tests/support/open_project.h"

namespace muster {
namespace {

using testing::UnityProject;

std::string id_findings(const Project& project) {
  std::string text;
  for (const Finding& finding : validate(project, {})) {
    if (!finding.rule.starts_with("type-id-") && finding.rule != "unregistered-prefab") continue;
    text += finding.location.path.text() + ": " + finding.message + "\n";
  }
  return text;
}

std::string entry_of(const Guid& guid) {
  return "  - guid:\n" + UnityProject::words(guid, 6) + "    prefab:\n" +
         UnityProject::words(guid, 6) + "    factory: {fileID: 0}\n";
}

// Two Unity registries and one plain registry, whose lists another tool rewrites.
class Lists {
 public:
  explicit Lists(bool has_roots) {
    entity_ = project.script("ReplicatedEntity");
    script_ = project.script("ReplicatedEntityRegistry");
    project.files.add("muster.yaml", "version: 1\nfolders: [Assets]\n");
    for (int i = 0; i < 3; ++i) write(i, {});
    if (!has_roots) return;
    const Guid root = project.script("AssetRegistryRoot", "ScriptableObject");
    const auto strong = [](const Guid& guid) { return "  - " + UnityProject::strong(guid) + "\n"; };
    project.asset("Assets/Client.asset", root,
                  "  serverBuild: 0\n  assetRegistries:\n" + strong(guids_[0]) + strong(guids_[2]));
    project.asset("Assets/Server.asset", root,
                  "  serverBuild: 1\n  assetRegistries:\n" + strong(guids_[1]) + strong(guids_[2]));
  }

  Guid new_prefab() {
    return project.prefab("Assets/P" + std::to_string(made_++) + ".prefab", {{entity_, ""}});
  }

  void write(int registry, const std::vector<Guid>& prefabs) {
    std::string list;
    if (registry == 2) {
      for (const Guid& guid : prefabs) list += "- prefab: {guid: " + guid.to_string() + "}\n";
      guids_[2] = project.file("Assets/C.yaml", "class: ReplicatedEntityRegistry\nentries:" +
                                                    (list.empty() ? " []\n" : "\n" + list));
      return;
    }
    for (const Guid& guid : prefabs) list += entry_of(guid);
    const std::string path = registry == 0 ? "Assets/A.asset" : "Assets/B.asset";
    guids_[static_cast<std::size_t>(registry)] =
        project.asset(path, script_, "  entries:" + (list.empty() ? " []\n" : "\n" + list));
  }

  UnityProject project;

 private:
  Guid entity_;
  Guid script_;
  std::array<Guid, 3> guids_;
  int made_ = 0;
};

TEST_CASE("Prepare gives different ids to two registries that would both start at 0",
          "[registry][registries][sys-2]") {
  Lists lists(false);
  const std::vector<Guid> first{lists.new_prefab(), lists.new_prefab()};
  const std::vector<Guid> second{lists.new_prefab(), lists.new_prefab()};
  lists.write(0, first);
  lists.write(1, second);
  prepare(lists.project);
  const auto opened = open(lists.project);
  CHECK(id_findings(*opened) == "");
  std::map<std::uint32_t, Guid> by_id;
  for (const Registry& registry : opened->model().registries) {
    for (const RegistryEntry& entry : registry.entries) {
      CHECK(by_id.emplace(entry.type_id.value(), identity_of(entry)).second);
    }
  }
  CHECK(by_id.size() == 4);
  CHECK(by_id.at(0) == first[0]);
  CHECK(by_id.at(1) == first[1]);
}

TEST_CASE("Entries that another tool appends to two locked registries get different ids",
          "[registry][registries][sys-2]") {
  Lists lists(false);
  std::vector<Guid> first{lists.new_prefab()};
  std::vector<Guid> second{lists.new_prefab()};
  lists.write(0, first);
  lists.write(1, second);
  prepare(lists.project);
  first.push_back(lists.new_prefab());
  second.push_back(lists.new_prefab());
  lists.write(0, first);
  lists.write(1, second);
  CHECK(id_findings(*open(lists.project)) == "");
  prepare(lists.project);
  CHECK(id_findings(*open(lists.project)) == "");
}

TEST_CASE("An entry that moves to another registry and back keeps its id",
          "[registry][registries][sys-2]") {
  Lists lists(false);
  const Guid moves = lists.new_prefab();
  const Guid stays = lists.new_prefab();
  lists.write(0, {moves, stays});
  prepare(lists.project);
  for (const int at : {1, 0, 1}) {
    lists.write(at, at == 0 ? std::vector{stays, moves} : std::vector{moves});
    lists.write(1 - at, at == 0 ? std::vector<Guid>{} : std::vector{stays});
    prepare(lists.project);
    const auto opened = open(lists.project);
    CHECK(id_findings(*opened) == "");
    for (const Registry& registry : opened->model().registries) {
      for (const RegistryEntry& entry : registry.entries) {
        CHECK(entry.type_id == TypeId(identity_of(entry) == moves ? 0 : 1));
      }
    }
  }
}

TEST_CASE("Prepare assigns no id twice in one build, for any changes of the lists",
          "[registry][registries][rules][sys-2]") {
  const bool has_roots = GENERATE(false, true);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed, has_roots);
    Random random(seed);
    Lists lists(has_roots);
    // The first `prepare` creates locks, which keep the ids of both sides equal later.
    std::vector<Guid> prefabs{lists.new_prefab()};
    for (const int registry : {0, 1}) lists.write(registry, prefabs);
    prepare(lists.project);
    for (int step = 0; step < 8; ++step) {
      for (std::uint64_t i = random.below(3); i > 0; --i) prefabs.push_back(lists.new_prefab());
      // Rewrites the Unity registries at random. Edits of the plain registry keep its ids.
      for (int registry = 0; registry < 2; ++registry) {
        std::vector<Guid> chosen;
        for (const Guid& guid : prefabs) {
          if (random.below(2) == 0) chosen.push_back(guid);
        }
        lists.write(registry, chosen);
      }
      prepare(lists.project);
      CHECK(id_findings(*open(lists.project)) == "");
    }
  }
}

TEST_CASE(
    "A prefab with different ids on the two sides is reported, and prepare does not store the ids",
    "[registry][registries][rules]") {
  Lists lists(true);
  const Guid a = lists.new_prefab();
  const Guid b = lists.new_prefab();
  const Guid c = lists.new_prefab();
  lists.write(0, {a, b});
  const auto [server, rule, reason] = GENERATE_COPY(table<std::vector<Guid>, bool, std::string>(
      {{{b, a}, true, "another order"},
       {{b}, true, "one is missing, so the other gets its index"},
       {{c}, false, "the id of an added asset is taken"}}));
  CAPTURE(reason);
  lists.write(1, server);
  const auto opened = open(lists.project);
  CHECK((id_findings(*opened).find("the client under") != std::string::npos) == rule);
  const auto plan = plan_prepare(*opened);
  REQUIRE_FALSE(plan.has_value());
  CHECK(plan.error().code == ErrorCode::malformed);
}

TEST_CASE("An entry that another tool appends to the locked lists of both sides gets one id",
          "[registry][registries]") {
  Lists lists(true);
  const Guid a = lists.new_prefab();
  const Guid b = lists.new_prefab();
  const Guid c = lists.new_prefab();
  for (const int side : {0, 1}) lists.write(side, {a});
  prepare(lists.project);
  lists.write(0, {a, b, c});
  lists.write(1, {a, c});
  CHECK(id_findings(*open(lists.project)).find("type id") == std::string::npos);
  prepare(lists.project);
  CHECK(id_findings(*open(lists.project)) == "");
}

}  // namespace
}  // namespace muster
