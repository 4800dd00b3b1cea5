// Tests references to folders, and references in binary files.
#include <algorithm>

#include <catch2/catch.hpp>

#include "registry/base/bytes.h"
#include "registry/project/reference_graph.h"
#include "registry/project/serialized_externals.h"
#include "registry/project/serialized_guids.h"
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

TEST_CASE("A folder in an atlas stands for all pictures in the folder, at any depth",
          "[registry][graph]") {
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

// A serialized file: a header, the guids (with swapped digits in each byte), and content.
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

TEST_CASE("Guids in an asset of the engine's binary form are references", "[registry][graph]") {
  UnityProject project;
  const Guid layer = project.file("Assets/Grass.terrainlayer", "");
  const Guid mesh = project.file("Assets/Rock.fbx", "model");
  const std::uint32_t version = GENERATE(9U, 17U, 21U, 22U);
  // A file of the second size is not searched completely.
  const std::size_t content_bytes = GENERATE(500U, 5U * 1024U * 1024U);
  CAPTURE(version, content_bytes);
  project.file("Assets/Terrain.asset", serialized({layer, mesh}, version, content_bytes));
  CHECK(strong_targets(project, "Assets/Terrain.asset") ==
        std::vector<std::string>{"Assets/Grass.terrainlayer", "Assets/Rock.fbx"});
}

// Writes a serialized file with all tables: two types (one for a script), two objects, a script and
// external files.
class SerializedWriter {
 public:
  SerializedWriter(std::uint32_t version, bool is_big, bool has_fields)
      : version_(version), is_big_(is_big), has_fields_(has_fields) {}

  std::string write(const std::vector<Guid>& guids) {
    text_ = std::string("2022.3.10f1") + '\0';
    number(19, 4);
    number(has_fields_ ? 1 : 0, 1);
    number(2, 4);
    type(28, 0);
    type(114, version_ < 16 ? 0x8000'0000U : 0);
    number(2, 4);
    for (std::uint64_t object = 0; object < 2; ++object) add_object(object);
    number(1, 4);
    number(0, 4);
    align();
    number(11500000, 8);
    number(guids.size(), 4);
    for (const Guid& guid : guids) {
      number(0, 1);
      for (const std::byte one : guid.bytes()) {
        number(std::to_integer<unsigned>((one << 4U) | (one >> 4U)), 1);
      }
      number(2, 4);
      text_ += std::string("library/file") + '\0';
    }
    if (version_ >= 20) number(0, 4);
    number(0, 1);
    return head() + text_ + std::string(500, '\0');
  }

 private:
  void number(std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t shift = 8 * (is_big_ ? size - 1 - i : i);
      text_ += static_cast<char>(value >> shift & 0xFFU);
    }
  }
  std::size_t head_bytes() const { return version_ < 22 ? 20 : 48; }
  void align() {
    while ((head_bytes() + text_.size()) % 4 != 0) text_ += '\0';
  }
  void type(std::uint32_t class_id, std::uint32_t script_bit) {
    number(class_id | script_bit, 4);
    if (version_ >= 16) number(0, 1);
    if (version_ >= 17) number(0, 2);
    text_ += std::string(class_id == 114 ? 32 : 16, 'h');
    if (!has_fields_) return;
    number(2, 4);
    number(5, 4);
    text_ += std::string(2 * (version_ >= 19 ? 32 : 24) + 5, 'n');
    if (version_ >= 21) {
      number(1, 4);
      number(0, 4);
    }
  }
  void add_object(std::uint64_t id) {
    align();
    number(id + 1, 8);
    number(0, version_ >= 22 ? 8 : 4);
    number(16, 4);
    number(0, 4);
    if (version_ < 16) number(0, 2);
    if (version_ < 17) number(0, 2);
    if (version_ == 15 || version_ == 16) number(0, 1);
  }
  std::string head() const {
    const std::size_t size = head_bytes() + text_.size() + 500;
    const auto big = [](std::uint64_t value, std::size_t bytes) {
      std::string text;
      for (std::size_t i = bytes; i-- > 0;) text += static_cast<char>(value >> (8 * i) & 0xFFU);
      return text;
    };
    const std::string order = std::string(1, is_big_ ? '\1' : '\0') + std::string(3, '\0');
    if (version_ < 22) {
      return big(text_.size(), 4) + big(size, 4) + big(version_, 4) + big(size, 4) + order;
    }
    return std::string(8, '\0') + big(version_, 4) + std::string(4, '\0') + order +
           big(text_.size(), 4) + big(size, 8) + big(size, 8) + std::string(8, '\0');
  }

  std::uint32_t version_;
  bool is_big_;
  bool has_fields_;
  std::string text_;
};

TEST_CASE("A binary asset's table of external files is read in every layout",
          "[registry][project]") {
  const std::uint32_t version = GENERATE(14U, 15U, 16U, 17U, 19U, 20U, 21U, 22U);
  const bool is_big = GENERATE(false, true);
  const bool has_fields = GENERATE(false, true);
  CAPTURE(version, is_big, has_fields);
  const std::vector<Guid> guids = {Guid::parse("00112233445566778899aabbccddeeff").value(),
                                   Guid::parse("7feb6b818bc574722a21e4df3ee3b193").value()};
  const std::string text = SerializedWriter(version, is_big, has_fields).write(guids);
  REQUIRE(is_whole_serialized_file(text));
  const auto externals = read_externals(text);
  REQUIRE(externals.has_value());
  REQUIRE(externals->size() == 2);
  CHECK((*externals)[0].guid == guids[0]);
  CHECK((*externals)[1].guid == guids[1]);
  for (std::size_t size = 0; size < text.size() - 500; ++size) {
    CHECK_FALSE(read_externals(std::string_view(text).substr(0, size)).has_value());
  }
}

TEST_CASE("A guid of a binary asset that is not in the project is an unresolved reference",
          "[registry][graph]") {
  UnityProject project;
  const Guid layer = project.file("Assets/Grass.terrainlayer", "");
  const Guid lost = Guid::parse("7feb6b818bc574722a21e4df3ee3b193").value();
  project.file("Assets/Terrain.asset", SerializedWriter(22, false, false).write({layer, lost}));
  const IndexedProject indexed(project.files);
  const auto graph = scan_references(project.files, indexed.index(), 1, {});
  REQUIRE(graph.has_value());
  const auto edges = graph.value().from(indexed.number("Assets/Terrain.asset"));
  REQUIRE(edges.size() == 2);
  CHECK(edges[0].guid == layer);
  CHECK(edges[1].guid == lost);
  CHECK(edges[1].to == kNoAsset);
  CHECK(edges[1].is_strong());
}

TEST_CASE("Binary files that are not serialized assets are not searched", "[registry][graph]") {
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

TEST_CASE("Only the head and the tables of a large serialized file are searched",
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
