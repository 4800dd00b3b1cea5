// Tests that errors name unsupported encodings and line ends.
#include <catch2/catch.hpp>

#include "registry/yaml/reader.h"

namespace muster::yaml {
namespace {

std::string widened(std::string_view text, bool is_big) {
  std::string wide;
  for (const char c : text) {
    if (is_big) wide.push_back('\0');
    wide.push_back(c);
    if (!is_big) wide.push_back('\0');
  }
  return wide;
}

TEST_CASE("Unsupported text is reported by its encoding or line ends", "[registry][yaml]") {
  const std::string text = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!1 &1\nGameObject:\n";
  std::string returns = text;
  for (char& c : returns) c = c == '\n' ? '\r' : c;
  const std::string long_text = text + "  m_Name: " + std::string(20'000, 'x') + "\n";
  const auto [name, bytes] = GENERATE_COPY(table<std::string, std::string>({
      {"UTF-16 (little-endian)", "\xFF\xFE" + widened(text, false)},
      {"UTF-16 (big-endian)", "\xFE\xFF" + widened(text, true)},
      {"UTF-16 (little-endian, without a mark)", widened(text, false)},
      {"UTF-16 (big-endian, without a mark)", widened(text, true)},
      {"UTF-32 (little-endian)", std::string("\xFF\xFE\0\0%\0\0\0", 8)},
      {"only CR", returns},
      {"zero bytes from byte", text + std::string(300, '\0')},
      {"zero bytes from byte", long_text + std::string(4096, '\0')},
      {"zero bytes (NUL)", text + std::string("  a: \0b\n", 9)},
  }));
  CAPTURE(name);
  const auto fault = find_text_fault(bytes);
  REQUIRE(fault.has_value());
  CHECK(fault->message.find(name) != std::string::npos);
  const Dialect dialect = detect_dialect(bytes);
  CHECK((dialect == Dialect::foreign_text || dialect == Dialect::binary));
  const auto result = read(bytes);
  REQUIRE_FALSE(result.good());
  CHECK(result.error().message == fault->message);
}

TEST_CASE("A syntax error names a character that other programs treat as a line end",
          "[registry][yaml]") {
  const std::string unity = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!1 &1\nGameObject:\n";
  const auto [reason, text, name, position] =
      GENERATE_COPY(table<std::string, std::string, std::string, Position>({
          {"CR in a value", "a: 1\nb: x\r  c: 2\n", "CR alone", {2, 5}},
          {"CR in a comment, which YAML ends there", "a: 1 # x\rb: 2\nc: 3\n", "CR alone", {1, 9}},
          {"CR in quotes", "a: \"x\ry\"\n", "CR alone", {1, 6}},
          {"two CRs before a line feed", "a: 1\r\r\nb: 2\n", "CR CR LF", {1, 5}},
          {"NEL", "a: 1\nb: x\xC2\x85  c: 2\n", "U+0085", {2, 5}},
          {"LS", "b: x\xE2\x80\xA8  c: 2\n", "U+2028", {1, 5}},
          {"PS", "b: x\xE2\x80\xA9  c: 2\n", "U+2029", {1, 5}},
          {"CR, Unity", unity + "  m_Name: a\r  icon: {fileID: 1}\n", "CR alone", {5, 12}},
          {"NEL, Unity", unity + "  m_Name: a\xC2\x85  icon: {fileID: 1}\n", "U+0085", {5, 12}},
      }));
  CAPTURE(reason);
  const auto result = read(text);
  REQUIRE_FALSE(result.good());
  CHECK(result.error().message.find(name) != std::string::npos);
  CHECK(result.error().position == position);
}

TEST_CASE("Characters that end lines in other programs are text if there is no syntax error",
          "[registry][yaml]") {
  const auto result = read("a: \"x\xC2\x85y\"\r\nb: 1\r\n");
  REQUIRE(result.good());
  CHECK(result.tree().scalar_at(result.tree().documents[0].root, "a") == "x\xC2\x85y");
}

TEST_CASE("A file of zeros is binary, and reported as such", "[registry][yaml]") {
  const std::string zeros(512, '\0');
  CHECK(detect_dialect(zeros) == Dialect::binary);
  const auto result = read(zeros);
  REQUIRE_FALSE(result.good());
  CHECK(result.error().message == "this file contains nothing but 512 zero bytes; restore it");
}

TEST_CASE("Supported text and binary files are not reported as unsupported text",
          "[registry][yaml]") {
  const std::string bytes =
      GENERATE(std::string("a: 1\r\nb: 2\r\n"), std::string("a: 1\n"), std::string("a: 1\r"),
               std::string("\xEF\xBB\xBF"
                           "a: 1\n"),
               std::string("\0\0\1\2\0\0\0\x16", 8), std::string("a\rb\nc: 1"), std::string());
  CHECK_FALSE(find_text_fault(bytes).has_value());
}

}  // namespace
}  // namespace muster::yaml
