#include "registry/project/reference_graph.h"

#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/support/indexed_project.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::IndexedProject;
using testing::UnityProject;

std::string strong(const Guid& guid) {
  return "{fileID: 100, guid: " + guid.to_string() + ", type: 3}";
}

std::string mat(const std::string& body) {
  return "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!21 &2100000\nMaterial:\n" + body;
}

ReferenceGraph graph_of(const UnityProject& project, const IndexedProject& indexed,
                        unsigned jobs = 1) {
  auto graph = scan_references(project.files, indexed.index(), jobs, {});
  REQUIRE(graph.has_value());
  return std::move(graph).value();
}

std::vector<std::string> paths(const IndexedProject& indexed,
                               const std::vector<AssetNumber>& numbers) {
  std::vector<std::string> result;
  for (const AssetNumber number : numbers) result.push_back(indexed.index().at(number).path.text());
  return result;
}

TEST_CASE("Edges are merged by guid and kind, with the first position and the count",
          "[registry][graph]") {
  UnityProject project;
  const Guid target = project.file("Assets/t.png", "png");
  const Guid gone = Guid::parse("7e53c0a6d4f84a0db7a2f5e3c0914b68").value();
  const std::string text =
      mat("  a: " + strong(target) + "\n  b: " + strong(target) + "\n  c: " + strong(gone) +
          "\n  d:\n    guid: " + target.to_string() + "\n");
  project.file("Assets/m.mat", text);
  const IndexedProject indexed(project.files);
  const ReferenceGraph graph = graph_of(project, indexed);
  const auto edges = graph.from(indexed.number("Assets/m.mat"));
  REQUIRE(edges.size() == 3);
  CHECK(edges[0].to == indexed.number("Assets/t.png"));
  CHECK(edges[0].times == 2);
  CHECK(edges[0].offset_bytes == text.find(target.to_string()));
  CHECK(edges[0].is_strong());
  CHECK(edges[1].to == kNoAsset);
  CHECK(edges[1].guid == gone);
  CHECK(edges[2].kind == yaml::MentionKind::textual);
  CHECK_FALSE(edges[2].is_strong());
  CHECK(graph.from(indexed.number("Assets/t.png")).empty());
}

TEST_CASE("A sidecar's references count, but its own guid does not", "[registry][graph]") {
  UnityProject project;
  const Guid target = project.file("Assets/t.mat", mat("  x: 1\n"));
  project.file("Assets/m.fbx", "Kaydara");
  project.files.add("Assets/m.fbx.meta",
                    "fileFormatVersion: 2\nguid: 4f8a1c35d9e24b7093c6a5e8127fd0b1\n"
                    "ModelImporter:\n  material: " +
                        strong(target) + "\n");
  const IndexedProject indexed(project.files);
  const ReferenceGraph graph = graph_of(project, indexed);
  const auto edges = graph.from(indexed.number("Assets/m.fbx"));
  REQUIRE(edges.size() == 1);
  CHECK(edges[0].in_meta);
  CHECK(edges[0].to == indexed.number("Assets/t.mat"));
}

TEST_CASE("A closure follows strong references and does not enter scripts", "[registry][graph]") {
  UnityProject project;
  const Guid script = project.script("Thing");
  const Guid leaf = project.file("Assets/leaf.png", "png");
  const Guid weak = project.file("Assets/weak.mat", mat("  a: " + strong(leaf) + "\n"));
  const Guid middle = project.file("Assets/middle.mat", mat("  a: " + strong(leaf) + "\n"));
  const Guid root =
      project.file("Assets/root.mat", mat("  s: " + strong(script) + "\n  a: " + strong(middle) +
                                          "\n  w:\n    guid: " + weak.to_string() + "\n"));
  project.file("Assets/middle2.mat", mat("  a: " + strong(root) + "\n"));
  const IndexedProject indexed(project.files);
  const ReferenceGraph graph = graph_of(project, indexed);
  const std::vector<AssetNumber> roots{indexed.number("Assets/root.mat"), kNoAsset,
                                       indexed.number("Assets/root.mat")};
  CHECK(paths(indexed, graph.closure(roots, indexed.index())) ==
        std::vector<std::string>{"Assets/leaf.png", "Assets/middle.mat", "Assets/root.mat"});
}

TEST_CASE("Walks do not enter the excluded assets or the sidecars of scripts",
          "[registry][graph]") {
  UnityProject project;
  const Guid icon = project.file("Assets/icon.png", "png");
  const Guid script = project.script("Thing");
  project.files.add("Assets/Scripts/Thing.cs.meta",
                    "fileFormatVersion: 2\nguid: " + script.to_string() +
                        "\nMonoImporter:\n  icon: " + strong(icon) + "\n");
  const Guid leaf = project.file("Assets/leaf.png", "png");
  const Guid middle = project.file("Assets/middle.mat", mat("  a: " + strong(leaf) + "\n"));
  project.file("Assets/root.mat",
               mat("  s: " + strong(script) + "\n  a: " + strong(middle) + "\n"));
  const IndexedProject indexed(project.files);
  const ReferenceGraph graph = graph_of(project, indexed);
  const std::vector<AssetNumber> root{indexed.number("Assets/root.mat")};
  const std::vector<AssetNumber> code{indexed.number("Assets/Scripts/Thing.cs")};
  const auto stops = [&](AssetNumber asset) {
    return asset == indexed.number("Assets/middle.mat");
  };
  const auto chain = [&](const std::vector<AssetNumber>& from, const char* to) {
    return paths(indexed, graph.chain(from, indexed.number(to), indexed.index(), stops));
  };
  using Paths = std::vector<std::string>;
  CHECK(paths(indexed, graph.closure(root, indexed.index())) ==
        Paths{"Assets/leaf.png", "Assets/middle.mat", "Assets/root.mat"});
  CHECK(paths(indexed, graph.closure(root, indexed.index(), stops)) == Paths{"Assets/root.mat"});
  CHECK(paths(indexed, graph.closure(code, indexed.index())) == Paths{"Assets/Scripts/Thing.cs"});
  CHECK(chain(root, "Assets/middle.mat") == Paths{"Assets/root.mat", "Assets/middle.mat"});
  CHECK(chain(root, "Assets/leaf.png").empty());
  CHECK(chain(root, "Assets/icon.png").empty());
  CHECK(chain(code, "Assets/icon.png").empty());
}

TEST_CASE("A chain is the shortest chain; of equal chains it is the first by path; cycles end",
          "[registry][graph]") {
  UnityProject project;
  const Guid leaf = project.file("Assets/leaf.png", "png");
  const Guid b = project.file("Assets/b.mat", mat("  a: " + strong(leaf) + "\n"));
  const Guid a = project.file("Assets/a.mat", mat("  a: " + strong(leaf) + "\n"));
  const Guid root =
      project.file("Assets/root.mat", mat("  b: " + strong(b) + "\n  a: " + strong(a) + "\n"));
  project.file("Assets/root2.mat", mat("  b: " + strong(root) + "\n"));
  project.file("Assets/alone.png", "png");
  const IndexedProject indexed(project.files);
  const ReferenceGraph graph = graph_of(project, indexed);
  const auto chain = [&](const char* from, const char* to) {
    const std::vector<AssetNumber> roots{indexed.number(from)};
    return paths(indexed, graph.chain(roots, indexed.number(to), indexed.index()));
  };
  CHECK(chain("Assets/root2.mat", "Assets/leaf.png") ==
        std::vector<std::string>{"Assets/root2.mat", "Assets/root.mat", "Assets/a.mat",
                                 "Assets/leaf.png"});
  CHECK(chain("Assets/root.mat", "Assets/root.mat") == std::vector<std::string>{"Assets/root.mat"});
  CHECK(chain("Assets/root.mat", "Assets/alone.png").empty());
  CHECK(chain("Assets/leaf.png", "Assets/root.mat").empty());
}

TEST_CASE("Binary content is reported for any file name", "[registry][graph]") {
  UnityProject project;
  project.file("Assets/far.prefab", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n");
  project.file("Assets/native.asset", std::string("\0\0\1\2", 4));
  project.file("Assets/picture.png", std::string("\0\0\1\2", 4));
  project.file("Assets/gone.mat", mat(""));
  const IndexedProject indexed(project.files);
  REQUIRE(project.files.remove(AssetPath::parse("Assets/gone.mat").value()).has_value());
  const ReferenceGraph graph = graph_of(project, indexed);
  std::vector<std::pair<std::string, ContentProblem::Kind>> found;
  for (const ContentProblem& problem : graph.problems()) {
    found.emplace_back(indexed.index().at(problem.asset).path.text(), problem.kind);
  }
  using Kind = ContentProblem::Kind;
  CHECK(found == std::vector<std::pair<std::string, Kind>>{{"Assets/far.prefab", Kind::lfs_pointer},
                                                           {"Assets/gone.mat", Kind::unreadable},
                                                           {"Assets/native.asset", Kind::binary}});
}

TEST_CASE("References after the first block of a file are found", "[registry][graph]") {
  UnityProject project;
  const Guid target = project.file("Assets/t.png", "png");
  std::string body;
  while (body.size() < 200'000) body += "  filler: 0123456789\n";
  project.file("Assets/m.mat", mat(body + "  a: " + strong(target) + "\n"));
  const IndexedProject indexed(project.files);
  const ReferenceGraph graph = graph_of(project, indexed);
  CHECK(graph.from(indexed.number("Assets/m.mat")).size() == 1);
}

TEST_CASE("The graph does not depend on the number of threads, and can be stopped",
          "[registry][graph]") {
  UnityProject project;
  std::vector<Guid> guids;
  for (int i = 0; i < 50; ++i) {
    std::string body;
    for (const Guid& guid : guids) body += "  a: " + strong(guid) + "\n";
    guids.push_back(project.file("Assets/m" + std::to_string(i) + ".mat", mat(body)));
  }
  const IndexedProject indexed(project.files);
  const ReferenceGraph one = graph_of(project, indexed, 1);
  const ReferenceGraph many = graph_of(project, indexed, 7);
  REQUIRE(one.edges().size() == 50 * 49 / 2);
  CHECK(std::ranges::equal(one.edges(), many.edges(), [](const auto& a, const auto& b) {
    return a.from == b.from && a.to == b.to && a.offset_bytes == b.offset_bytes;
  }));
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = scan_references(project.files, indexed.index(), 2, stop.get_token());
  REQUIRE_FALSE(stopped.has_value());
  CHECK(stopped.error().code == ErrorCode::cancelled);
}

TEST_CASE("References in a plain file are found in every YAML spelling", "[registry][graph]") {
  UnityProject project;
  const Guid a = project.file("Assets/a.mat", mat("  m_Name: a\n"));
  const std::string guid = a.to_string();
  const auto [text, is_mentioned, is_strong, reason] =
      GENERATE_COPY(table<std::string, bool, bool, std::string>({
          {"material: {fileID: 1, guid: " + guid + "}", true, true, "in braces"},
          {"material:\n    fileID: 1\n    guid: " + guid, true, true, "in block style"},
          {"material:\n    guid: " + guid + "\n    fileID: 1", true, true, "the guid first"},
          {"material: {'fileID': 1, 'guid': '" + guid + "'}", true, true, "quoted"},
          {"material: {fileID: 1, # the {main} one\n    guid: " + guid + "}", true, true,
           "with a comment inside"},
          {"material: {fileID: 1, x: {a: 1}, guid: " + guid + "}", true, true, "with more keys"},
          {"weak: {guid: " + guid + "}", true, false, "a weak reference"},
          {"weak:\n    guid: " + guid, true, false, "a weak reference in block style"},
          {"list: [{fileID: 1, guid: " + guid + "}]", true, true, "in a list"},
          {"json: '{\"guid\":\"" + guid + "\"}'", true, true, "in JSON inside a text"},
          {"x: 1 # {fileID: 1, guid: " + guid + "}", false, false, "in a comment"},
          {"note: 'was {fileID: 1, guid: " + guid + "} once'", false, false, "in prose"},
          {"note: |\n    {fileID: 1, guid: " + guid + "}", false, false, "in a block of prose"},
      }));
  CAPTURE(text, reason);
  project.file("Assets/p.yaml", "class: Prefab\nroot:\n  name: p\n  " + text + "\n");
  const IndexedProject indexed(project.files);
  const ReferenceGraph graph = graph_of(project, indexed);
  const auto edges = graph.from(indexed.number("Assets/p.yaml"));
  REQUIRE(edges.size() == (is_mentioned ? 1U : 0U));
  if (!is_mentioned) return;
  CHECK(edges[0].guid == a);
  CHECK(edges[0].is_strong() == is_strong);
  const std::string whole = "class: Prefab\nroot:\n  name: p\n  " + text;
  if (edges[0].kind != yaml::MentionKind::json) {
    CHECK(edges[0].offset_bytes == whole.find(guid));
  }
}

TEST_CASE("A plain file is scanned as text if it is of another tool or cannot be parsed",
          "[registry][graph]") {
  UnityProject project;
  const Guid a = project.file("Assets/a.mat", mat("  m_Name: a\n"));
  const std::string broken = GENERATE("class: Prefab\nroot: [\n", "kind: Deployment\n");
  project.file("Assets/p.yaml", broken + "x: " + strong(a) + "\n");
  const IndexedProject indexed(project.files);
  CHECK(graph_of(project, indexed).from(indexed.number("Assets/p.yaml")).size() == 1);
}

TEST_CASE("The extension determines whether a file is scanned and whether it is code",
          "[registry][graph]") {
  const auto path = [](const char* text) { return AssetPath::parse(text).value(); };
  for (const char* text : {"a.prefab", "a.UNITY", "a.mat", "a.yaml", "a.ShaderGraph", "a.asset"}) {
    CAPTURE(text);
    CHECK(holds_references(path(text)));
    CHECK_FALSE(is_script(path(text)));
  }
  for (const char* text : {"a.png", "a.cs", "a", ".prefab2", "prefab", "a.fbx", "a.txt"}) {
    CAPTURE(text);
    CHECK_FALSE(holds_references(path(text)));
  }
  for (const char* text : {"a.cs", "a.DLL", "a.asmdef", "a.so"}) {
    CAPTURE(text);
    CHECK(is_script(path(text)));
  }
}

}  // namespace
}  // namespace muster
