// References that lead to folders, and those of files without text.
#include <algorithm>

#include <catch2/catch.hpp>

#include "registry/project/reference_graph.h"
#include "registry/project/serialized_file.h"
#include "registry/vocabulary/bytes.h"
#include "tests/support/indexed_project.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::IndexedProject;
using testing::UnityProject;

std::vector<std::string> strong_targets(const UnityProject& project, const std::string& path) {
  const IndexedProject indexed(project.files);
  const auto graph = scan_references(project.files, indexed.index(), 2, {});
  REQUIRE(graph.has_value());
  std::vector<std::string> found;
  for (const ReferenceEdge& edge : graph.value().from(indexed.number(path))) {
    if (edge.is_strong()) found.push_back(indexed.index().at(edge.to).path.text());
  }
  std::ranges::sort(found);
  return found;
}

Guid folder(UnityProject& project, const std::string& path, const std::string& guid) {
  project.files.add(path + ".meta", "guid: " + guid + "\nfolderAsset: yes\n");
  return Guid::parse(guid).value();
}

TEST_CASE("A folder means to an atlas the pictures in it, at any depth", "[registry][graph]") {
  UnityProject project;
  for (const char* path : {"Assets/Icons/a.png", "Assets/Icons/Deep/b.psd", "Assets/Icons/c.txt",
                           "Assets/Icons/Deep/d.spriteatlas", "Assets/Iconset/e.png"}) {
    project.file(path, "x");
  }
  const Guid icons = folder(project, "Assets/Icons", "00112233445566778899aabbccddee01");
  const std::string extension = GENERATE(as<std::string>{}, "spriteatlas", "spriteatlasv2");
  project.file("Assets/Ui." + extension,
               "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!687078895 &1\nSpriteAtlas:\n"
               "  m_EditorData:\n    packables:\n    - {fileID: 102900000, guid: " +
                   icons.to_string() + ", type: 3}\n");
  CHECK(strong_targets(project, "Assets/Ui." + extension) ==
        std::vector<std::string>{"Assets/Icons", "Assets/Icons/Deep/b.psd", "Assets/Icons/a.png"});
}

// The head of a serialized file, the guids (with the digits of each byte swapped), and content.
std::string serialized(const std::vector<Guid>& guids, std::uint32_t version,
                       std::size_t content_bytes) {
  std::string tables = std::string(41, '\0');
  for (const Guid& guid : guids) {
    for (const std::byte one : guid.bytes()) {
      tables += static_cast<char>(std::to_integer<unsigned>((one << 4U) | (one >> 4U)));
    }
    tables += "\x02";
  }
  const auto big_endian = [](std::uint64_t value, std::size_t size) {
    std::string text;
    for (std::size_t i = size; i-- > 0;) text += static_cast<char>(value >> (8 * i) & 0xFFU);
    return text;
  };
  const std::size_t head = version < 22 ? 20 : 48;
  const std::size_t size = head + tables.size() + content_bytes;
  std::string text = version < 22
                         ? big_endian(tables.size(), 4) + big_endian(size, 4) +
                               big_endian(version, 4) + big_endian(size, 4) + std::string(4, '\0')
                         : std::string(8, '\0') + big_endian(version, 4) + std::string(8, '\0') +
                               big_endian(tables.size(), 4) + big_endian(size, 8) +
                               big_endian(size, 8) + std::string(8, '\0');
  return text + tables + std::string(content_bytes, '\0');
}

TEST_CASE("The guids in an asset of the engine's binary form are references", "[registry][graph]") {
  UnityProject project;
  const Guid layer = project.file("Assets/Grass.terrainlayer", "");
  const Guid mesh = project.file("Assets/Rock.fbx", "model");
  const std::uint32_t version = GENERATE(9U, 17U, 21U, 22U);
  // The second size is beyond what is searched without a look at the head.
  const std::size_t content_bytes = GENERATE(500U, 5U * 1024U * 1024U);
  CAPTURE(version, content_bytes);
  project.file("Assets/Terrain.asset", serialized({layer, mesh}, version, content_bytes));
  CHECK(strong_targets(project, "Assets/Terrain.asset") ==
        std::vector<std::string>{"Assets/Grass.terrainlayer", "Assets/Rock.fbx"});
}

TEST_CASE("Binary files that are no serialized assets are searched for nothing",
          "[registry][graph]") {
  UnityProject project;
  const Guid layer = project.file("Assets/Grass.terrainlayer", "");
  std::string cut = serialized({layer}, 22, 100);
  cut.pop_back();
  project.file("Assets/Cut.asset", cut);
  const IndexedProject indexed(project.files);
  const auto graph = scan_references(project.files, indexed.index(), 1, {});
  REQUIRE(graph.has_value());
  CHECK(graph.value().from(indexed.number("Assets/Cut.asset")).empty());
  REQUIRE(graph.value().problems().size() == 1);
  CHECK(graph.value().problems()[0].kind == ContentProblem::Kind::binary);
}

TEST_CASE("Of a large serialized file the head and the tables behind it are searched",
          "[registry][project]") {
  const std::string large = serialized({Guid::parse("00112233445566778899aabbccddeeff").value()},
                                       22, 16U * 1024U * 1024U);
  CHECK(has_serialized_head(large.substr(0, kSerializedHeadBytes), large.size()));
  CHECK(searched_bytes(large, large.size()) < large.size());
  std::string silent = large;
  std::ranges::fill(silent.begin() + 20, silent.begin() + 24, '\0');
  CHECK(searched_bytes(silent, silent.size()) == silent.size());
}

}  // namespace
}  // namespace muster
