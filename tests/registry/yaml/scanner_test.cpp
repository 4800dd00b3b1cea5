#include "registry/yaml/scanner.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"

using namespace muster;
using namespace muster::yaml;

namespace {

const std::string kGuid = "fabf5467f72c26c49bd771f8300e01ed";
const std::string kOther = "00112233445566778899aabbccddeeff";

std::vector<Mention> scan(std::string_view text) {
  std::vector<Mention> mentions;
  scan_mentions(text, [&](const Mention& mention) { mentions.push_back(mention); });
  return mentions;
}

}  // namespace

TEST_CASE("Scanner finds every form of a reference", "[registry][yaml][sys-10]") {
  struct Row {
    const char* reason;
    std::string text;
    MentionKind kind;
    std::int64_t file_id;
  };
  using enum MentionKind;
  const auto row = GENERATE(
      Row{"reference", "a: {fileID: 11500000, guid: " + kGuid + ", type: 3}", strong, 11500000},
      Row{"negative id", "a: {fileID: -6707659152711265730, guid: " + kGuid + ", type: 3}", strong,
          -6707659152711265730},
      Row{"folded before the type", "a: {fileID: 5, guid: " + kGuid + ",\n    type: 3}", strong, 5},
      Row{"folded before the guid", "a: {fileID: 5,\n    guid: " + kGuid + ", type: 3}", strong, 5},
      Row{"folded after the key", "a: {fileID: 5, guid:\n      " + kGuid + ", type: 3}", strong, 5},
      Row{"folded under CRLF", "a: {fileID: 5,\r\n    guid: " + kGuid + ",\r\n type: 3}\r\n",
          strong, 5},
      Row{"guid first", "a: {guid: " + kGuid + ", fileID: 5, type: 3}", strong, 5},
      Row{"guid last", "a: {type: 3, fileID: 5, guid: " + kGuid + "}", strong, 5},
      Row{"upper-case digits", "a: {fileID: 5, guid: FABF5467F72C26C49BD771F8300E01ED}", strong, 5},
      Row{"after another reference", "a: {fileID: 1}\nb: {fileID: 5, guid: " + kGuid + "}", strong,
          5},
      Row{"URL",
          "<Style src=\"project://database/a.uss?fileID=-7&amp;guid=" + kGuid + "&amp;type=3#a\"",
          strong, -7},
      Row{"URL in a style sheet",
          "url('project://database/a.png?fileID=2800000&guid=" + kGuid + "')", strong, 2800000},
      Row{".meta", "fileFormatVersion: 2\nguid: " + kGuid, textual, 0},
      Row{"weak reference", "  guid: " + kGuid + "\n", textual, 0},
      Row{"weak reference after a reference", "a: {fileID: 5}\nguid: " + kGuid + "\n", textual, 0},
      Row{"in braces without a file id", "a: {guid: " + kGuid + "}", textual, 0},
      Row{"quoted value", "guid: '" + kGuid + "'\n", textual, 0},
      Row{"Addressables", "    m_AssetGUID: " + kGuid + "\n", textual, 0},
      Row{"Addressables entry", "  - m_GUID: " + kGuid + "\n", textual, 0},
      Row{"JSON", "{\"fileID\":2800000,\"guid\":\"" + kGuid + "\",\"type\":3}", json, 0},
      Row{"JSON in a single-quoted text", "a: '{\"obj\":{\"guid\":\"" + kGuid + "\"}}'", json, 0},
      Row{"JSON in a double-quoted text", R"(a: "{\"guid\":\")" + kGuid + R"(\"}")", json, 0},
      Row{"JSON in JSON", R"({\\\"guid\\\": \\\")" + kGuid + R"(\\\"})", json, 0},
      Row{"words in block style",
          "  val0: -88124313\n  val1: 650442540\n  val2: -126756965\n  val3: -318697936\n", words,
          0},
      Row{"words under CRLF",
          "  val0: -88124313\r\n  val1: 650442540\r\n  val2: -126756965\r\n  val3: -318697936\r\n",
          words, 0},
      Row{"words in braces",
          "a: {val0: -88124313, val1: 650442540,\n  val2: -126756965, val3: -318697936}", words, 0},
      Row{"words in JSON",
          R"({"val0":-88124313,"val1":650442540,"val2":-126756965,"val3":-318697936})", words, 0});
  CAPTURE(row.reason, row.text);
  const auto mentions = scan(row.text);
  REQUIRE(mentions.size() == 1);
  CHECK(mentions[0].guid.to_string() == kGuid);
  CHECK(mentions[0].kind == row.kind);
  CHECK(mentions[0].file_id == row.file_id);
  const std::string at = row.text.substr(mentions[0].offset_bytes, 32);
  CHECK((row.kind == words ? at.starts_with("val0") : at == kGuid || at[0] == 'F'));
}

TEST_CASE("Scanner skips text that names no asset", "[registry][yaml]") {
  const std::string text = GENERATE_COPY(
      "netID: " + kGuid, "assetId: " + kGuid, "guid: fabf5467-f72c-26c4-9bd7-71f8300e01ed",
      "guid: 00000000000000000000000000000000", "guid: " + kGuid + "0", "guid: " + kGuid.substr(1),
      "guid: " + kGuid.substr(1) + "g", "guid: ", "guid " + kGuid, "xguid: " + kGuid,
      "m_xGUID: " + kGuid, "GUID: " + kGuid, "m_AssetGUID: some name", "Guid: " + kGuid,
      "guidance: " + kGuid, "value: guid", "val0: 0\nval1: 0\nval2: 0\nval3: 0\n",
      "val0: 1\nval1: 2\nval2: 3\n", "val0: 1\nval2: 2\n", "val0: x\n", "path: a.val0\nvalue: 1\n",
      "val0: 99999999999\nval1: 0\nval2: 0\nval3: 0\n", "gu", "g", "", "guid", "val0", "val0:");
  CAPTURE(text);
  CHECK(scan(text).empty());
}

TEST_CASE("Scanner reports references in order of appearance", "[registry][yaml]") {
  const std::string text = "guid: " + kOther + "\nval0: 1\nval1: 2\nval2: 3\nval3: 4\n" +
                           "a: {fileID: 5, guid: " + kGuid + "}\nm_GUID: " + kGuid + "\n";
  const auto mentions = scan(text);
  REQUIRE(mentions.size() == 4);
  using enum MentionKind;
  CHECK(mentions[0].kind == textual);
  CHECK(mentions[1].kind == words);
  CHECK(mentions[2].kind == strong);
  CHECK(mentions[3].kind == textual);
  CHECK(mentions[3].offset_bytes == text.size() - 33);
}

TEST_CASE("Scanner finds a reference at every offset and every distance from the end",
          "[registry][yaml]") {
  // The scanner reads blocks of 64 bytes. This test places the word at each offset of a block.
  const std::string reference = "{fileID: 5, guid: " + kGuid + "}";
  for (std::size_t before = 0; before < 150; ++before) {
    for (std::size_t behind = 0; behind < 80; ++behind) {
      const std::string text = std::string(before, 'd') + reference + std::string(behind, 'g');
      const auto mentions = scan(text);
      CAPTURE(before, behind);
      REQUIRE(mentions.size() == 1);
      REQUIRE(mentions[0].offset_bytes == before + 18);
    }
  }
}

TEST_CASE("Scanner survives every truncation and every flipped bit", "[registry][yaml]") {
  const std::string sample = "a: {fileID: 5, guid: " + kGuid + ",\n  type: 3}\n" +
                             R"(b: '{"guid":")" + kGuid +
                             "\"}'\nval0: 1\nval1: 2\nval2: 3\nval3: -4";
  REQUIRE(scan(sample).size() == 3);
  const auto check = [](const std::string& text) {
    for (const Mention& mention : scan(text)) {
      CHECK_FALSE(mention.guid.is_null());
      CHECK(mention.offset_bytes < text.size());
    }
  };
  for (std::size_t length = 0; length <= sample.size(); ++length) check(sample.substr(0, length));
  for (std::size_t bit = 0; bit < sample.size() * 8; ++bit) {
    std::string damaged = sample;
    damaged[bit / 8] =
        static_cast<char>(static_cast<unsigned char>(damaged[bit / 8]) ^ (1U << bit % 8));
    check(damaged);
  }
}

TEST_CASE("Scanner needs linear time for any content", "[registry][yaml]") {
  // A quadratic pattern would exceed the test's time limit.
  const std::string pattern = GENERATE(
      as<std::string>(), "guid", "guid:", "guid: ", "guid:\n", "\"guid\":\"", "val0: 1 ", "g", "{",
      "{guid: ", "\\", "guid\\", "val0: 1\nval1: 2\nval2: ", "m_AssetGUID: ", "guid \n");
  for (const std::string tail : {"", " ", "\\"}) {
    std::string text;
    while (text.size() < 2'000'000) text += pattern;
    text += std::string(2'000'000, tail.empty() ? 'x' : tail[0]);
    CAPTURE(pattern, tail);
    CHECK(scan(text).empty());
  }
}

TEST_CASE("An offset is converted to line and column", "[registry][yaml]") {
  const auto [text, offset, line, column] =
      GENERATE(table<std::string, std::size_t, std::uint32_t, std::uint32_t>({{"", 0, 1, 1},
                                                                              {"abc", 2, 1, 3},
                                                                              {"a\nb", 2, 2, 1},
                                                                              {"a\r\nbc", 4, 2, 2},
                                                                              {"a\n", 2, 2, 1},
                                                                              {"a\n\n", 3, 3, 1},
                                                                              {"a\nb", 1, 1, 2},
                                                                              {"\xEF\xBB\xBF"
                                                                               "ab",
                                                                               4, 1, 2},
                                                                              {"\xEF\xBB\xBF"
                                                                               "a\nb",
                                                                               5, 2, 1}}));
  CAPTURE(text, offset);
  CHECK(line_and_column(text, offset) == std::pair{line, column});
}

TEST_CASE("A reference in block style is a strong reference", "[registry][yaml]") {
  const auto [reason, text] = GENERATE(table<std::string, std::string>({
      {"in order", "a:\n  fileID: 7\n  guid: G\n  type: 3\n"},
      {"guid first", "a:\n  guid: G\n  fileID: 7\n  type: 3\n"},
      {"type first", "a:\n  type: 3\n  guid: G\n  fileID: 7\n"},
      {"without a type", "a:\n        fileID: 7\n        guid: G\nb: 1\n"},
      {"an item of a list", "a:\n- fileID: 7\n  guid: G\n  type: 3\n- fileID: 8\n"},
      {"an item that begins with the guid", "a:\n  - guid: G\n    fileID: 7\n"},
      {"a list in a list", "a:\n- - fileID: 7\n    guid: G\n"},
      {"at the end, without a line end", "a:\n  fileID: 7\n  guid: G"},
      {"with CRLF", "a:\r\n  fileID: 7\r\n  guid: G\r\n  type: 3\r\n"},
      {"with comments and empty lines", "a:\n  fileID: 7  # the sprite\n\n  # of\n  guid: G\n"},
      {"with quotes", "a:\n  'fileID': 7\n  'guid': 'G'\n"},
      {"with quotes around the id", "a:\n  fileID: '7'\n  guid: \"G\"\n"},
      {"in braces, with quotes around the id", "a: {fileID: \"7\", guid: G, type: 3}\n"},
      {"with the guid on the next line", "a:\n  guid:\n    G\n  fileID: 7\n"},
      {"with the id on the next line", "a:\n  fileID:\n    7\n  guid: G\n"},
      {"with a key of the game", "a:\n  fileID: 7\n  guid: G\n  name: x\n"},
      {"with a misspelt key", "a:\n  tpye: 3\n  guid: G\n  fileID: 7\n"},
      {"next to a struct", "a:\n  guid: G\n  b:\n    c: 1\n  fileID: 7\n"},
      {"in a list of structs", "a:\n- icon:\n    guid: G\n    fileID: 7\n  name: x\n"},
  }));
  CAPTURE(reason);
  std::string whole = text;
  whole.replace(whole.find('G'), 1, kGuid);
  const auto mentions = scan(whole);
  REQUIRE(mentions.size() == 1);
  CHECK(mentions.front().kind == MentionKind::strong);
  CHECK(mentions.front().file_id == 7);
  CHECK(mentions.front().offset_bytes == whole.find(kGuid));
}

TEST_CASE("A file id that is not an integer is still a reference", "[registry][yaml]") {
  const std::string id = GENERATE(as<std::string>{}, "+7", "0x7", "seven", "", "~");
  const bool is_block = GENERATE(false, true);
  CAPTURE(id, is_block);
  const std::string text = is_block ? "a:\n  fileID: " + id + "\n  guid: " + kGuid + "\n"
                                    : "a: {fileID: " + id + ", guid: " + kGuid + "}\n";
  const auto mentions = scan(text);
  REQUIRE(mentions.size() == 1);
  CHECK(mentions.front().kind == MentionKind::strong);
}

TEST_CASE("A guid in a block with other keys is not a strong reference", "[registry][yaml]") {
  const auto [reason, text] = GENERATE(table<std::string, std::string>({
      {"alone", "a:\n  guid: G\n"},
      {"a sidecar", "fileFormatVersion: 2\nguid: G\n"},
      {"the id belongs to the next item", "a:\n- guid: G\n- fileID: 7\n"},
      {"the id belongs to the previous item", "a:\n- fileID: 7\n- guid: G\n"},
      {"the id belongs to the outer struct", "a:\n  fileID: 7\n  b:\n    guid: G\n"},
      {"the id is inside another key", "a:\n  guid: G\n  b:\n    fileID: 7\n"},
  }));
  CAPTURE(reason);
  std::string whole = text;
  whole.replace(whole.find('G'), 1, kGuid);
  const auto mentions = scan(whole);
  REQUIRE(mentions.size() == 1);
  CHECK(mentions.front().kind == MentionKind::textual);
}
