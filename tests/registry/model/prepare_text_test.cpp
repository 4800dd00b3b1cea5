// Tests that `prepare` edits text that users have written: comments, lists in brackets, entries
// without ids.
#include <algorithm>
#include <map>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "registry/model/prepare.h"
#include "registry/model/type_ids.h"
#include "registry/rules/validate.h"
#include "tests/support/open_project.h"

namespace muster {
namespace {

using testing::type_ids_of;
using testing::UnityProject;

constexpr const char* kPath = "Assets/R.yaml";

Result<PreparePlan> try_prepare(UnityProject& project) {
  const auto opened = Project::open(project.files, 1, {});
  REQUIRE(opened.has_value());
  auto plan = plan_prepare(*opened.value());
  if (plan) REQUIRE(apply_prepare(project.files, plan.value()).has_value());
  return plan;
}

std::string text_of(const UnityProject& project, std::string_view path) {
  ByteVector buffer;
  const auto bytes = project.files.read(AssetPath::parse(path).value(), 0, 1 << 20, buffer);
  REQUIRE(bytes.has_value());
  return std::string(as_text(bytes.value()));
}

// A project with three entities. The last entity is not registered.
struct PlainProject : UnityProject {
  PlainProject() {
    files.add("muster.yaml", "version: 1\nfolders: [Assets]\n");
    const Guid entity = script("ReplicatedEntity");
    a = prefab("Assets/A.prefab", {{entity, ""}});
    b = prefab("Assets/B.prefab", {{entity, ""}});
    c = prefab("Assets/C.prefab", {{entity, ""}});
  }
  static std::string fields(unsigned id, const Guid& guid) {
    return "{type_id: " + std::to_string(id) + ", prefab: {guid: " + guid.to_string() + "}}";
  }
  void registry(const std::string& list) {
    file(kPath, "class: ReplicatedEntityRegistry\n" + list);
  }
  Guid a, b, c;
};

TEST_CASE("A list in brackets is converted to a block when an entry is added",
          "[registry][registries]") {
  PlainProject project;
  const std::string a = project.fields(0, project.a);
  const std::string b = project.fields(1, project.b);
  const auto [list, expected] = GENERATE_COPY(table<std::string, std::string>(
      {{"entries: [" + a + ", " + b + "]\nafter: 1\n",
        "entries:\n- " + a + "\n- " + b + "\n- NEW\nafter: 1\n"},
       {"entries: [  # all\n  " + a + ",  # first\n  # second\n  " + b + ",\n  # end\n]  # done\n",
        "entries:  # done\n# all\n- " + a + " # first\n# second\n- " + b + "\n- NEW\n# end\n"},
       {"entries:  # what\n  [" + a + ",\n   " + b + "]\n",
        "entries:  # what\n- " + a + "\n- " + b + "\n- NEW\n"},
       {"entries: [{note: 'a, ]} # b', " + a.substr(1) + ",\n  " + b + "]\n",
        "entries:\n- {note: 'a, ]} # b', " + a.substr(1) + "\n- " + b + "\n- NEW\n"}}));
  CAPTURE(list);
  project.registry(list);
  REQUIRE(try_prepare(project).has_value());
  std::string wanted = "class: ReplicatedEntityRegistry\n" + expected;
  wanted.replace(wanted.find("NEW"), 3, project.fields(2, project.c));
  CHECK(text_of(project, kPath) == wanted);
  const auto again = try_prepare(project);
  REQUIRE(again.has_value());
  CHECK(again.value().writes.empty());
}

TEST_CASE("Comments and blank lines inside a list are kept when entries are added",
          "[registry][registries]") {
  PlainProject project;
  const std::string a = project.fields(0, project.a);
  const std::string b = project.fields(1, project.b);
  const std::string indent = GENERATE("", "  ");
  const std::string list = "entries: # keep me\n# first of all\n\n" + indent + "- " + a +
                           "  # the a\n# between, in column one\n\n" + indent + "- " + b + "\n";
  project.registry(list + "# behind\nafter: 1\n");
  REQUIRE(try_prepare(project).has_value());
  CHECK(text_of(project, kPath) == "class: ReplicatedEntityRegistry\n" + list + indent + "- " +
                                       project.fields(2, project.c) + "\n# behind\nafter: 1\n");
}

TEST_CASE("Comments are kept when all entries are removed and when the list is filled again",
          "[registry][registries]") {
  PlainProject project;
  const std::string list =
      GENERATE("entries: # keep me\n# and me\n", "entries: []  # keep me\n# and me\n");
  project.registry(list);
  REQUIRE(try_prepare(project).has_value());
  CHECK(type_ids_of(project).size() == 3);
  for (const char* name : {"A", "B", "C"}) {
    project.remove("Assets/" + std::string(name) + ".prefab");
  }
  REQUIRE(try_prepare(project).has_value());
  CHECK(type_ids_of(project).empty());
  const std::string text = text_of(project, kPath);
  CAPTURE(text);
  CHECK(text.find("# keep me\n") != std::string::npos);
  CHECK(text.find("\n# and me\n") != std::string::npos);
  CHECK(text.ends_with("retired: [0, 1, 2]\n"));
}

TEST_CASE("Retired ids that span several lines keep their comments", "[registry][registries]") {
  PlainProject project;
  project.registry("entries:\n- " + project.fields(7, project.a) + "\n- " +
                   project.fields(8, project.b) + "\n- " + project.fields(9, project.c) +
                   "\nretired:\n# long ago\n- 3 # the cart\n- 4\n");
  project.remove("Assets/B.prefab");
  REQUIRE(try_prepare(project).has_value());
  CHECK(text_of(project, kPath).ends_with("retired:\n# long ago\n- 3 # the cart\n- 4\n- 8\n"));
}

TEST_CASE("A registry that cannot be rewritten is not changed, and is reported",
          "[registry][registries]") {
  PlainProject project;
  const std::string text = "class: ReplicatedEntityRegistry\n\"entries\": []\n";
  project.file(kPath, text);
  const auto plan = try_prepare(project);
  REQUIRE_FALSE(plan.has_value());
  CHECK(plan.error().code == ErrorCode::malformed);
  CHECK(plan.error().message.find(kPath) != std::string::npos);
  CHECK(text_of(project, kPath) == text);
}

TEST_CASE(
    "Entries without a stored type id get a stored id before a removal could change their ids",
    "[registry][registries][sys-2]") {
  const auto [name, definition] = GENERATE(
      table<std::string, std::string>({{"CharacterTypeRegistry", "CharacterTypeDefinition"},
                                       {"ItemRegistry", "ItemTypeDefinition"},
                                       {"HeroTypeRegistry", "HeroTypeAsset"},
                                       {"ProjectileRegistry", "ProjectileTypeDefinition"},
                                       {"SpatialEffectRegistry", "SpatialEffectTypeDefinition"}}));
  const auto form = GENERATE(
      as<std::string>(), "- {definition: {fileID: 1, guid: GUID}}\n", "- {fileID: 1, guid: GUID}\n",
      "- {fileID: 1,\n   guid: GUID} # why\n", "- fileID: 1\n  guid: GUID\n",
      "- definition: {fileID: 1, guid: GUID}\n", "-\n  definition: {fileID: 1, guid: GUID}\n");
  CAPTURE(name, form);
  UnityProject project;
  project.files.add("muster.yaml", "version: 1\nfolders: [Assets]\n");
  std::map<Guid, std::string> paths;
  std::string list;
  for (const std::string path : {"Assets/A.yaml", "Assets/B.yaml", "Assets/C.yaml"}) {
    const Guid guid = project.file(path, "class: " + definition + "\n");
    std::string entry = form;
    list += entry.replace(entry.find("GUID"), 4, guid.to_string());
    paths.emplace(guid, path);
  }
  project.file(kPath, "class: " + name + "\nentries:\n" + list);
  auto before = type_ids_of(project);
  REQUIRE(before.size() == 3);
  REQUIRE(try_prepare(project).has_value());
  CHECK(type_ids_of(project) == before);
  const auto first =
      std::ranges::min_element(before, {}, [](const auto& entry) { return entry.second; });
  project.remove(paths.at(first->first));
  before.erase(first);
  REQUIRE(try_prepare(project).has_value());
  CHECK(type_ids_of(project) == before);
  const auto again = try_prepare(project);
  REQUIRE(again.has_value());
  CHECK(again.value().writes.empty());
}

TEST_CASE("An entry is not removed while an unreadable sidecar may belong to its asset",
          "[registry][registries]") {
  PlainProject project;
  project.registry("entries: []\n");
  REQUIRE(try_prepare(project).has_value());
  const auto before = type_ids_of(project);
  const std::string sidecar = GENERATE(
      as<std::string>(), "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
      "<<<<<<< ours\nguid: 1\n=======\nguid: 2\n>>>>>>> theirs\n", "fileFormatVersion: 2\n");
  project.files.add("Assets/B.prefab.meta", sidecar);
  const auto plan = try_prepare(project);
  REQUIRE(plan.has_value());
  CHECK(type_ids_of(project) == before);
  REQUIRE(plan.value().notes.size() == 1);
  CHECK(plan.value().notes.front().find("Assets/B.prefab.meta") != std::string::npos);
}

// Returns `text` with CR LF at the end of about half of the lines, which the seed selects.
std::string with_mixed_ends(const std::string& text, std::uint64_t seed) {
  Random random(seed);
  std::string mixed;
  for (const char letter : text) {
    if (letter == '\n' && random.below(2) == 0) mixed += '\r';
    mixed += letter;
  }
  return mixed;
}

std::vector<std::string> ended_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

TEST_CASE("In a file with mixed line ends, prepare does not change the end of any line",
          "[registry][registries]") {
  PlainProject project;
  const std::string a = project.fields(0, project.a);
  const std::string b = project.fields(1, project.b);
  const std::string prefab_b = "prefab: {guid: " + project.b.to_string() + "}";
  const std::string list = GENERATE_COPY(
      as<std::string>{},
      "entries:\n# first\n- " + a + "\n\n# second\n-\n  type_id: 1\n  " + prefab_b +
          "\n# end\nafter: 1\n",
      "entries:\n- " + a + "\n- prefab:\n    guid: " + project.b.to_string() + "\nafter: 1\n",
      "entries:\n- " + a + "\n- {\n  " + prefab_b + "}\nafter: 1\n",
      "entries:  # in brackets\n  [" + a + ",\n   " + b + "]\nafter: 1\n",
      "before: 1\nentries: []\nafter: 1\n", "before: 1\nentries:\n\nafter: 1");
  CAPTURE(list);
  project.registry(list);
  REQUIRE(try_prepare(project).has_value());
  const std::string wanted = text_of(project, kPath);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    project.remove(kPath);
    const std::string text = with_mixed_ends("class: ReplicatedEntityRegistry\n" + list, seed);
    project.file(kPath, text);
    REQUIRE(try_prepare(project).has_value());
    std::string after = text_of(project, kPath);
    // Collects the lines that `prepare` has added. All other lines are unchanged.
    std::vector<std::string> added;
    const std::vector<std::string> before = ended_lines(text);
    auto next = before.begin();
    for (const std::string& line : ended_lines(after)) {
      const auto found = std::find(next, before.end(), line);
      if (found == before.end()) {
        added.push_back(line);
      } else {
        next = found + 1;
      }
    }
    std::vector<std::string> expected;
    const std::vector<std::string> plain = ended_lines("class: ReplicatedEntityRegistry\n" + list);
    for (const std::string& line : ended_lines(wanted)) {
      if (std::ranges::find(plain, line) == plain.end()) expected.push_back(line);
    }
    CHECK(added.size() == expected.size());
    std::erase(after, '\r');
    CHECK(after == wanted);
  }
}

TEST_CASE("A type id that is too large for the network is refused with the registry's name",
          "[registry][registries]") {
  PlainProject project;
  project.registry("entries:\n- " + project.fields(TypeId::kMax - 1, project.a) + "\n");
  project.remove("Assets/C.prefab");
  REQUIRE(try_prepare(project).has_value());
  CHECK(type_ids_of(project).at(project.b) == TypeId::kMax);
  project.prefab("Assets/D.prefab", {{project.script("ReplicatedEntity"), ""}});
  const auto plan = try_prepare(project);
  REQUIRE_FALSE(plan.has_value());
  CHECK(plan.error().code == ErrorCode::limit_exceeded);
  CHECK(plan.error().message.find(kPath) != std::string::npos);
}

TEST_CASE("Registries that state their side need neither providers nor rules for new entries",
          "[registry][registries]") {
  UnityProject project;
  project.files.add("muster.yaml",
                    "version: 1\nfolders: [Assets]\nclasses:\n  VehicleRegistry:\n    references:\n"
                    "    - {path: prefab, targets: [client, server]}\n");
  const Guid a = project.prefab("Assets/A.prefab");
  const Guid driver = project.script("IReplicatedEntityProvider");
  project.asset("Assets/P.asset", driver, "  prefabServer:\n    guid: " + a.to_string() + "\n");
  project.file(kPath,
               "class: VehicleRegistry\nserver: 1\nentries:\n- {type_id: 3, prefab: {guid: " +
                   a.to_string() + "}}\n");
  REQUIRE(try_prepare(project).has_value());
  CHECK(type_ids_of(project) == std::map<Guid, std::uint32_t>{{a, 3}});
}

}  // namespace
}  // namespace muster
