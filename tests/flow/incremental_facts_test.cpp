// A build after an edit reads only changed files, and has the same report as a clean build.
#include <functional>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/incremental_builds.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::differences;
using testing::Outcome;
using testing::UnityProject;

/// Records the files of a project that were read.
class ReadLog final : public FileReader {
 public:
  explicit ReadLog(const MemoryFileSystem& files) : files_(files) {}

  Result<FileInfo> stat(const AssetPath& path) const override { return files_.stat(path); }
  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override {
    return files_.list(folder);
  }
  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override {
    read_.insert(path.text());
    return files_.read(path, offset, max_bytes, buffer);
  }
  std::set<std::string> drain() { return std::exchange(read_, {}); }

 private:
  const MemoryFileSystem& files_;
  mutable std::set<std::string> read_;
};

std::string variant_of(const Guid& base, std::string_view change) {
  const std::string target = "guid: " + base.to_string() + ", type: 3}";
  return "%YAML 1.1\n--- !u!1001 &700\nPrefabInstance:\n  m_Modification:\n"
         "    m_TransformParent: {fileID: 0}\n    m_Modifications:\n" +
         std::string(change) +
         "    m_RemovedComponents: []\n  m_SourcePrefab: {fileID: 100100000, " + target + "\n";
}

/// A project with two registered prefabs: a post, and a lamp, which is a variant of the post. Both
/// prefabs use a picture and a script.
struct Street {
  Street() {
    settings("");
    lit = project.script("Lit");
    picture = project.file("Assets/Glass.png", "\x89PNG" + std::string(5000, 'g'));
    post = project.prefab("Assets/Post.prefab", {{lit, "  current: 7\n"}});
    lamp = project.file("Assets/Lamp.prefab", variant_of(post, ""));
    paint = project.file("Assets/Paint.mat",
                         "%YAML 1.1\n--- !u!21 &2100000\nMaterial:\n  m_Name: Paint\n");
    list({lamp, post, paint});
  }

  void settings(const std::string& more) {
    project.files.add("muster.yaml",
                      "version: 1\nfolders: [Assets]\nclasses:\n  ThingRegistry:\n"
                      "    entries: entries\n    references:\n"
                      "    - {path: thing, strength: strong, targets: [client, server]}\n" +
                          more);
  }

  void list(const std::vector<Guid>& things) {
    std::string text = "class: ThingRegistry\nentries:\n";
    for (std::size_t i = 0; i < things.size(); ++i) {
      text += "- type_id: " + std::to_string(i) + "\n  thing: " + UnityProject::strong(things[i]) +
              "\n";
    }
    project.file("Assets/things.yaml", text);
  }

  Outcome build(const FileReader& read_through) {
    return testing::build(read_through, project.files, output, output, {});
  }

  UnityProject project;
  MemoryFileSystem output;
  Guid lit, picture, post, lamp, paint;
};

TEST_CASE("A build after one edit opens no unchanged file", "[flow][incremental][sys-12]") {
  Street street;
  ReadLog log(street.project.files);
  REQUIRE(street.build(log).is_built);
  CHECK(log.drain().contains("Assets/Paint.mat"));
  std::string text(
      as_text(street.project.files.files().at(AssetPath::parse("Assets/Post.prefab").value())));
  text.replace(text.find("current: 7"), 10, "current: 8");
  street.project.files.add("Assets/Post.prefab", text);
  const Outcome outcome = street.build(log);
  REQUIRE(outcome.is_built);
  CHECK(outcome.packed > 0);
  CHECK(outcome.known_assets > 0);
  const std::set<std::string> read = log.drain();
  CHECK(read.contains("Assets/Post.prefab"));
  CHECK(read.contains("Assets/Lamp.prefab"));  // Its base has changed.
  for (const char* const unchanged :
       {"Assets/Post.prefab.meta", "Assets/Lamp.prefab.meta", "Assets/Paint.mat",
        "Assets/Paint.mat.meta", "Assets/things.yaml.meta", "Assets/Scripts/Lit.cs.meta"}) {
    CAPTURE(unchanged);
    CHECK_FALSE(read.contains(unchanged));
  }
}

struct Edit {
  const char* name;
  const char* rule;  ///< The rule of the expected finding.
  std::function<void(Street&)> apply;
};

TEST_CASE("Stored results of an asset are recomputed when another file affects them",
          "[flow][incremental][sys-12]") {
  const auto [name, rule, apply] = GENERATE(
      Edit{"a source becomes a cycle", "prefab-cycle",
           [](Street& street) {
             street.project.file("Assets/Post.prefab", variant_of(street.lamp, ""));
           }},
      Edit{"a source is removed", "unresolved-reference",
           [](Street& street) {
             street.project.remove("Assets/Post.prefab");
             street.list({street.lamp, street.paint});
           }},
      Edit{"a source loses its root", "prefab-without-root",
           [](Street& street) {
             street.project.file("Assets/Post.prefab",
                                 "%YAML 1.1\n--- !u!21 &1\nMaterial:\n  m_Name: x\n");
           }},
      Edit{"a sidecar is damaged", "malformed-guid",
           [](Street& street) {
             street.project.files.add("Assets/Lamp.prefab.meta", "fileFormatVersion: 2\nguid: 1\n");
           }},
      Edit{"another asset takes the guid", "duplicate-guid",
           [](Street& street) {
             street.project.files.add("Assets/Alike.mat", "%YAML 1.1\n--- !u!21 &2\nMaterial:\n");
             street.project.files.add("Assets/Alike.mat.meta", "fileFormatVersion: 2\nguid: " +
                                                                   street.lamp.to_string() + "\n");
           }},
      Edit{"a listed asset is removed", "unresolved-reference",
           [](Street& street) { street.project.remove("Assets/Paint.mat"); }});
  CAPTURE(name);
  Street street;
  const Outcome before = street.build(street.project.files);
  REQUIRE(before.is_built);
  CHECK(before.findings.find(rule) == std::string::npos);
  apply(street);
  const Outcome after = street.build(street.project.files);
  MemoryFileSystem clean;
  const Outcome rebuilt = testing::build(street.project.files, clean, clean, {});
  CHECK(after.known_assets > 0);
  CHECK(rebuilt.findings.find(rule) != std::string::npos);
  CHECK(after.findings == rebuilt.findings);
  CHECK(after.is_built == rebuilt.is_built);
}

TEST_CASE("A value that no longer fits a changed script is reported in its unchanged prefab",
          "[flow][incremental][sys-12]") {
  Street street;
  const Guid dim = street.project.script("Dim");
  street.project.files.add("components.json",
                           R"({"components": [)"
                           R"({"name": "Dim", "size": 1, "alignment": 1, "default": "00",)"
                           R"( "fields": [{"name": "current", "type": "bool", "offset": 0}]},)"
                           R"({"name": "Lit", "size": 1, "alignment": 1, "default": "00",)"
                           R"( "fields": [{"name": "current", "type": "uint8", "offset": 0}]}]})");
  street.settings("components: components.json\n");
  const AssetPath path = AssetPath::parse("Assets/Post.prefab").value();
  std::string post(as_text(street.project.files.files().at(path)));
  post.replace(post.find("current: 7"), 10, "current: 1");
  street.project.files.add(path.text(), post);
  const std::size_t at = post.find("--- !u!114 &") + 12;
  const std::string id = post.substr(at, post.find('\n', at) - at);
  street.project.file("Assets/Lamp.prefab",
                      variant_of(street.post, "    - target: {fileID: " + id +
                                                  ", guid: " + street.post.to_string() +
                                                  ", type: 3}\n      propertyPath: current\n"
                                                  "      value: 7\n      objectReference: "
                                                  "{fileID: 0}\n"));
  REQUIRE(street.build(street.project.files).is_built);
  post.replace(post.find(street.lit.to_string()), 32, dim.to_string());
  street.project.files.add(path.text(), post);
  const Outcome after = street.build(street.project.files);
  CHECK(after.known_assets > 0);
  CHECK(after.findings.find("unfit-value") != std::string::npos);
  CHECK_FALSE(after.is_built);
}

TEST_CASE("An unchanged file is stripped by the new rules and classes after they change",
          "[flow][incremental][strip][sys-12]") {
  Street street;
  // Only an override of the script's component refers to the picture.
  const std::string post(
      as_text(street.project.files.files().at(AssetPath::parse("Assets/Post.prefab").value())));
  const std::size_t at = post.find("--- !u!114 &");
  REQUIRE(at != std::string::npos);
  const std::string id = post.substr(at + 12, post.find('\n', at) - at - 12);
  street.project.file("Assets/Lamp.prefab",
                      variant_of(street.post, "    - target: {fileID: " + id +
                                                  ", guid: " + street.post.to_string() +
                                                  ", type: 3}\n      propertyPath: glass\n"
                                                  "      value: \n      objectReference: " +
                                                  UnityProject::strong(street.picture) + "\n"));
  const std::string keep = "keep: [texture]";
  // The report lists each stripped asset as its path and the rule.
  const auto is_packed = [&] {
    REQUIRE(street.build(street.project.files).is_built);
    MemoryFileSystem clean;
    REQUIRE(testing::build(street.project.files, clean, clean, {}).is_built);
    CHECK(differences(street.output, clean).empty());
    const ByteVector report = testing::visible(street.output).at("build.json");
    const std::string_view text = as_text(report);
    constexpr std::string_view kPath = "Assets/Glass.png\",";
    for (std::size_t found = text.find(kPath); found != std::string_view::npos;
         found = text.find(kPath, found + 1)) {
      const std::string_view rest = text.substr(found + kPath.size());
      if (rest.substr(rest.find('"')).starts_with("\"rule\"")) return false;
    }
    return true;
  };
  street.settings("strip: {server: {" + keep + "}}\n");
  CHECK(is_packed());
  street.settings("strip: {server: {components: [Lit], " + keep + "}}\n");
  CHECK_FALSE(is_packed());
  street.project.move("Assets/Scripts/Lit.cs", "Assets/Scripts/Unlit.cs");
  CHECK(is_packed());
  street.project.move("Assets/Scripts/Unlit.cs", "Assets/Scripts/Lit.cs");
  CHECK_FALSE(is_packed());
  street.settings("strip: {server: {" + keep + "}}\n");
  CHECK(is_packed());
}

}  // namespace
}  // namespace muster
