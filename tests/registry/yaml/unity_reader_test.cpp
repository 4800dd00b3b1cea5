#include <string>

#include <catch2/catch.hpp>

#include "registry/yaml/reader.h"
#include "tests/registry/yaml/tree_text.h"

using namespace muster;
using namespace muster::yaml;

namespace {

struct Case {
  const char* reason;
  std::string text;
  const char* expected;
};

void check(const Case& row) {
  CAPTURE(row.reason, row.text);
  const ReadResult result = read_unity(row.text);
  if (!result.good()) {
    CAPTURE(result.error().position.line, result.error().position.column, result.error().message);
    REQUIRE(result.good());
  }
  CHECK(to_text(result.tree()) == row.expected);
}

}  // namespace

TEST_CASE("Unity reader reads every header of Unity", "[registry][yaml]") {
  check(GENERATE(
      Case{"two documents under one %TAG",
           "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!1 &100\nGameObject:\n  m_Name: A\n"
           "--- !u!4 &200\nTransform:\n  m_Father: {fileID: 0}\n",
           "1&100={<GameObject>:{<m_Name>:<A>}};4&200={<Transform>:{<m_Father>:{<fileID>:<0>}}}"},
      Case{"stripped", "--- !u!4 &7 stripped\nTransform:\n  a: 1\n",
           "4&7 stripped={<Transform>:{<a>:<1>}}"},
      Case{"stripped and CRLF", "--- !u!4 &7 stripped\r\nTransform:\r\n  a: 1\r\n",
           "4&7 stripped={<Transform>:{<a>:<1>}}"},
      Case{"negative file id of 64 bits", "--- !u!114 &-6707659152711265730\nM: {}\n",
           "114&-6707659152711265730={<M>:{}}"},
      Case{"smallest file id", "--- !u!114 &-9223372036854775808\nM: {}\n",
           "114&-9223372036854775808={<M>:{}}"},
      Case{"class id above a million", "--- !u!2083052967 &1\nVisualEffect: {}\n",
           "2083052967&1={<VisualEffect>:{}}"},
      Case{"byte-order mark", "\xEF\xBB\xBFguid: 1\n", "{<guid>:<1>}"},
      Case{"byte-order mark before a header", "\xEF\xBB\xBF%YAML 1.1\n--- !u!1 &1\na: 1\n",
           "1&1={<a>:<1>}"},
      Case{"no header, as in a .meta", "fileFormatVersion: 2\nguid: ab\nA:\n  b:\n",
           "{<fileFormatVersion>:<2>,<guid>:<ab>,<A>:{<b>:<>}}"},
      Case{"missing final newline", "--- !u!1 &1\na: b", "1&1={<a>:<b>}"},
      Case{"object without content", "--- !u!1 &1\n--- !u!1 &2\n", "1&1=none;1&2=none"},
      Case{"directives again before a later document", "a: 1\n...\n%YAML 1.1\n---\nb: 2\n",
           "{<a>:<1>};{<b>:<2>}"},
      Case{"comment behind a header", "--- !u!1 &1 # c\na: 1\n", "1&1={<a>:<1>}"},
      Case{"empty text", "", ""}, Case{"blank lines only", "\n \n\t\r\n", ""}));
}

TEST_CASE("Unity reader reads block collections at every indentation", "[registry][yaml]") {
  check(GENERATE(
      Case{"sequence at its key's column",
           "m_Component:\n- component: {fileID: 1}\n- component: {fileID: 2}\nm_Layer: 0\n",
           "{<m_Component>:[{<component>:{<fileID>:<1>}},{<component>:{<fileID>:<2>}}],"
           "<m_Layer>:<0>}"},
      Case{"the same one level deeper", "G:\n  a:\n  - 1\n  - 2\n  b: 3\n",
           "{<G>:{<a>:[<1>,<2>],<b>:<3>}}"},
      Case{"sequence indented", "a:\n  - 1\n  - 2\nb: 3\n", "{<a>:[<1>,<2>],<b>:<3>}"},
      Case{"nested sequences", "a:\n- - 1\n  - 2\n- - - 3\n", "{<a>:[[<1>,<2>],[[<3>]]]}"},
      Case{"sequence of maps", "a:\n- k: 1\n  l: 2\n- k: 3\n",
           "{<a>:[{<k>:<1>,<l>:<2>},{<k>:<3>}]}"},
      Case{"map in a list in a map at one column", "a:\n- b:\n  - 1\n  c: 2\nd: 3\n",
           "{<a>:[{<b>:[<1>],<c>:<2>}],<d>:<3>}"},
      Case{"integer keys of editors before 5.5",
           "m_Component:\n  - 4: {fileID: 1}\n  - 114: {fileID: 2}\n",
           "{<m_Component>:[{<4>:{<fileID>:<1>}},{<114>:{<fileID>:<2>}}]}"},
      Case{"quoted empty key of plugin importers", "first:\n  '': Any\nsecond: 1\n",
           "{<first>:{'':<Any>},<second>:<1>}"},
      Case{"bare empty key", "first:\n  : Any\n", "{<first>:{<>:<Any>}}"},
      Case{"repeated keys stay, in order", "data: 1\ndata: 2\n", "{<data>:<1>,<data>:<2>}"},
      Case{"compiler-made names", "<Name>k__BackingField: 1\n", "{<<Name>k__BackingField>:<1>}"},
      Case{"keys with spaces", "First Second: 1\n", "{<First Second>:<1>}"},
      Case{"quoted keys", "\"a b\": 1\n'c: d': 2\n", "{\"a b\":<1>,'c: d':<2>}"},
      Case{"colons inside a key", "a:b: 1\n", "{<a:b>:<1>}"},
      Case{"key without value, then a sibling", "a:\nb: 1\n", "{<a>:<>,<b>:<1>}"},
      Case{"key without value at the end", "a:\n  b:\n", "{<a>:{<b>:<>}}"},
      Case{"dash without value", "a:\n-\n- 1\n", "{<a>:[<>,<1>]}"},
      Case{"value of a dash on the next line", "a:\n-\n  b: 1\n", "{<a>:[{<b>:<1>}]}"},
      Case{"root sequence", "- 1\n- a: 2\n", "[<1>,{<a>:<2>}]"},
      Case{"empty collections", "a: []\nb: {}\n", "{<a>:[],<b>:{}}"},
      Case{"comments", "# c\na: 1 # c\n  # c\nb: # c\n  c: 2\nd: e#f\n",
           "{<a>:<1>,<b>:{<c>:<2>},<d>:<e#f>}"},
      Case{"a scalar below its key", "a:\n  b c\nd: 1\n", "{<a>:<b c>,<d>:<1>}"},
      Case{"managed references",
           "references:\n  version: 2\n  RefIds:\n  - rid: -2\n    type: {class: , ns: , asm: }\n"
           "  - rid: 8\n    type: {class: A/B, ns: N.M, asm: C-D}\n    data:\n      x: 1\n",
           "{<references>:{<version>:<2>,<RefIds>:[{<rid>:<-2>,<type>:{<class>:<>,<ns>:<>,<asm>:<>}"
           "},"
           "{<rid>:<8>,<type>:{<class>:<A/B>,<ns>:<N.M>,<asm>:<C-D>},<data>:{<x>:<1>}}]}}"},
      Case{"an instance without a source", "PrefabInstance:\n  m_SourcePrefab: {fileID: 0}\n",
           "{<PrefabInstance>:{<m_SourcePrefab>:{<fileID>:<0>}}}"}));
}

TEST_CASE("Unity reader reads plain scalars, folded or not", "[registry][yaml]") {
  check(GENERATE(
      Case{"numbers stay text", "a: Infinity\nb: nan\nc: -1\nd: 1e-05\n",
           "{<a>:<Infinity>,<b>:<nan>,<c>:<-1>,<d>:<1e-05>}"},
      Case{"continued on a deeper line", "a: b\n  c\nd: 1\n", "{<a>:<b c>,<d>:<1>}"},
      Case{"continued in a list", "a:\n- b\n  c\n- d\n", "{<a>:[<b c>,<d>]}"},
      Case{"blank lines are newlines", "a: b\n\n\n  c\nd: 1\n", "{<a>:<b\\n\\nc>,<d>:<1>}"},
      Case{"blank lines at the end are ignored", "a: b\n\n\nd: 1\n", "{<a>:<b>,<d>:<1>}"},
      Case{"continued under CRLF", "a: b\r\n    c\r\nd: 1\r\n", "{<a>:<b c>,<d>:<1>}"},
      Case{"mixed line ends", "a: b\r\nc: d\ne: f\r\n", "{<a>:<b>,<c>:<d>,<e>:<f>}"},
      Case{"surrounding blanks are dropped", "a:   b  \n", "{<a>:<b>}"},
      Case{"number signs and colons without a blank", "a: b#c:d\n", "{<a>:<b#c:d>}"},
      Case{"a comment ends it", "a: b # c\n", "{<a>:<b>}"},
      Case{"brackets inside", "a: m_Array.data[0]}\n", "{<a>:<m_Array.data[0]}>}"},
      Case{"rich text", "a: <u><#40a0ff><link=\"ID_01>\n", "{<a>:<<u><#40a0ff><link=\"ID_01>>}"},
      Case{"special characters without meaning in the dialect",
           "a: &b\nc: *d\ne: !f\ng: %h\ni: @j\nk: `l\nm: -n\no: ?p\nq: |r\ns: =\nt: ~\n",
           "{<a>:<&b>,<c>:<*d>,<e>:<!f>,<g>:<%h>,<i>:<@j>,<k>:<`l>,<m>:<-n>,<o>:<?p>,<q>:<|r>,"
           "<s>:<=>,<t>:<~>}"},
      Case{"invalid UTF-8 passes through", "a: \xFF\xC0\n", "{<a>:<\xFF\xC0>}"}));
}

TEST_CASE("Unity reader reads quoted scalars, folded or not", "[registry][yaml]") {
  check(GENERATE(
      Case{"doubled quote", "a: 'it''s'\n", "{<a>:'it's'}"},
      Case{"empty", "a: ''\nb: \"\"\n", "{<a>:'',<b>:\"\"}"},
      Case{"only a quote", "a: ''''\n", "{<a>:'''}"},
      Case{"special texts", "a: ': # -'\n", "{<a>:': # -'}"},
      Case{"single folded", "a: 'b\n  c'\n", "{<a>:'b c'}"},
      Case{"closed at column one", "a: '0\n\n'\nb: 1\n", "{<a>:'0\\n',<b>:<1>}"},
      Case{"continued at column one", "a: 'b\n\nc'\nd: 1\n", "{<a>:'b\\nc',<d>:<1>}"},
      Case{"double closed at column one", "a: \"b\n\n\"\nc: 1\n", "{<a>:\"b\\n\",<c>:<1>}"},
      Case{"folded under CRLF", "a: 'b\r\n\r\n  c'\r\n", "{<a>:'b\\nc'}"},
      Case{"folding drops blanks around the break", "a: 'b  \n   c'\n", "{<a>:'b c'}"},
      Case{"blanks at the ends are kept", "a: ' b '\n", "{<a>:' b '}"},
      Case{"break first and last", "a: '\n  b\n  '\n", "{<a>:' b '}"},
      Case{"escapes", "a: \"\\t\\n\\\\\\\"\\x41\\u00e9\\U0001F600\\/\"\n",
           "{<a>:\"\t\\n\\\"A\xC3\xA9\xF0\x9F\x98\x80/\"}"},
      Case{"UTF-16 pair", "a: \"\\uD83D\\uDE00\"\n", "{<a>:\"\xF0\x9F\x98\x80\"}"},
      Case{"half a UTF-16 pair", "a: \"\\uD83Dx\"\n", "{<a>:\"\xEF\xBF\xBDx\"}"},
      Case{"line joined by a backslash", "a: \"b\\\n  c\"\n", "{<a>:\"bc\"}"},
      Case{"blank before the joining backslash is kept", "a: \"b \\\n  c\"\n", "{<a>:\"b c\"}"},
      Case{"escaped blank after a break", "a: \"b\\\n  \\ c\"\n", "{<a>:\"b c\"}"},
      Case{"escaped blank before a break", "a: \"b\\t\n  c\"\n", "{<a>:\"b\t c\"}"},
      Case{"JSON inside", "a: '{\"guid\":\"0\",\"x\":[1]}'\n",
           "{<a>:'{\"guid\":\"0\",\"x\":[1]}'}"},
      Case{"comment after it", "a: 'b' # c\n", "{<a>:'b'}"},
      Case{"quoted item and key", "a:\n- 'b'\n- 'c': d\n", "{<a>:['b',{'c':<d>}]}"}));
}

TEST_CASE("Unity reader reads flow collections, folded or not", "[registry][yaml]") {
  check(
      GENERATE(Case{"reference", "a: {fileID: 1, guid: 0f, type: 3}\n",
                    "{<a>:{<fileID>:<1>,<guid>:<0f>,<type>:<3>}}"},
               Case{"folded after a comma", "a: {fileID: 1, guid: 0f,\n  type: 3}\nb: 1\n",
                    "{<a>:{<fileID>:<1>,<guid>:<0f>,<type>:<3>},<b>:<1>}"},
               Case{"folded after a key", "a: {fileID: 1, guid:\n    0f, type: 3}\n",
                    "{<a>:{<fileID>:<1>,<guid>:<0f>,<type>:<3>}}"},
               Case{"folded under CRLF", "a: {fileID: 1,\r\n  guid: 0f}\r\n",
                    "{<a>:{<fileID>:<1>,<guid>:<0f>}}"},
               Case{"folded to column one", "a: {b: 1,\nc: 2}\n", "{<a>:{<b>:<1>,<c>:<2>}}"},
               Case{"folded text", "a: [b\n  c, d]\n", "{<a>:[<b c>,<d>]}"},
               Case{"nested", "a: {b: [1, {c: []}], d: {}}\n", "{<a>:{<b>:[<1>,{<c>:[]}],<d>:{}}}"},
               Case{"empty values", "a: {b: , c: }\n", "{<a>:{<b>:<>,<c>:<>}}"},
               Case{"key without colon", "a: {b, c: 1}\n", "{<a>:{<b>:<>,<c>:<1>}}"},
               Case{"empty keys", "a: {: 1, '': 2}\n", "{<a>:{<>:<1>,'':<2>}}"},
               Case{"trailing comma", "a: [1, 2,]\n", "{<a>:[<1>,<2>]}"},
               Case{"colons and number signs in values", "a: {b: c:d#e}\n", "{<a>:{<b>:<c:d#e>}}"},
               Case{"JSON", "{\"a\":1,\"b\":[\"c\"]}\n", "{\"a\":<1>,\"b\":[\"c\"]}"},
               Case{"comment inside", "a: [1, # c\n  2]\n", "{<a>:[<1>,<2>]}"},
               Case{"in a list", "a:\n- {b: 1}\n- [2]\n", "{<a>:[{<b>:<1>},[<2>]]}"},
               Case{"below its key", "a:\n  {b: 1}\n", "{<a>:{<b>:<1>}}"}));
}

TEST_CASE("Unity reader reports position and reason of a refusal", "[registry][yaml]") {
  struct Refusal {
    const char* text;
    Position position;
    const char* message_part;
  };
  const auto row = GENERATE(
      Refusal{"a: 'b\nc: d\n", {1, 4}, "never closed"}, Refusal{"a: \"b\n", {1, 4}, "never closed"},
      Refusal{"a: 'b\n--- !u!1 &2\nb: 'c'\n", {1, 4}, "never closed"},
      Refusal{"a: {b: 1\n--- !u!1 &2\n", {1, 4}, "never closed"},
      Refusal{"a: [b, {c: 1}\n", {1, 4}, "never closed"}, Refusal{"a: [1}\n", {1, 6}, "']'"},
      Refusal{"a: {b: 1]\n", {1, 9}, "'}'"}, Refusal{"a: {{b: 1}: 2}\n", {1, 5}, "expected a key"},
      Refusal{"a: [b: 1]\n", {1, 6}, "']'"}, Refusal{"a: [,]\n", {1, 5}, "expected a value"},
      Refusal{"a: }\n", {1, 4}, "bracket"}, Refusal{"a: {b: 1} c\n", {1, 11}, "behind the value"},
      Refusal{"a: {b: 1}#c\n", {1, 10}, "behind the value"},
      Refusal{"a: 'b' c\n", {1, 8}, "behind the value"}, Refusal{"a: b: c\n", {1, 5}, "second"},
      Refusal{"a: b\n  c: d\n", {2, 4}, "second"}, Refusal{"a:\n\tb: 1\n", {2, 2}, "tab"},
      Refusal{"a: |\n  b\n", {1, 4}, "block scalars"},
      Refusal{"a: >-\n  b\n", {1, 4}, "block scalars"}, Refusal{"? a\n", {1, 1}, "explicit"},
      Refusal{"a: - b\n", {1, 4}, "list"}, Refusal{"{a: 1}: 2\n", {1, 1}, "cannot be keys"},
      Refusal{"a:\n    b: 1\n  c: 2\n", {3, 3}, "indentation"},
      Refusal{"a: {}\n  b: 1\n", {2, 3}, "indentation"}, Refusal{"word\n", {1, 1}, "key: value"},
      Refusal{"a: 1\nword\n", {2, 1}, "key: value"}, Refusal{"'word'\n", {1, 1}, "key: value"},
      Refusal{"a: 1\n- 2\n", {2, 1}, "key: value"}, Refusal{"- 1\na: 2\n", {2, 1}, "ended before"},
      Refusal{"{}\na: 2\n", {2, 1}, "ended before"},
      Refusal{"a: 1\n<<<<<<< HEAD\nb: 2\n", {2, 1}, "merge conflict"},
      Refusal{"a: \"\\q\"\n", {1, 5}, "escape"}, Refusal{"a: \"\\u12\"\n", {1, 5}, "escape"},
      Refusal{"a: \"\\U00110000\"\n", {1, 5}, "escape"},
      Refusal{"--- !u!x &1\n", {1, 5}, "integers"},
      Refusal{"--- !u!1 &9223372036854775808\n", {1, 10}, "integers"},
      Refusal{"--- !u!1 &1 word\n", {1, 13}, "integers"});
  CAPTURE(row.text);
  const ReadResult result = read_unity(row.text);
  REQUIRE_FALSE(result.good());
  CAPTURE(result.error().message);
  CHECK(result.error().position.line == row.position.line);
  CHECK(result.error().position.column == row.position.column);
  CHECK(result.error().message.find(row.message_part) != std::string::npos);
}

TEST_CASE("Unity reader gives each node its position in the file", "[registry][yaml]") {
  const std::string text =
      "\xEF\xBB\xBF%YAML 1.1\r\n--- !u!1 &5\r\nG:\r\n  key: value\r\n  list:\r\n  - {a: 1,\r\n"
      "    b: 2}\r\n  none:\r\n";
  const ReadResult result = read_unity(text);
  REQUIRE(result.good());
  const Tree& tree = result.tree();
  const Document& document = tree.documents.at(0);
  CHECK(document.position == Position{2, 1});
  const NodeIndex g = tree.find(document.root, "G");
  CHECK(tree.at(document.root).position == Position{3, 1});
  CHECK(tree.at(g).position == Position{4, 3});
  CHECK(tree.at(g).key_position == Position{3, 1});
  CHECK(tree.at(tree.find(g, "key")).position == Position{4, 8});
  CHECK(tree.at(tree.find(g, "key")).key_position == Position{4, 3});
  const NodeIndex list = tree.find(g, "list");
  CHECK(tree.at(list).position == Position{6, 3});
  const NodeIndex item = tree.at(list).first_child;
  CHECK(tree.at(item).position == Position{6, 5});
  CHECK(tree.at(item).is_flow);
  CHECK(tree.at(tree.find(item, "b")).position == Position{7, 8});
  CHECK(tree.at(tree.find(item, "b")).key_position == Position{7, 5});
  CHECK(tree.at(tree.find(g, "none")).position == Position{8, 8});
}

TEST_CASE("Unity reader copies only texts that it must decode", "[registry][yaml]") {
  const std::string text = "a: plain\nb: 'single'\nc: \"double\"\nd: {e: f}\n";
  const ReadResult result = read_unity(text);
  REQUIRE(result.good());
  for (const Node& node : result.tree().nodes) {
    for (const std::string_view part : {node.key, node.text}) {
      if (part.empty()) continue;
      CHECK(part.data() >= text.data());
      CHECK(part.data() + part.size() <= text.data() + text.size());
    }
  }
}

TEST_CASE("Unity reader refuses extremely deep nesting early", "[registry][yaml]") {
  constexpr std::size_t kDepth = 100'000;
  std::string dashes, compact, brackets, braces, indented;
  for (std::size_t i = 0; i < kDepth; ++i) {
    dashes += "- ";
    compact += "- a: - ";
    brackets += "[";
    braces += "{a: ";
  }
  for (std::size_t i = 0; i < 1000; ++i) indented += std::string(i, ' ') + "a:\n";
  for (const std::string& text : {"a:\n" + dashes, "a: " + brackets, "a: " + braces, indented}) {
    CAPTURE(text.substr(0, 20));
    const ReadResult result = read_unity(text);
    REQUIRE_FALSE(result.good());
    CHECK(result.error().message.find("limit of 200") != std::string::npos);
  }
  CHECK_FALSE(read_unity(compact).good());
  CHECK(read_unity("a: [[]]", {.depth_max = 3}).good());
  CHECK_FALSE(read_unity("a: [[]]", {.depth_max = 2}).good());
  CHECK_FALSE(read_unity("a: [1, 2, 3]", {.node_count_max = 4}).good());
}

TEST_CASE("Unity reader needs linear time for any content", "[registry][yaml]") {
  // For each pattern, some known parser needs quadratic time. Here all patterns together take about
  // 1 s. Quadratic time would exceed the time limit of the test.
  constexpr std::size_t kBytes = 2'000'000;
  const std::string pattern = GENERATE(
      as<std::string>(), "\n", " \n", "a: b\n\n", "  c\n", "''", "'", "\"", "\\", "a: '\n", "# ",
      "[", ", ", "a: {b: c,\n", ":", ": ", "- ", "x", "\r\n", "--- !u!1 &1\n", "a: \"\\\n", "[],");
  for (const std::string head : {"", "_typelessdata: ", "a: '", "a: \"", "a: ["}) {
    std::string text = head;
    while (text.size() < kBytes) text += pattern;
    CAPTURE(head, pattern);
    const ReadResult result = read_unity(text);
    CHECK(result.good() == (result.error().position == Position{}));
  }
}

TEST_CASE("Unity reader survives every truncation and every flipped bit", "[registry][yaml]") {
  const std::string sample =
      "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!1001 &-5 stripped\nPrefabInstance:\n"
      "  m_Modification:\n    m_Modifications:\n    - target: {fileID: 1, guid: 0f,\n"
      "        type: 3}\n      value: 'it''s\n\n'\n    - target: \"x\\u00e9\\\n        y\"\n"
      "      m: [1, {a: b}]\n  t: long text\n    continued\n  '': Any\n  s:\n  - - 1\n";
  REQUIRE(read_unity(sample).good());
  std::size_t refused = 0;
  const auto check_bounds = [&](const std::string& text) {
    const ReadResult result = read_unity(text);
    if (result.good()) return;
    ++refused;
    CHECK(result.error().position.line >= 1);
    CHECK(result.error().position.line <= 21);
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
  CHECK(refused > 100);
}
