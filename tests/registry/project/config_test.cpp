#include "registry/project/config.h"

#include <catch2/catch.hpp>

#include "registry/base/memory_file_system.h"

namespace muster {
namespace {

std::vector<std::string> texts(const std::vector<AssetPath>& paths) {
  std::vector<std::string> result;
  for (const AssetPath& path : paths) result.push_back(path.text());
  return result;
}

TEST_CASE("A Unity project needs no settings", "[registry][config]") {
  MemoryFileSystem files;
  files.add("Assets/a.txt", "");
  CHECK(texts(load_config(files).value().folders) == std::vector<std::string>{"Assets"});
  files.add("Packages/manifest.json", "{}");
  const auto config = load_config(files);
  REQUIRE(config.has_value());
  CHECK(texts(config.value().folders) == std::vector<std::string>{"Assets", "Packages"});
  CHECK(config.value().source == nullptr);
  CHECK_FALSE(config.value().components.has_value());
}

TEST_CASE("muster.yaml names the folders and files of a project", "[registry][config]") {
  MemoryFileSystem files;
  files.add("muster.yaml",
            "version: 1\nname: game\nfolders: [content/art, plain/]\ncomponents: c.json\n"
            "external_guids: [00112233445566778899aabbccddeeff]\nclasses: {}\n");
  files.add("content/art/a.txt", "");
  files.add("plain/a.txt", "");
  files.add("c.json", "{}");
  const auto config = load_config(files);
  REQUIRE(config.has_value());
  CHECK(config.value().name == "game");
  CHECK(texts(config.value().folders) == std::vector<std::string>{"content/art", "plain"});
  CHECK(config.value().components.value().text() == "c.json");
  CHECK(config.value().external_guids.contains(
      Guid::parse("00112233445566778899aabbccddeeff").value()));
  CHECK(config.value().source->root != yaml::kNoNode);
}

TEST_CASE("Invalid settings are refused with their line", "[registry][config]") {
  const auto [text, location, reason] = GENERATE(table<std::string, std::string, std::string>({
      {"", "muster.yaml:1:1", "empty"},
      {"- 1\n", "muster.yaml:1:1", "not a mapping"},
      {"name: game\n", "muster.yaml:1:1", "no version"},
      {"version: 2\n", "muster.yaml:1:10", "another version"},
      {"version: 1\nfolder: [a]\n", "muster.yaml:2:9", "an unknown key"},
      {"version: 1\nbundles: {}\n", "muster.yaml:2:10", "a key without meaning"},
      {"version: 1\nfolders: [Assets, gone]\n", "muster.yaml:2:19", "a missing folder"},
      {"version: 1\nfolders:\n- ../elsewhere\n", "muster.yaml:3:3", "outside the project"},
      {"version: 1\nfolders:\n- /tmp\n", "muster.yaml:3:3", "an absolute path"},
      {"version: 1\ncomponents: ../c.json\n", "muster.yaml:2:13", "outside the project"},
      {"version: 1\ncomponents: c.json\n", "muster.yaml:2:13", "a missing file"},
      {"version: 1\ncomponents: [a]\n", "muster.yaml:2:13", "a list instead of a value"},
      {"version: 1\ncomponents: art\n", "muster.yaml:2:13", "a folder instead of a file"},
      {"version: 1\nname: [a]\n", "muster.yaml:2:7", "a list instead of a value"},
      {"version: 1\nfolders: art\n", "muster.yaml:2:10", "a value instead of a list"},
      {"version: 1\nfolders: []\n", "muster.yaml:2:10", "an empty list"},
      {"version: 1\nfolders: [[art]]\n", "muster.yaml:2:11", "a list instead of a folder"},
      {"version: 1\nexternal_guids: 00112233445566778899aabbccddeeff\n", "muster.yaml:2:17",
       "a value instead of a list"},
      {"version: 1\nexternal_guids: [1]\n", "muster.yaml:2:18", "not a guid"},
      {"version: 1\nversion: 1\n", "muster.yaml:2:1", "a repeated key"},
      {"version: 1\nname: [\n", "muster.yaml:", "broken syntax"},
      {"version: 1\n---\nversion: 1\n", "muster.yaml:1:1", "two documents"},
      {"version: 1\nfolder: [art]\n",
       "muster.yaml:2:9: unknown key 'folder'; did you mean 'folders'?", "a misspelt key"},
      {"version: 1\nexternal_guids: [[1]]\n", "muster.yaml:2:18", "a list in a list"},
  }));
  CAPTURE(text, reason);
  MemoryFileSystem files;
  files.add("Assets/a.txt", "");
  files.add("muster.yaml", text);
  const auto config = load_config(files);
  REQUIRE_FALSE(config.has_value());
  CHECK(config.error().code == ErrorCode::malformed);
  CHECK_THAT(config.error().message, Catch::StartsWith(location));
}

TEST_CASE("A settings file with a wrong name is refused, not ignored", "[registry][config]") {
  const std::string name =
      GENERATE(as<std::string>{}, "muster.yml", "Muster.yaml", ".muster.yaml", "muster.yaml.txt");
  MemoryFileSystem files;
  files.add("Assets/a.txt", "");
  files.add(name, "version: 1\n");
  const auto config = load_config(files);
  REQUIRE_FALSE(config.has_value());
  CHECK(config.error().code == ErrorCode::malformed);
  CHECK_THAT(config.error().message, Catch::StartsWith(name + ":1:1: "));
  files.add("muster.yaml", "version: 1\n");
  // Only these names are refused beside a `muster.yaml`. Other names are backups.
  const bool is_second = name == "muster.yml" || name == ".muster.yaml";
  CHECK(load_config(files).has_value() != is_second);
}

TEST_CASE("The error for a folder that is not a project suggests nearby projects",
          "[registry][config]") {
  MemoryFileSystem files;
  CHECK(load_config(files).error().code == ErrorCode::not_found);
  files.add("games/a/muster.yaml", "version: 1\n");
  files.add("one/Assets/a.txt", "");
  files.add("two/muster.yaml", "version: 1\n");
  const auto config = load_config(files);
  REQUIRE_FALSE(config.has_value());
  CHECK(config.error().code == ErrorCode::not_found);
  CHECK_THAT(config.error().message, Catch::EndsWith("did you mean 'one', 'two'?"));
}

TEST_CASE("A nearby project is searched at most two folders down", "[registry][config]") {
  MemoryFileSystem files;
  files.add("client/Game/Assets/a.txt", "");
  files.add(".cache/Assets/a.txt", "");
  files.add("old~/Assets/a.txt", "");
  files.add("a/b/c/Assets/a.txt", "");
  const auto refused = load_config(files);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::not_found);
  CHECK(refused.error().message.ends_with("; did you mean 'client/Game'?"));
  for (int i = 0; i < 2000; ++i) files.add("a" + std::to_string(i) + "/x/y/a.txt", "");
  CHECK_FALSE(load_config(files).has_value());
}

TEST_CASE("A settings file of unreasonable size is refused", "[registry][config]") {
  MemoryFileSystem files;
  files.add("muster.yaml", std::string(5 * 1024 * 1024, '#'));
  CHECK(load_config(files).error().code == ErrorCode::limit_exceeded);
}

}  // namespace
}  // namespace muster
