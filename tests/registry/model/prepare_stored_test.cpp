// Tests that `prepare` writes guids and type ids into the assets that it registers.
#include <catch2/catch.hpp>

#include "registry/model/membership.h"
#include "registry/rules/validate.h"
#include "tests/support/open_project.h"
#include "tests/support/prefab_text.h"

namespace muster {
namespace {

using testing::PrefabText;
using testing::UnityProject;

std::string text_of(const UnityProject& project, std::string_view path) {
  ByteVector buffer;
  const auto bytes = project.files.read(AssetPath::parse(path).value(), 0, 1 << 20, buffer);
  REQUIRE(bytes.has_value());
  return std::string(as_text(bytes.value()));
}

PreparePlan prepared(UnityProject& project) {
  const auto opened = open(project);
  auto plan = plan_prepare(*opened);
  REQUIRE(plan.has_value());
  REQUIRE(apply_prepare(project.files, plan.value()).has_value());
  return std::move(plan).value();
}

std::vector<std::string> findings_of(const UnityProject& project) {
  std::vector<std::string> found;
  const auto opened = open(project);
  for (const Finding& finding : validate(*opened, {})) {
    if (finding.rule == "missing-meta")
      continue;  // The folders of the test project have no sidecars.
    found.push_back(finding.location.path.text() + " " + std::string(finding.rule));
  }
  return found;
}

// A project of layout F with one registered prefab, whose component stores the prefab's guid.
struct LastLayout : UnityProject {
  LastLayout() {
    entity = script("ReplicatedEntity");
    first = prefab("Assets/A.prefab", {{entity, ""}});
    file("Assets/A.prefab", replaced("Assets/A.prefab", "", stored_text(first)));
    const Guid registry = script("ReplicatedEntityRegistry", "ScriptableObject");
    asset("Assets/R.asset", registry,
          "  entries:\n  - guid:\n" + words(first, 6) + "    prefab:\n" + words(first, 6) +
              "    factory: {fileID: 0}\n");
    for (const std::string side : {"0", "1"}) {
      asset(
          "Assets/Root" + side + ".asset", script("AssetRegistryRoot", "ScriptableObject"),
          "  serverBuild: " + side + "\n  assetRegistries:\n  - " + strong(guid("R.asset")) + "\n");
    }
  }
  Guid guid(const std::string& name) const {
    const auto opened = open(*this);
    return opened->index()
        .at(opened->index().find(AssetPath::parse("Assets/" + name).value()))
        .guid;
  }
  std::string replaced(std::string_view path, std::string_view, const std::string& tail) const {
    return text_of(*this, path) + tail;
  }
  static std::string stored_text(const Guid& guid) {
    return "  m_SerializedData:\n    assetGuid:\n" + words(guid, 6);
  }
  Guid entity, first;
};

// The guid that the root's component stores after overrides.
Guid stored_guid_of(const UnityProject& project, std::string_view path) {
  const auto opened = open(project);
  const AssetNumber asset = opened->index().find(AssetPath::parse(path).value());
  const SourceComponent* component = root_component(*opened, asset, "ReplicatedEntity");
  REQUIRE(component != nullptr);
  return component->weak_reference("m_SerializedData.assetGuid").value_or(Guid());
}

TEST_CASE("Prepare writes a prefab's guid if it is unset or wrong, and changes nothing else",
          "[registry][registries][sys-2]") {
  LastLayout project;
  const bool is_copy = GENERATE(false, true);
  const std::string end = GENERATE("\n", "\r\n");
  const Guid b = project.prefab("Assets/B.prefab", {{project.entity, ""}});
  std::string text = text_of(project, "Assets/B.prefab") +
                     LastLayout::stored_text(is_copy ? project.first : Guid()) + "  m_After: 1\n";
  for (std::size_t at = 0; end != "\n" && (at = text.find('\n', at)) != text.npos; at += 2) {
    text.replace(at, 1, end);
  }
  project.file("Assets/B.prefab", text);
  CHECK(prepared(project).remaining.empty());
  CHECK(stored_guid_of(project, "Assets/B.prefab") == b);
  const std::string old_words = UnityProject::words(is_copy ? project.first : Guid(), 6);
  std::string expected = text;
  std::size_t at = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string key = "      val" + std::to_string(i) + ": ";
    at = expected.find(key, at) + key.size();
    const std::size_t length = expected.find_first_of("\r\n", at) - at;
    expected.replace(at, length, std::to_string(words_from_guid(b)[i]));
  }
  CHECK(text_of(project, "Assets/B.prefab") == expected);
  CHECK(findings_of(project).empty());
  CHECK(prepared(project).writes.empty());
}

TEST_CASE("Prepare adds an override of the guid to a variant that inherits its base's guid",
          "[registry][registries][sys-2]") {
  LastLayout project;
  const std::vector<PrefabText::Change> changes = GENERATE(
      std::vector<PrefabText::Change>{}, std::vector<PrefabText::Change>{{100, "m_Name", "V"}},
      std::vector<PrefabText::Change>{{11400, "m_SerializedData.assetGuid.val1", "77"},
                                      {100, "m_Name", "V"}});
  PrefabText text;
  text.instance(9000, project.first, {.father = 0, .changes = changes});
  const Guid v = project.file("Assets/V.prefab", text.text());
  PrefabText outer;
  outer.instance(7000, v, {.father = 0});
  const Guid w = project.file("Assets/W.prefab", outer.text());
  const PreparePlan plan = prepared(project);
  CHECK(plan.remaining.empty());
  CHECK(stored_guid_of(project, "Assets/V.prefab") == v);
  CHECK(stored_guid_of(project, "Assets/W.prefab") == w);
  CHECK(stored_guid_of(project, "Assets/A.prefab") == project.first);
  CHECK(findings_of(project).empty());
  CHECK(prepared(project).writes.empty());
}

TEST_CASE(
    "A variant that inherits its right guid gets an override in the run that corrects the base",
    "[registry][registries][sys-2]") {
  LastLayout project;
  PrefabText text;
  text.instance(9000, project.first, {.father = 0});
  const Guid v = project.file("Assets/V.prefab", text.text());
  PrefabText outer;
  outer.instance(7000, v, {.father = 0});
  const Guid w = project.file("Assets/W.prefab", outer.text());
  // The base stores the guid of one of its variants.
  const std::string base = text_of(project, "Assets/A.prefab");
  const std::string wrong = LastLayout::stored_text(GENERATE_COPY(v, w));
  project.file("Assets/A.prefab", base.substr(0, base.find("  m_SerializedData")) + wrong);
  CHECK(prepared(project).remaining.empty());
  CHECK(stored_guid_of(project, "Assets/A.prefab") == project.first);
  CHECK(stored_guid_of(project, "Assets/V.prefab") == v);
  CHECK(stored_guid_of(project, "Assets/W.prefab") == w);
  CHECK(prepared(project).writes.empty());
}

std::string without_overrides(const Guid& base) {
  PrefabText text;
  text.instance(9000, base, {.father = 0});
  std::string cut = text.text();
  const std::size_t list = cut.find("    m_Modifications");
  REQUIRE(list != std::string::npos);
  cut.erase(list, cut.find("    m_Removed", list) - list);
  return cut;
}

TEST_CASE("A variant that cannot be fixed together with its base is reported in the same run",
          "[registry][registries]") {
  LastLayout project;
  const std::string cut = without_overrides(project.first);
  const Guid v = project.file("Assets/V.prefab", cut);
  const std::string base = text_of(project, "Assets/A.prefab");
  project.file("Assets/A.prefab",
               base.substr(0, base.find("  m_SerializedData")) + LastLayout::stored_text(v));
  const PreparePlan plan = prepared(project);
  REQUIRE(plan.remaining.size() == 1);
  CHECK(plan.remaining[0].starts_with("Assets/V.prefab:"));
  CHECK(text_of(project, "Assets/V.prefab") == cut);
}

TEST_CASE("Prepare fixes a property that a variant overrides twice", "[registry][registries]") {
  LastLayout project;
  PrefabText text;
  text.instance(9000, project.first,
                {.father = 0,
                 .changes = {{11400, "m_SerializedData.assetGuid.val1", "77"},
                             {100, "m_Name", "V"},
                             {11400, "m_SerializedData.assetGuid.val1", "78"}}});
  const Guid v = project.file("Assets/V.prefab", text.text());
  CHECK(prepared(project).remaining.empty());
  CHECK(stored_guid_of(project, "Assets/V.prefab") == v);
  CHECK(prepared(project).writes.empty());
}

TEST_CASE("Prepare does not register a prefab whose guid it cannot write",
          "[registry][registries][sys-2]") {
  LastLayout project;
  project.file("Assets/V.prefab", without_overrides(project.first));
  const std::string before = text_of(project, "Assets/R.asset");
  const PreparePlan plan = prepared(project);
  REQUIRE(plan.remaining.size() == 1);
  CHECK(plan.remaining[0].find("Assets/V.prefab:") == 0);
  CHECK(plan.remaining[0].find("not registered") != std::string::npos);
  CHECK(text_of(project, "Assets/R.asset") == before);
  CHECK(findings_of(project) == std::vector<std::string>{"Assets/V.prefab unregistered-prefab"});
}

TEST_CASE("Prepare reports values that it cannot write into an asset, with their line",
          "[registry][registries][sys-2]") {
  LastLayout project;
  project.prefab("Assets/B.prefab", {{project.entity,
                                      "  m_SerializedData:\n    assetGuid:\n      val0: '1'\n"
                                      "      val1: 2\n      val2: 3\n      val3: 4\n"}});
  const std::string before = text_of(project, "Assets/B.prefab");
  const PreparePlan plan = prepared(project);
  REQUIRE(plan.remaining.size() == 1);
  CHECK(plan.remaining[0].find("Assets/B.prefab:") == 0);
  CHECK(text_of(project, "Assets/B.prefab") == before);
}

TEST_CASE("Prepare writes a factory's guid, even if it is unset", "[registry][registries]") {
  LastLayout project;
  project.script("ReplicatedEntityFactory", "ScriptableObject");
  const Guid script = project.script("GameFactory", "ReplicatedEntityFactory");
  const std::string unset =
      GENERATE("  guid:\n", "  guid: \n", "  guid:\n    guid: \n",
               "  guid:\n    val0: 0\n    val1: 0\n    val2: 0\n    val3: 0\n");
  const Guid factory = project.asset("Assets/F.asset", script, unset);
  CHECK(prepared(project).remaining.empty());
  const auto opened = open(project);
  const SourceFile& source = opened->sources().get(opened->index().find(factory));
  const auto node = source.tree.find(source.fields_of(source.document_of(0)), "guid");
  CHECK(yaml::weak_reference_at(source.tree, node).value() == factory);
  CHECK(findings_of(project).empty());
}

TEST_CASE("Prepare writes the asset's guid into the files of its variants",
          "[registry][registries][variant]") {
  LastLayout project;
  project.files.add("muster.yaml",
                    "version: 1\nname: game\nfolders: [Assets]\nvariants:\n"
                    "  quality: {values: [low, high], default: high}\n");
  const bool stores_own = GENERATE(false, true);
  const Guid low = project.prefab("Assets/A@low.prefab", {{project.entity, ""}});
  project.file("Assets/A@low.prefab", text_of(project, "Assets/A@low.prefab") +
                                          LastLayout::stored_text(stores_own ? low : Guid()));
  PrefabText inherits;
  inherits.instance(9000, project.first, {.father = 0});
  project.file("Assets/A@high.prefab", inherits.text());
  project.script("ReplicatedEntityFactory", "ScriptableObject");
  const Guid script = project.script("GameFactory", "ReplicatedEntityFactory");
  const Guid factory = project.asset("Assets/F.asset", script, "  guid:\n");
  project.asset("Assets/F@low.asset", script, "  guid: " + low.to_string() + "\n");
  CHECK(prepared(project).remaining.empty());
  CHECK(stored_guid_of(project, "Assets/A@low.prefab") == project.first);
  CHECK(stored_guid_of(project, "Assets/A@high.prefab") == project.first);
  CHECK(text_of(project, "Assets/A@high.prefab") == inherits.text());
  CHECK(text_of(project, "Assets/F@low.asset").find(factory.to_string()) != std::string::npos);
  CHECK(findings_of(project).empty());
  CHECK(prepared(project).writes.empty());
}

// A project of layout S, in which definitions store ids that count from 1.
struct FirstLayout : UnityProject {
  FirstLayout() {
    script("DynamicEnum", "ScriptableObject");
    definition = script("ItemTypeDefinition", "DynamicEnum");
    a = item("A", 1);
    b = item("B", 2);
    asset("Assets/R.asset", script("ItemRegistry", "ScriptableObject"),
          "  entries:\n  - " + strong(a) + "\n  - " + strong(b) + "\n");
  }
  Guid item(const std::string& name, int id) {
    const Guid client = prefab("Assets/" + name + ".prefab");
    return asset("Assets/" + name + ".asset", definition,
                 "  registryId: " + std::to_string(id) + "\n  prefabServer:\n    guid: \n" +
                     "  prefabClient:\n    guid: " + client.to_string() + "\n");
  }
  Guid definition, a, b;
};

TEST_CASE("Prepare writes the id of a definition that is new or has no stored id",
          "[registry][registries]") {
  FirstLayout project;
  const int stored = GENERATE(0, 2, -1);
  const Guid c = project.item("C", stored);
  if (stored == 0) {
    // The editor has registered the definition without saving its id.
    const std::string text = text_of(project, "Assets/R.asset");
    project.file("Assets/R.asset", text + "  - " + UnityProject::strong(c) + "\n");
  }
  CHECK(prepared(project).remaining.empty());
  CHECK(text_of(project, "Assets/C.asset").find("registryId: 3\n") != std::string::npos);
  CHECK(findings_of(project).empty());
  CHECK(prepared(project).writes.empty());
}

TEST_CASE("Prepare does not change a stored id that contradicts the list",
          "[registry][registries]") {
  FirstLayout project;
  project.item("B", 7);
  const std::string before = text_of(project, "Assets/B.asset");
  prepared(project);
  CHECK(text_of(project, "Assets/B.asset") == before);
  CHECK(findings_of(project) == std::vector<std::string>{"Assets/B.asset registry-id-mismatch"});
}

TEST_CASE("Prepare skips a presentation whose key is already in use", "[registry][registries]") {
  UnityProject project;
  const Guid presentation = project.script("PresentationEntity");
  const Guid owner = project.prefab("Assets/Owner.prefab");
  const std::string fields = "  presentationOwner:\n" + UnityProject::words(owner, 4) +
                             "  platformFlags: 2\n  type: 0\n  variation: 0\n";
  project.prefab("Assets/P.prefab", {{presentation, fields}});
  project.prefab("Assets/Q.prefab", {{presentation, fields}});
  project.asset("Assets/R.asset", project.script("PresentationRegistry", "ScriptableObject"),
                "  m_entries: []\n");
  const PreparePlan plan = prepared(project);
  REQUIRE(plan.notes.size() == 1);
  CHECK(plan.notes[0].find("Assets/Q.prefab") == 0);
  CHECK(findings_of(project) == std::vector<std::string>{"Assets/Q.prefab unregistered-prefab"});
}

}  // namespace
}  // namespace muster
