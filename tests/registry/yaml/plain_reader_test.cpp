#include <string>

#include <catch2/catch.hpp>

#include "registry/yaml/reader.h"
#include "tests/registry/yaml/tree_text.h"

using namespace muster::yaml;

namespace {

std::string repeated(std::string_view piece, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

}  // namespace

TEST_CASE("Plain reader accepts hand-written files", "[registry][yaml]") {
  const auto [reason, text, expected] = GENERATE(table<const char*, std::string, const char*>(
      {{"mapping", "a: 1\nb: 'c'\nd: \"e\\n\"\n", "{<a>:<1>,<b>:'c',<d>:\"e\\n\"}"},
       {"lists", "- 1\n- [2, {a: b}]\n", "[<1>,[<2>,{<a>:<b>}]]"},
       {"block scalars", "a: |\n  b\n  c\nd: >-\n  e\n  f\n", "{<a>:\"b\\nc\\n\",<d>:\"e f\"}"},
       {"several documents", "a: 1\n---\nb: 2\n", "{<a>:<1>};{<b>:<2>}"},
       {"nulls", "a:\nb: ~\nc: null\nd: ''\n", "{<a>:<>,<b>:<>,<c>:<>,<d>:''}"},
       {"explicit keys", "? a\n: b\n", "{<a>:<b>}"},
       {"anchors without aliases", "a: &x 1\n", "{<a>:<1>}"},
       {"byte-order mark and CRLF",
        "\xEF\xBB\xBF"
        "a: 1\r\nb: 2\r\n",
        "{<a>:<1>,<b>:<2>}"},
       {"key order", "z: 1\na: 2\nm: 3\n", "{<z>:<1>,<a>:<2>,<m>:<3>}"},
       {"only a scalar", "text\n", "<text>"},
       {"an explicit text", "a: !!str 5\nb: !!int 5\n", "{<a>:\"5\",<b>:<5>}"},
       {"tags that change nothing", "a: ! b\nc: !!seq [1]\nd: !!map {e: !!float 1}\n",
        "{<a>:\"b\",<c>:[<1>],<d>:{<e>:<1>}}"},
       {"the same key in two mappings", "a: {k: 1}\nb: {k: 1}\n", "{<a>:{<k>:<1>},<b>:{<k>:<1>}}"},
       {"a .meta", "fileFormatVersion: 2\nguid: 00\nA:\n  first:\n    '': Any\n",
        "{<fileFormatVersion>:<2>,<guid>:<00>,<A>:{<first>:{'':<Any>}}}"},
       {"a text kept to its last newline", "a: |+\n  b\n\n", "{<a>:\"b\\n\\n\"}"},
       {"a block scalar without final newline", "a: |\n  b", "{<a>:\"b\\n\"}"},
       {"no final newline", "a: 'b'", "{<a>:'b'}"},
       {"an end marker", "a: 1\n...\n", "{<a>:<1>}"},
       {"an empty document at the end", "a: 1\n---\n", "{<a>:<1>};none"},
       {"only comments", "# c\n", ""},
       {"nothing", "", ""}}));
  CAPTURE(reason, text);
  const ReadResult result = read_plain(text);
  REQUIRE(result.good());
  CHECK(to_text(result.tree()) == expected);
}

TEST_CASE("Plain reader gives each node its position in the file", "[registry][yaml]") {
  const ReadResult result = read_plain("a:\n  - b: 'c'\n    d: {e: f}\n");
  REQUIRE(result.good());
  const Tree& tree = result.tree();
  const NodeIndex list = tree.find(tree.documents.at(0).root, "a");
  const NodeIndex item = tree.at(list).first_child;
  CHECK(tree.at(list).key_position == Position{1, 1});
  CHECK(tree.at(list).position == Position{2, 3});
  CHECK(tree.at(item).position == Position{2, 5});
  CHECK(tree.at(tree.find(item, "b")).position == Position{2, 8});
  CHECK(tree.at(tree.find(item, "b")).key_position == Position{2, 5});
  CHECK(tree.at(tree.find(item, "d")).is_flow);
  const ReadResult nulls = read_plain("a:\nb: ~\nc:\n");
  REQUIRE(nulls.good());
  CHECK(nulls.tree().at(1).position == Position{1, 1});  // The key's position, because there is no
                                                         // value.
  CHECK(nulls.tree().at(2).position == Position{2, 4});
  CHECK(nulls.tree().at(3).position == Position{3, 1});
}

TEST_CASE("Plain reader gives an empty item the position of its dash", "[registry][yaml]") {
  struct Listed {
    std::string text;
    std::vector<Position> items;
  };
  const auto listed = GENERATE(
      Listed{"a:\n- b\n-\n\n# - no\nc:\n", {{2, 3}, {3, 1}}},
      Listed{"a:\n  -   # one\n  - \n\n", {{2, 3}, {3, 3}}}, Listed{"a:\n-\n-", {{2, 1}, {3, 2}}},
      Listed{"a:\r\n-\r\n\r\n- ~\r\n-\r\nb: 1\r\n", {{2, 1}, {4, 3}, {5, 1}}},
      Listed{"-\n\n-\n---\nb: 1\n", {{1, 1}, {3, 1}}}, Listed{"a: [b, ~]\n", {{1, 5}, {1, 8}}});
  CAPTURE(listed.text);
  const ReadResult result = read_plain(listed.text);
  REQUIRE(result.good());
  const Tree& tree = result.tree();
  const NodeIndex root = tree.documents.at(0).root;
  const bool is_top = tree.at(root).kind == NodeKind::sequence;
  std::vector<Position> items;
  for (const NodeIndex item : Children(tree, is_top ? root : tree.find(root, "a"))) {
    items.push_back(tree.at(item).position);
  }
  CHECK(items == listed.items);
  // The last dash of a line belongs to the innermost list.
  const ReadResult nested = read_plain("- -\n  - b\n");
  REQUIRE(nested.good());
  CHECK(nested.tree().at(2).position == Position{1, 3});
}

TEST_CASE("Plain reader reports position and reason of a refusal", "[registry][yaml]") {
  struct Refusal {
    std::string text;
    Position position;
    const char* message_part;
  };
  const auto row = GENERATE(
      Refusal{"a: 1\nb: 2\na: 3\n", {3, 1}, "'a' is already on line 1"},
      Refusal{"x: {k: 1, k: 2}\n", {1, 11}, "'k' is already on line 1"},
      Refusal{"a: 1\n'a': 2\n", {2, 1}, "already"}, Refusal{"a: &x 1\nb: *x\n", {2, 4}, "aliases"},
      Refusal{"a: &x {b: c}\n<<: *x\n", {2, 5}, "aliases"},
      Refusal{"a: !!binary aGk=\n", {1, 4}, "the tag '!!binary' has no meaning here"},
      Refusal{"a: 1\nb: !Ref x\n", {2, 4}, "the tag '!Ref'"},
      Refusal{"a: !!set {b, c}\n", {1, 4}, "the tag '!!set'"},
      Refusal{"a: !!omap [b: 1]\n", {1, 4}, "the tag '!!omap'"},
      Refusal{"? [a, b]\n: c\n", {1, 3}, "cannot be a key"},
      Refusal{"? {a: b}\n: c\n", {1, 3}, "cannot be a key"},
      Refusal{"a: [1\n", {2, 1}, "ends inside"}, Refusal{"a: 'b\n", {2, 1}, "ends inside"},
      Refusal{"a: &x \"b\n\n", {3, 1}, "ends inside"}, Refusal{"a: \"b", {1, 6}, "ends inside"},
      Refusal{"'a' b\n", {1, 5}, "behind the value"}, Refusal{", a\n", {1, 1}, "behind the value"},
      Refusal{"a: 1\n---\n, b\n", {3, 1}, "behind the value"},
      Refusal{"\xEF\xBB\xBF\xEF\xBB\xBF"
              "a: 1\n",
              {1, 1},
              "UTF-8"},
      Refusal{"a: \x04\n", {1, 4}, "control character"},
      Refusal{"a: b: c\n", {1, 5}, "illegal map value"},
      Refusal{"%YAML 9.9\n---\na: 1\n", {1, 1}, "version"},
      Refusal{std::string("a: \0b\n", 6), {1, 4}, "UTF-8"},
      Refusal{"\xFE\xFF"
              "a",
              {1, 1},
              "UTF-8"});
  CAPTURE(row.text);
  const ReadResult result = read_plain(row.text);
  REQUIRE_FALSE(result.good());
  CAPTURE(result.error().message);
  CHECK(result.error().message.find(row.message_part) != std::string::npos);
  CHECK(result.error().position.line == row.position.line);
  CHECK(result.error().position.column == row.position.column);
}

TEST_CASE("Plain reader refuses extremely deep nesting early", "[registry][yaml]") {
  constexpr std::size_t kDepth = 100'000;
  const std::string piece =
      GENERATE(as<std::string>(), "[", "{a: ", "- ", "? ", "[[a, ", "- [", "{", "[{", "? - ",
               "- ? ", "[? ", "{? ", "&a [", "!t [", "'a': [", "\"]\" : [");
  CAPTURE(piece);
  const ReadResult result = read_plain(repeated(piece, kDepth));
  REQUIRE_FALSE(result.good());
  CHECK_FALSE(result.error().message.empty());
}

TEST_CASE("Plain reader's limits are exact", "[registry][yaml]") {
  CHECK(read_plain("a: [[]]", {.depth_max = 3}).good());
  CHECK_FALSE(read_plain("a: [[]]", {.depth_max = 2}).good());
  CHECK(read_plain("[1, 2, 3]", {.node_count_max = 4}).good());
  CHECK_FALSE(read_plain("[1, 2, 3, 4]", {.node_count_max = 4}).good());
  CHECK(read_plain("a: \"" + repeated("[", 10'000) + "\"\n").good());
}

TEST_CASE("Plain reader survives every truncation and every flipped bit", "[registry][yaml]") {
  const std::string sample =
      "# c\nname: &a 'x'\nlist:\n  - {guid: 0f, type: 3}\n  - |\n    text\n  - \"\\u00e9\"\n"
      "? k\n: v\n---\n- - 1\n  - 2\n";
  REQUIRE(read_plain(sample).good());
  const auto check_bounds = [&](const std::string& text) {
    const ReadResult result = read_plain(text);
    if (result.good()) return;
    CHECK(result.error().position.line <= 14);
    CHECK_FALSE(result.error().message.empty());
  };
  for (std::size_t length = 0; length <= sample.size(); ++length) {
    CAPTURE(length);
    check_bounds(sample.substr(0, length));
  }
  for (std::size_t bit = 0; bit < sample.size() * 8; ++bit) {
    std::string damaged = sample;
    damaged[bit / 8] =
        static_cast<char>(static_cast<unsigned char>(damaged[bit / 8]) ^ (1U << bit % 8));
    CAPTURE(bit);
    check_bounds(damaged);
  }
}
