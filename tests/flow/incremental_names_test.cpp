// Renamed files: some are packed again, others are not.
#include <string>

#include <catch2/catch.hpp>

#include "registry/components/describe.h"
#include "tests/support/incremental_builds.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::UnityProject;

struct Renaming {
  std::string of;      ///< The renamed file: `Lift` or `Inner`.
  std::string lift;    ///< The text of Lift.yaml. `GUID` is replaced by the guid of Inner.yaml.
  std::string inner;   ///< The text of Inner.yaml.
  std::size_t packed;  ///< The number of packed bundles of client and server together.
};

TEST_CASE("A rename repacks only the assets that get their name from the file",
          "[flow][incremental][sys-12]") {
  const std::string nesting = "class: Prefab\nroot:\n  name: lift\n  children:\n  - prefab: GUID\n";
  const std::string bare = "components: [Health]\n";
  const auto renaming = GENERATE_COPY(values<Renaming>({
      {"Lift", "class: Prefab\nroot: {name: lift}\n", bare, 0},
      {"Lift", "class: Prefab\n" + bare, bare, 2},
      {"Lift", "class: Prefab\nroot: {active: false}\n", bare, 2},
      {"Inner", "class: Prefab\nroot: {name: lift}\nuses: GUID\n", "class: Thing\n" + bare, 0},
      {"Inner", nesting, "class: Prefab\n" + bare, 2},
      {"Inner", nesting, "class: Prefab\nroot: {name: inner}\n", 0},
      // A file that a prefab nests, or has as its base, is treated as a prefab.
      {"Inner", nesting, "class: Thing\n" + bare, 2},
      {"Inner", nesting, bare, 2},
      {"Inner", "class: Prefab\nvariant_of: GUID\n", "class: Thing\n" + bare, 2},
  }));
  CAPTURE(renaming.of, renaming.lift, renaming.inner);
  UnityProject project;
  project.files.add("muster.yaml",
                    "version: 1\nfolders: [Assets]\nclasses:\n  LiftRegistry:\n"
                    "    entries: entries\n    references:\n"
                    "    - {path: lift, strength: strong, targets: [client, server]}\n");
  const Guid inner = project.file("Assets/Inner.yaml", renaming.inner);
  std::string text = renaming.lift;
  if (const std::size_t at = text.find("GUID"); at != std::string::npos) {
    text.replace(at, 4, UnityProject::strong(inner));
  }
  const Guid lift = project.file("Assets/Lift.yaml", text);
  project.file("Assets/lifts.yaml", "class: LiftRegistry\nentries:\n- {type_id: 0, lift: " +
                                        UnityProject::strong(lift) + "}\n");
  MemoryFileSystem output;
  REQUIRE(testing::build(project.files, output, output, {}).is_built);
  project.move("Assets/" + renaming.of + ".yaml", "Assets/Other.yaml");
  CHECK(testing::build(project.files, output, output, {}).packed == renaming.packed);
  MemoryFileSystem clean;
  REQUIRE(testing::build(project.files, clean, clean, {}).is_built);
  CHECK(testing::differences(output, clean).empty());
}

/// The component of replicated entities.
struct Marker {
  AssetReference asset_guid{};
};
consteval auto describe(Type<Marker>) {
  return Describe<Marker>("ReplicatedEntity").field<&Marker::asset_guid>("assetGuid");
}

TEST_CASE("A file that becomes a variant of a prefab is packed again with the guid of that prefab",
          "[flow][incremental]") {
  UnityProject project;
  project.files.add("muster.yaml",
                    "version: 1\nfolders: [Assets]\ncomponents: components.json\nvariants:\n"
                    "  quality: {values: [low, high]}\nclasses:\n  CoinRegistry:\n"
                    "    entries: entries\n    references:\n"
                    "    - {path: coin, strength: strong, targets: [client, server]}\n");
  project.files.add("components.json", components_to_json(std::vector{description_of<Marker>()}));
  const std::string text =
      "class: Prefab\nroot:\n  name: coin\n  components:\n  - ReplicatedEntity: {}\n";
  const Guid coin = project.file("Assets/coin.yaml", text);
  const Guid other = project.file("Assets/other.yaml", text);
  project.file("Assets/coins.yaml",
               "class: CoinRegistry\nentries:\n- {type_id: 0, coin: " + UnityProject::strong(coin) +
                   "}\n- {type_id: 1, coin: " + UnityProject::strong(other) + "}\n");
  MemoryFileSystem output;
  REQUIRE(testing::build(project.files, output, output, {}).is_built);
  for (const auto& [from, to] : {std::pair("other", "coin@low"), std::pair("coin@low", "other")}) {
    CAPTURE(to);
    project.move("Assets/" + std::string(from) + ".yaml", "Assets/" + std::string(to) + ".yaml");
    REQUIRE(testing::build(project.files, output, output, {}).is_built);
    MemoryFileSystem clean;
    REQUIRE(testing::build(project.files, clean, clean, {}).is_built);
    CHECK(testing::differences(output, clean).empty());
  }
}

}  // namespace
}  // namespace muster
