// Tests names that are equal or invalid on other operating systems.
#include <catch2/catch.hpp>

#include "registry/base/memory_file_system.h"
#include "registry/project/asset_index.h"
#include "registry/project/folded_name.h"
#include "registry/project/portable_name.h"

namespace muster {
namespace {

TEST_CASE("Names are folded like on case-insensitive disks, in all writing systems",
          "[registry][names]") {
  const auto [one, other] = GENERATE(table<std::string, std::string>({
      {"Crate.PNG", "crate.png"},
      {"\xC3\x89t\xC3\xA9", "e\xCC\x81t\xC3\xA9"},  // Latin, composed and decomposed
      {"\xED\x95\x9C\xEA\xB8\x80",                  // Hangul syllables and letters
       "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB\xE1\x84\x80\xE1\x85\xB3\xE1\x86\xAF"},
      {"\xE3\x82\xAE", "\xE3\x82\xAD\xE3\x82\x99"},  // Kana
      {"\xD0\x98\xCC\x86", "\xD0\xB9"},              // Cyrillic, upper case decomposed
      {"\xCE\xA3", "\xCF\x82"},                      // Greek final sigma
      {"stra\xC3\x9F"
       "e",
       "STRASSE"},
      {"\xD4\xB2", "\xD5\xA2"},                    // Armenian
      {"a\xCC\x96\xCC\x81", "a\xCC\x81\xCC\x96"},  // marks in another order
  }));
  CAPTURE(one, other);
  CHECK(folded_name(one) == folded_name(other));
}

TEST_CASE("Different names stay different, and bytes that are not UTF-8 are unchanged",
          "[registry][names]") {
  CHECK(folded_name("a") != folded_name("\xC3\xA1"));
  CHECK(folded_name("\xEA\xB0\x80") != folded_name("\xEA\xB0\x81"));
  CHECK(folded_name("caf\xE9") == "caf\xE9");
  CHECK(decomposed_name("\xC3\x89") != decomposed_name("\xC3\xA9"));
  CHECK(decomposed_name("\xC3\xA9") == "e\xCC\x81");
}

TEST_CASE("Names that are invalid on Windows or macOS are found", "[registry][names]") {
  const std::string name = GENERATE("aux.png", "CON", "nul.tar.gz", "com1", "LPT9.txt",
                                    "COM\xC2\xB9", "what?.txt", "a:b", "a*b", "a<b", "a>b", "a|b",
                                    "a\"b", "a\\b", "dot.", "end ", "con .txt", "tab\t", "caf\xE9");
  CAPTURE(name);
  CHECK_FALSE(unportable_reason(name).empty());
}

TEST_CASE("Common names are portable", "[registry][names]") {
  const std::string name = GENERATE("auxiliary.png", "console", "com10", "com", "a.b.c",
                                    "\xED\x95\x9C.png", "-x", "lpt");
  CAPTURE(name);
  CHECK(unportable_reason(name).empty());
}

constexpr const char* kComposed = "in how Unicode composes their letters (NFC and NFD)";

TEST_CASE("A clash reports the difference between the names", "[registry][names]") {
  const auto [script, one, other, difference] =
      GENERATE(table<std::string, std::string, std::string, std::string>({
          {"Latin, upper and lower case", "Big", "big", "in case"},
          {"Latin, composed and decomposed", "\xC3\xA9", "e\xCC\x81", kComposed},
          {"Hangul syllables and letters", "\xED\x95\x9C\xEA\xB8\x80",
           "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB\xE1\x84\x80\xE1\x85\xB3\xE1\x86\xAF", kComposed},
          {"Kana, composed and decomposed", "\xE3\x82\xAE", "\xE3\x82\xAD\xE3\x82\x99", kComposed},
          {"both differences", "\xC3\x89", "e\xCC\x81", std::string("in case and ") + kComposed},
      }));
  CAPTURE(script);
  MemoryFileSystem files;
  const auto add = [&](const std::string& name, const std::string& guid) {
    files.add("Assets/" + name + ".txt", "x");
    files.add("Assets/" + name + ".txt.meta", "guid: " + guid + "\n");
  };
  add(one, "7feb6b818bc574722a21e4df3ee3b193");
  add(other, "b3047ac91fd85e26c49a7f10e8d26b35");
  const auto index = build_asset_index(files, load_config(files).value(), 1, {});
  REQUIRE(index.has_value());
  std::vector<std::string> details;
  for (const IndexProblem& problem : index.value().problems()) {
    if (problem.kind == IndexProblem::Kind::case_clash) details.push_back(problem.detail);
  }
  CHECK(details == std::vector<std::string>{difference});
}

}  // namespace
}  // namespace muster
