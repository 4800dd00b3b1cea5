#include "registry/base/utf8.h"

#include <string>

#include <catch2/catch.hpp>

using namespace muster;

TEST_CASE("The first byte that is not UTF-8 is found at any position", "[registry][base]") {
  const auto [bytes, reason] = GENERATE(table<std::string, std::string>({
      {"\x80", "a continuation byte without a first byte"},
      {"\xC3", "truncated"},
      {"\xC3(", "truncated by a letter"},
      {"\xC0\xAF", "longer than needed"},
      {"\xE0\x80\xAF", "longer than needed, in three bytes"},
      {"\xED\xA0\x80", "half of a surrogate pair"},
      {"\xF4\x90\x80\x80", "above the last character"},
      {"\xF8\x88\x80\x80\x80", "of five bytes"},
      {"\xFF", "a byte that is invalid in UTF-8"},
  }));
  CAPTURE(reason);
  const std::string good =
      "Gr\xC3\xBC\xC3\x9F"
      "e \xE2\x82\xAC \xF0\x9F\x8E\xAE ";
  CHECK(find_invalid_utf8(good) == std::string_view::npos);
  for (std::size_t before = 0; before < 20; ++before) {
    const std::string start = std::string(before, 'a') + good;
    CHECK(find_invalid_utf8(start + bytes) == start.size());
    CHECK(find_invalid_utf8(start + bytes + "rest of the text") == start.size());
  }
  CHECK(find_invalid_utf8("") == std::string_view::npos);
}
