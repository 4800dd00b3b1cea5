// Tests that a lock belongs to its registry after renames and moves.
#include "registry/model/id_lock.h"

#include <algorithm>
#include <map>

#include <catch2/catch.hpp>

#include "registry/model/type_ids.h"
#include "registry/rules/validate.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/open_project.h"

namespace muster {
namespace {

using testing::FaultyFileSystem;
using testing::type_ids_of;
using testing::UnityProject;

bool exists(const UnityProject& project, std::string_view path) {
  return project.files.stat(AssetPath::parse(path).value()).has_value();
}

std::size_t count(const UnityProject& project, std::string_view rule) {
  const auto opened = open(project);
  const auto findings = validate(*opened, {});
  return static_cast<std::size_t>(std::ranges::count(findings, rule, &Finding::rule));
}

std::string entry_of(const Guid& guid) {
  return "  - guid:\n" + UnityProject::words(guid, 6) + "    prefab:\n" +
         UnityProject::words(guid, 6) + "    factory: {fileID: 0}\n";
}

// A registry whose list was reordered after `prepare`, so that indices and locked ids differ.
struct Locked {
  UnityProject project;
  Guid script = project.script("ReplicatedEntityRegistry");
  Guid entity = project.script("ReplicatedEntity");
  Guid a = project.prefab("Assets/A.prefab", {{entity, ""}});
  Guid b = project.prefab("Assets/B.prefab", {{entity, ""}});

  Locked() {
    project.asset("Assets/R.asset", script, "  entries:\n" + entry_of(a) + entry_of(b));
    prepare(project);
    project.asset("Assets/R.asset", script, "  entries:\n" + entry_of(b) + entry_of(a));
  }
  const std::map<Guid, std::uint32_t> ids{{a, 0}, {b, 1}};
};

TEST_CASE("A registry keeps its lock when the registry is renamed or moved",
          "[registry][registries][sys-2]") {
  const auto to = GENERATE(as<std::string>(), "Assets/Renamed.asset", "Assets/Deep/Down/R.asset");
  CAPTURE(to);
  Locked locked;
  locked.project.move("Assets/R.asset", to);
  CHECK(type_ids_of(locked.project) == locked.ids);
  CHECK(count(locked.project, "orphan-lock") == 0);
  prepare(locked.project);
  CHECK(type_ids_of(locked.project) == locked.ids);
  CHECK_FALSE(exists(locked.project, "Assets/.R.asset.ids.yaml"));
  CHECK(exists(locked.project, lock_path_of(AssetPath::parse(to).value()).text()));
}

TEST_CASE("A lock with two ids for one asset is refused with its line", "[registry][registries]") {
  yaml::Position fault;
  const std::string guid = Locked().a.to_string();
  const auto lock = parse_id_lock("version: 1\nids:\n- {id: 1, guid: " + guid +
                                      "}\n- {id: 2, guid: " + guid + "}\nretired: []\n",
                                  fault);
  REQUIRE_FALSE(lock.has_value());
  CHECK(fault.line == 4);
  CHECK(lock.error().message.find("id 2 here and 1 above") != std::string::npos);
}

TEST_CASE("Registries that exchange their names keep their ids", "[registry][registries][sys-2]") {
  Locked locked;
  const Guid c = locked.project.prefab("Assets/C.prefab");
  locked.project.asset("Assets/E.asset", locked.project.script("HitscanEffectRegistry"),
                       "  entries:\n  - type_id: 0\n    prefab:\n" + UnityProject::words(c, 6) +
                           "    poolSize: 16\n");
  prepare(locked.project);
  const auto before = type_ids_of(locked.project);
  locked.project.move("Assets/R.asset", "Assets/T.asset");
  locked.project.move("Assets/E.asset", "Assets/R.asset");
  locked.project.move("Assets/T.asset", "Assets/E.asset");
  CHECK(type_ids_of(locked.project) == before);
  prepare(locked.project);
  CHECK(type_ids_of(locked.project) == before);
  CHECK(count(locked.project, "orphan-lock") == 0);
  CHECK(exists(locked.project, "Assets/.R.asset.ids.yaml"));
  CHECK(exists(locked.project, "Assets/.E.asset.ids.yaml"));
}

TEST_CASE("Registries that exchange their names keep their ids if prepare is killed at any call",
          "[registry][registries][sys-2]") {
  for (std::size_t n = 0;; ++n) {
    CAPTURE(n);
    Locked locked;
    UnityProject& project = locked.project;
    const Guid gone = project.prefab("Assets/Gone.prefab");
    const Guid kept = project.prefab("Assets/Kept.prefab");
    const auto effects = [](const std::vector<Guid>& prefabs) {
      std::string text = "  entries:\n";
      for (const Guid& guid : prefabs) {
        text += "  - prefab:\n" + UnityProject::words(guid, 6) + "    poolSize: 16\n";
      }
      return text;
    };
    const Guid script = project.script("HitscanEffectRegistry");
    project.asset("Assets/E.asset", script, effects({kept, gone}));
    prepare(project);
    // Then only the lock contains the retired id.
    project.remove("Assets/Gone.prefab");
    project.asset("Assets/E.asset", script, effects({kept}));
    prepare(project);
    project.move("Assets/R.asset", "Assets/T.asset");
    project.move("Assets/E.asset", "Assets/R.asset");
    project.move("Assets/T.asset", "Assets/E.asset");
    const auto before = type_ids_of(project);

    FaultyFileSystem files(project.files, ErrorCode::io);
    const auto opened = open(project);
    const auto plan = plan_prepare(*opened);
    REQUIRE(plan.has_value());
    files.die_at(n);
    const bool is_applied = apply_prepare(files, plan.value()).has_value();
    CHECK(is_applied != files.has_failed());
    CHECK(type_ids_of(project) == before);
    prepare(project);
    CHECK(type_ids_of(project) == before);
    CHECK(count(project, "orphan-lock") == 0);
    ByteVector buffer;
    const auto lock = read_whole(
        project.files, AssetPath::parse("Assets/.R.asset.ids.yaml").value(), 1 << 16, buffer);
    REQUIRE(lock.has_value());
    CHECK(as_text(lock.value()).ends_with("retired: [2]\n"));
    if (is_applied) break;
  }
}

TEST_CASE("A lock of version 1 is found by its name, and then stores its registry",
          "[registry][registries]") {
  Locked locked;
  const std::string lock = "version: 1\nids:\n- {id: 5, guid: " + locked.a.to_string() +
                           "}\n- {id: 9, guid: " + locked.b.to_string() + "}\nretired: [7]\n";
  locked.project.files.add("Assets/.R.asset.ids.yaml", lock);
  const std::map<Guid, std::uint32_t> ids{{locked.a, 5}, {locked.b, 9}};
  CHECK(type_ids_of(locked.project) == ids);
  prepare(locked.project);
  locked.project.move("Assets/R.asset", "Assets/Other.asset");
  CHECK(type_ids_of(locked.project) == ids);
}

TEST_CASE("A lock without a registry is reported", "[registry][registries]") {
  Locked locked;
  locked.project.remove("Assets/R.asset");
  CHECK(count(locked.project, "orphan-lock") == 1);
}

TEST_CASE("If a registry has two locks, the lock beside the registry is used",
          "[registry][registries]") {
  Locked locked;
  IdLock other;
  other.registry = open(locked.project)->model().locks.front().lock.registry;
  other.ids = {{TypeId(30), locked.a}};
  locked.project.files.add("Assets/.Copy.asset.ids.yaml", format_id_lock(other));
  CHECK(type_ids_of(locked.project) == locked.ids);
  CHECK(count(locked.project, "orphan-lock") == 1);
}

}  // namespace
}  // namespace muster
