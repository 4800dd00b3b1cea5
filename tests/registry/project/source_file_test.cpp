#include "registry/project/source_file.h"

#include <thread>

#include <catch2/catch.hpp>

#include "tests/support/indexed_project.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

const std::string kHead = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n";

TEST_CASE("A source finds its objects by file id", "[registry][source]") {
  testing::UnityProject project;
  project.file("Assets/a.asset", kHead +
                                     "--- !u!4 &-7\nTransform:\n  x: 1\n"
                                     "--- !u!114 &11400000\nMonoBehaviour:\n  m_Name: main\n");
  project.file("Assets/b.prefab", kHead + "--- !u!1 &5\nGameObject:\n  m_Name: b\n");
  project.file("Assets/c.yaml", "class: Prefab\nname: c\n");
  const testing::IndexedProject indexed(project.files);
  const auto get = [&](const char* path) -> const SourceFile& {
    return indexed.sources().get(indexed.number(path));
  };
  const SourceFile& asset = get("Assets/a.asset");
  CHECK(asset.good());
  CHECK(asset.document_of(-7) == 0);
  CHECK(asset.document_of(0) == 1);
  CHECK(asset.document_of(8) == -1);
  CHECK(asset.type_name_of(0) == "Transform");
  CHECK(asset.tree.scalar_at(asset.fields_of(1), "m_Name") == "main");
  CHECK(asset.fields_of(-1) == yaml::kNoNode);
  CHECK(asset.type_name_of(-1).empty());
  CHECK(get("Assets/b.prefab").document_of(0) == 0);
  const SourceFile& plain = get("Assets/c.yaml");
  CHECK(plain.dialect == yaml::Dialect::plain);
  CHECK(plain.document_of(1) == 0);
  CHECK(plain.document_of(11400000) == 0);
  CHECK(plain.tree.scalar_at(plain.fields_of(0), "name") == "c");
  CHECK(plain.type_name_of(0).empty());
}

TEST_CASE("The class of a plain file is found in any spelling", "[registry][source]") {
  const auto [text, name] = GENERATE(table<std::string, std::string>({
      {"class: Prefab\n", "Prefab"},
      {"\xEF\xBB\xBF"
       "class: Prefab\n",
       "Prefab"},
      {"# a comment\r\nclass: 'Prefab' # another\r\n", "Prefab"},
      {"\"class\": Prefab\n", "Prefab"},
      {"class : Prefab\n", "Prefab"},
      {"{class: Prefab, root: {name: a}}\n", "Prefab"},
      {"  root: 1\n  class: Prefab\n", "Prefab"},
      {"x: " + std::string(20000, 'x') + "\nclass: Prefab\n", "Prefab"},
      {"spec: {class: Prefab}\n", ""},
      {"class: {a: b}\n", "{a: b}"},
      {"{{ if .class }}\n", ""},
      {"", ""},
  }));
  CAPTURE(text.substr(0, 80));
  CHECK(plain_class_in(text) == name);
}

TEST_CASE("A file that cannot be parsed gives the reason", "[registry][source]") {
  struct Row {
    const char* reason;
    std::string text;
    yaml::Dialect dialect;
  };
  const auto row = GENERATE(
      Row{"an LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
          yaml::Dialect::lfs_pointer},
      Row{"binary", std::string("\0\0\1", 3), yaml::Dialect::binary},
      Row{"empty", "", yaml::Dialect::empty},
      Row{"broken", kHead + "--- !u!1 &1\nGameObject:\n  m: {a: 1\n", yaml::Dialect::unity},
      Row{"broken plain", "a: [1\n", yaml::Dialect::plain});
  CAPTURE(row.reason);
  testing::UnityProject project;
  project.file("Assets/a.asset", row.text);
  const testing::IndexedProject indexed(project.files);
  const SourceFile& source = indexed.sources().get(indexed.number("Assets/a.asset"));
  CHECK_FALSE(source.good());
  CHECK(source.error.has_value());
  CHECK_FALSE(source.read_error.has_value());
  CHECK(source.dialect == row.dialect);
  CHECK(source.document_of(0) == -1);
}

TEST_CASE("A file that no longer exists is a read error, not a syntax error",
          "[registry][source]") {
  testing::UnityProject project;
  project.file("Assets/a.asset", kHead);
  const testing::IndexedProject indexed(project.files);
  const AssetNumber number = indexed.number("Assets/a.asset");
  project.remove("Assets/a.asset");
  const SourceFile& source = indexed.sources().get(number);
  REQUIRE(source.read_error.has_value());
  CHECK(source.read_error->code == ErrorCode::not_found);
}

TEST_CASE("Threads that request one file share one result", "[registry][source]") {
  testing::UnityProject project;
  project.file("Assets/a.asset", kHead + "--- !u!114 &11400000\nMonoBehaviour:\n  x: 1\n");
  const testing::IndexedProject indexed(project.files);
  const AssetNumber number = indexed.number("Assets/a.asset");
  std::vector<const SourceFile*> seen(8);
  {
    std::vector<std::jthread> threads;
    for (const SourceFile*& result : seen) {
      threads.emplace_back(
          [&result, &indexed, number] { result = &indexed.sources().get(number); });
    }
  }
  for (const SourceFile* one : seen) CHECK(one == seen.front());
}

}  // namespace
}  // namespace muster
