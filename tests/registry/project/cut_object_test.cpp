#include "registry/project/cut_object.h"

#include <string>

#include <catch2/catch.hpp>

namespace muster {
namespace {

const std::string kHead = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n";
const std::string kMain = "--- !u!114 &11400000\nMonoBehaviour:\n  m_Enabled: 1\n";
const std::string kScript =
    "  m_Script: {fileID: 11500000, guid: 3f0a9c1d7e5b4a2f8c6d0e1b2a3f4c5d, type: 3}\n";
const std::string kOther = "--- !u!114 &42\nMonoBehaviour:\n" + kScript + "  m_Name: Theme\n";

TEST_CASE("A main object that is cut before the end of its script is detected at every length",
          "[registry][project][sys-1]") {
  const bool is_last = GENERATE(true, false);
  const std::string eol = GENERATE("\n", "\r\n");
  std::string whole = kMain + kScript;
  // The text after the reference may be missing.
  const std::size_t named = whole.find('}') + 1;
  for (std::size_t length = kMain.find('\n'); length <= whole.size(); ++length) {
    CAPTURE(is_last, length);
    const std::string main = whole.substr(0, length);
    std::string text = is_last ? kHead + kOther + main : kHead + main + "\n" + kOther;
    for (std::size_t at = 0; eol != "\n" && (at = text.find('\n', at)) != std::string::npos;) {
      text.replace(at, 1, eol);
      at += eol.size();
    }
    CHECK(is_main_object_cut(text) == (length < named));
  }
}

TEST_CASE("An object with any form of script reference is complete", "[registry][project]") {
  const auto [text, reason] = GENERATE(table<std::string, std::string>(
      {{"  m_Script: {fileID: 0}\n", "a missing script"},
       {"  m_Script: {fileID: 11500000, guid: 3f0a9c1d7e5b4a2f8c6d0e1b2a3f4c5d,\n    type: 3}\n",
        "folded"},
       {"  m_Script: {fileID: 11500000, guid: 3F0A9C1D7E5B4A2F8C6D0E1B2A3F4C5D, type: 3}\n",
        "in upper case"},
       {"  m_Script:\n    fileID: 11500000\n    guid: 3f0a9c1d7e5b4a2f8c6d0e1b2a3f4c5d\n    type: "
        "3\n",
        "as a block"},
       {"  m_Script: {fileID: 11500000, guid: 3f0a9c1d7e5b4a2f8c6d0e1b2a3f4c5d, type: 3}",
        "without final line break"}}));
  CAPTURE(text, reason);
  CHECK_FALSE(is_main_object_cut(kHead + kMain + text));
}

TEST_CASE("A file without a scripted main object is not reported as cut", "[registry][project]") {
  CHECK_FALSE(is_main_object_cut(""));
  CHECK_FALSE(is_main_object_cut(kHead + kOther));
  CHECK_FALSE(is_main_object_cut("&11400000"));
  CHECK_FALSE(is_main_object_cut(kHead + "--- !u!114 &114000001\nMonoBehaviour:\n"));
  CHECK_FALSE(is_main_object_cut(kHead + "--- !u!43 &11400000\nMesh:\n"));
}

}  // namespace
}  // namespace muster
