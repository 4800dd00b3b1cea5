#include "registry/project/meta.h"

#include <string>

#include <catch2/catch.hpp>

using namespace muster;

namespace {

const std::string kGuid = "fabf5467f72c26c49bd771f8300e01ed";
const std::string kUpper = "FABF5467F72C26C49BD771F8300E01ED";
const std::string kOther = "00112233445566778899aabbccddeeff";

struct Row {
  const char* reason;
  std::string text;
  yaml::Position position;
  bool is_upper_case;
  bool is_folder;
};

void check(const Row& row) {
  CAPTURE(row.reason);
  const MetaResult result = read_meta(row.text);
  CHECK(result.problem == MetaProblem::none);
  CHECK(result.meta.guid.to_string() == kGuid);
  CHECK(result.meta.guid_position.line == row.position.line);
  CHECK(result.meta.guid_position.column == row.position.column);
  CHECK(result.meta.is_upper_case == row.is_upper_case);
  CHECK(result.meta.is_folder == row.is_folder);
}

}  // namespace

TEST_CASE("A sidecar is read in every form that editors write", "[registry][meta]") {
  check(GENERATE(
      Row{"as Unity writes it",
          "fileFormatVersion: 2\nguid: " + kGuid + "\nTextureImporter:\n  guid: " + kOther + "\n",
          {2, 7},
          false,
          false},
      Row{"folder",
          "fileFormatVersion: 2\nguid: " + kGuid + "\nfolderAsset: yes\nDefaultImporter:\n",
          {2, 7},
          false,
          true},
      Row{"folderAsset: no", "guid: " + kGuid + "\nfolderAsset: no\n", {1, 7}, false, false},
      Row{"byte-order mark",
          "\xEF\xBB\xBF"
          "fileFormatVersion: 2\nguid: " +
              kGuid + "\n",
          {2, 7},
          false,
          false},
      Row{"byte-order mark before the guid",
          "\xEF\xBB\xBF"
          "guid: " +
              kGuid + "\n",
          {1, 7},
          false,
          false},
      Row{"CRLF",
          "fileFormatVersion: 2\r\nguid: " + kGuid + "\r\nfolderAsset: yes\r\nMonoImporter:\r\n",
          {2, 7},
          false,
          true},
      Row{"no final newline", "fileFormatVersion: 2\nguid: " + kGuid, {2, 7}, false, false},
      Row{"guid first, in upper case",
          "guid: " + kUpper + "\nfileFormatVersion: 2\n",
          {1, 7},
          true,
          false},
      Row{"quoted", "guid: '" + kGuid + "'\n", {1, 8}, false, false},
      Row{"blanks and a comment", "guid:   " + kGuid + "  # c\n", {1, 9}, false, false},
      Row{"a scripted importer",
          "guid: " + kGuid + "\nScriptedImporter:\n  x: 1\n",
          {1, 7},
          false,
          false},
      Row{"a conflict marker inside a text",
          "guid: " + kGuid + "\nuserData: ======= \n",
          {1, 7},
          false,
          false}));
}

TEST_CASE("Problems of a sidecar are distinguished and located", "[registry][meta]") {
  struct Row {
    const char* reason;
    std::string text;
    MetaProblem problem;
    yaml::Position position;
  };
  using enum MetaProblem;
  const auto row = GENERATE(
      Row{"no guid", "fileFormatVersion: 2\n", no_guid, {}}, Row{"empty file", "", no_guid, {}},
      Row{"guid only in a nested mapping", "A:\n  guid: " + kGuid + "\n", no_guid, {}},
      Row{"another key", "guids: " + kGuid + "\n", no_guid, {}},
      Row{"no value", "guid:\n", malformed_guid, {1, 6}},
      Row{"too short", "x: 1\nguid: " + kGuid.substr(1) + "\n", malformed_guid, {2, 7}},
      Row{"dashes", "guid: fabf5467-f72c-26c4-9bd7-71f8300e01ed\n", malformed_guid, {1, 7}},
      Row{"all zero", "guid: 00000000000000000000000000000000\n", malformed_guid, {1, 7}},
      Row{"two guids", "guid: " + kGuid + "\nguid: " + kOther + "\n", several_guids, {2, 7}},
      Row{"one guid twice", "guid: " + kGuid + "\nguid: " + kGuid + "\n", repeated_guid, {2, 7}},
      Row{"a second document",
          "guid: " + kGuid + "\n---\nguid: " + kGuid + "\n",
          second_document,
          {2, 1}},
      Row{"an empty second document", "guid: " + kGuid + "\r\n---\r\n", second_document, {2, 1}},
      Row{"text behind the end", "guid: " + kGuid + "\n...\nx: 1\n", second_document, {3, 1}},
      Row{"a conflict in a second document",
          "guid: " + kGuid + "\n---\n<<<<<<< HEAD\nguid: " + kOther + "\n",
          merge_conflict,
          {3, 1}},
      Row{"conflict",
          "fileFormatVersion: 2\n<<<<<<< HEAD\nguid: " + kGuid + "\n=======\nguid: " + kOther +
              "\n>>>>>>> theirs\n",
          merge_conflict,
          {2, 1}},
      Row{"conflict after the guid", "guid: " + kGuid + "\n=======\r\n", merge_conflict, {2, 1}},
      Row{"Git LFS",
          "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
          lfs_pointer,
          {1, 1}},
      Row{"binary", std::string("\0\1\2", 3), not_text, {1, 1}});
  CAPTURE(row.reason);
  const MetaResult result = read_meta(row.text);
  CHECK(result.problem == row.problem);
  CHECK(result.problem_position.line == row.position.line);
  CHECK(result.problem_position.column == row.position.column);
}

TEST_CASE("A sidecar with the markers of one document is one document", "[registry][meta]") {
  const std::string text =
      GENERATE_COPY(std::string("%YAML 1.1\n--- # first\nguid: ") + kGuid + "\n...\n# end\n\n",
                    "---\nguid: " + kGuid + "\n...\n...\n");
  const MetaResult result = read_meta(text);
  CHECK(result.problem == MetaProblem::none);
  CHECK(result.meta.guid.to_string() == kGuid);
}

TEST_CASE("A sidecar's guid is the guid of its first document", "[registry][meta]") {
  const MetaResult result = read_meta("guid: " + kGuid + "\n---\nguid: " + kOther + "\n");
  CHECK(result.problem == MetaProblem::second_document);
  CHECK(result.meta.guid.to_string() == kGuid);
}

TEST_CASE("A sidecar survives every truncation and every flipped bit", "[registry][meta]") {
  const std::string sample = "fileFormatVersion: 2\r\nguid: " + kGuid + "\r\nfolderAsset: yes\r\n" +
                             "DefaultImporter:\r\n  userData: \r\n";
  const auto check = [](const std::string& text) {
    const MetaResult result = read_meta(text);
    if (result.problem == MetaProblem::none) CHECK_FALSE(result.meta.guid.is_null());
    CHECK(result.meta.guid_position.line <= 6);
  };
  for (std::size_t length = 0; length <= sample.size(); ++length) check(sample.substr(0, length));
  for (std::size_t bit = 0; bit < sample.size() * 8; ++bit) {
    std::string damaged = sample;
    damaged[bit / 8] =
        static_cast<char>(static_cast<unsigned char>(damaged[bit / 8]) ^ (1U << bit % 8));
    check(damaged);
  }
}
