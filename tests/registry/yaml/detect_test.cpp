#include <string>

#include <catch2/catch.hpp>

#include "registry/yaml/reader.h"
#include "tests/registry/yaml/tree_text.h"

using namespace muster::yaml;

namespace {

const std::string kPointer =
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";

}  // namespace

TEST_CASE("The dialect of a file is detected from its beginning", "[registry][yaml]") {
  const auto [reason, text, expected] = GENERATE(table<const char*, std::string, Dialect>(
      {{"Unity's header", "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!1 &1\n",
        Dialect::unity},
       {"with a byte-order mark", "\xEF\xBB\xBF%YAML 1.1\r\n%TAG !u! tag:unity3d.com,2011:\r\n",
        Dialect::unity},
       {"only an object header", "--- !u!1 &1\nGameObject:\n", Dialect::unity},
       {"after comments", "# a\n\n--- !u!1 &1\n", Dialect::unity},
       {"another tag", "%YAML 1.1\n%TAG !x! tag:example.com,2011:\n---\na: 1\n", Dialect::plain},
       {"a .meta", "fileFormatVersion: 2\nguid: 0\n", Dialect::plain},
       {"an object header inside a text", "a: |\n  x\nb:\n--- !u!1 &1\n", Dialect::plain},
       {"JSON", "{\"a\": 1}", Dialect::plain},
       {"Git LFS pointer", kPointer, Dialect::lfs_pointer},
       {"a long text that begins like a header", kPointer + std::string(2000, 'x'), Dialect::plain},
       {"native binary", std::string("\0\0\1\2unity", 9), Dialect::binary},
       {"a NUL in text", std::string("a: \0\n", 5), Dialect::binary},
       {"UTF-16",
        "\xFF\xFE"
        "a",
        Dialect::binary},
       {"no bytes", "", Dialect::empty},
       {"byte-order mark only", "\xEF\xBB\xBF", Dialect::empty},
       {"white space only", std::string(20000, '\n') + " \t\r\n", Dialect::empty}}));
  CAPTURE(reason);
  CHECK(detect_dialect(text) == expected);
}

TEST_CASE("read() accepts both dialects and reports the kind of any other file",
          "[registry][yaml]") {
  const ReadResult unity = read("--- !u!1 &2 stripped\na: 1\n");
  REQUIRE(unity.good());
  CHECK(to_text(unity.tree()) == "1&2 stripped={<a>:<1>}");
  const ReadResult plain = read("a: |\n  b\n");
  REQUIRE(plain.good());
  CHECK(to_text(plain.tree()) == "{<a>:\"b\\n\"}");
  const auto [text, part] = GENERATE(table<std::string, const char*>(
      {{kPointer, "git lfs pull"}, {std::string(10, '\0'), "Force Text"}, {"", "empty"}}));
  const ReadResult refused = read(text);
  REQUIRE_FALSE(refused.good());
  CHECK(refused.error().message.find(part) != std::string::npos);
  CHECK(refused.error().position == Position{1, 1});
}
