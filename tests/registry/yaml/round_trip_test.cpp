// Writes random trees in all styles of the dialect, and checks that they are parsed unchanged.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "registry/yaml/reader.h"
#include "tests/registry/yaml/tree_text.h"

using namespace muster;
using namespace muster::yaml;

namespace {

enum class Style : std::uint8_t { plain, single_quoted, double_quoted };

struct Writer {
  Random random;
  std::string line_end = "\n";
  std::string written{};
  std::string expected{};

  bool chance(std::uint64_t one_in) { return random.below(one_in) == 0; }

  std::string word(std::string_view letters) {
    std::string result(1, static_cast<char>('a' + random.below(26)));
    for (std::uint64_t i = random.below(8); i > 0; --i)
      result += letters[random.below(letters.size())];
    return result;
  }

  void line_breaks(std::uint64_t count, std::size_t indent) {
    for (std::uint64_t i = 0; i < count; ++i) {
      written += chance(4) ? "  " + line_end : line_end;
    }
    written += std::string(indent, ' ');
  }

  static std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) result += c == '\n' ? "\\n" : std::string(1, c);
    return result;
  }

  std::string quoted_word(Style style, std::string& text) {
    if (style == Style::single_quoted) {
      std::string result = word("'\"\\#:{}[],&*");
      text += result;
      for (std::size_t at = 0; (at = result.find('\'', at)) != std::string::npos; at += 2) {
        result.insert(at, 1, '\'');
      }
      return result;
    }
    std::string result = word("'#:{}[],&*");
    text += result;
    switch (random.below(5)) {
      case 0:
        text += "\"\\\t";
        return result + "\\\"\\\\\\t";
      case 1:
        text += "\xC3\xA9\xF0\x9F\x98\x80";
        return result + "\\xe9\\U0001F600";
      case 2:
        text += "x";
        return result + "\\" + line_end + "   x";
      default:
        return result;
    }
  }

  // Writes a scalar. A continued line is indented by `indent`, or in a quoted scalar by any number
  // of spaces.
  void scalar(std::size_t indent, bool is_flow, bool may_fold) {
    const Style style = static_cast<Style>(random.below(3));
    const std::string_view quote = style == Style::plain           ? ""
                                   : style == Style::single_quoted ? "'"
                                                                   : "\"";
    std::string text;
    written += quote;
    for (std::uint64_t words = random.below(6); words > 0; --words) {
      if (style == Style::plain) {
        const std::string next = word(is_flow ? "-#<>/_.0123" : "-#<>/_.0123{}[],");
        text += next;
        written += next;
      } else {
        written += quoted_word(style, text);
      }
      if (words == 1) break;
      const std::size_t next_indent =
          style == Style::plain && !is_flow ? indent + random.below(5) : random.below(9);
      if (may_fold && chance(4)) {
        const std::uint64_t newlines = random.below(3);
        line_breaks(newlines + 1, next_indent);
        text += newlines == 0 ? " " : std::string(newlines, '\n');
      } else {
        written += ' ';
        text += ' ';
      }
    }
    written += quote;
    constexpr std::string_view kOpen = "<'\"", kClose = ">'\"";
    const auto kind = static_cast<std::size_t>(style);
    expected += kOpen[kind] + escaped(text) + kClose[kind];
  }

  void key() {
    const std::string text = word("_<>0123456789");
    const std::size_t kind = random.below(4) == 0 ? 1 + random.below(2) : 0;
    constexpr std::string_view kWritten[] = {"", "'", "\""};
    constexpr std::string_view kOpen = "<'\"", kClose = ">'\"";
    written.append(kWritten[kind]).append(text).append(kWritten[kind]).append(":");
    expected += kOpen[kind] + text + kClose[kind] + ":";
  }

  void flow(int depth) {
    const bool is_mapping = chance(2);
    written += is_mapping ? "{" : "[";
    expected += is_mapping ? "{" : "[";
    const std::uint64_t count = random.below(4);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i > 0) {
        written += ',';
        expected += ',';
        if (chance(3)) {
          line_breaks(1 + random.below(2), random.below(9));
        } else {
          written += ' ';
        }
      }
      if (is_mapping) {
        key();
        if (chance(5)) {
          line_breaks(1, 1 + random.below(9));
        } else {
          written += ' ';
        }
      }
      if (depth > 0 && chance(3)) {
        flow(depth - 1);
      } else {
        const std::size_t before = written.size();
        scalar(1, true, true);
        // An item of a list cannot be empty.
        if (!is_mapping && written.size() == before) {
          written += "''";
          expected.resize(expected.size() - 2);
          expected += "''";
        }
      }
    }
    written += is_mapping ? "}" : "]";
    expected += is_mapping ? "}" : "]";
  }

  void end_line() {
    if (chance(8)) written += " # comment: {";
    line_breaks(chance(10) ? 2 : 1, 0);
  }

  // Writes a value after `key:` or a dash. A collection is indented by `indent`.
  void value(std::size_t indent, int depth, bool behind_dash) {
    const std::uint64_t kind = depth > 0 ? random.below(4) : 2 + random.below(2);
    if (kind == 0)
      return behind_dash ? compact_mapping(indent, depth - 1) : mapping_below(indent, depth - 1);
    if (kind == 1) return sequence_below(indent, depth - 1, behind_dash);
    written += ' ';
    if (kind == 2) {
      flow(2);
    } else {
      scalar(indent + 1, false, true);
    }
    end_line();
  }

  void mapping_below(std::size_t indent, int depth) {
    end_line();
    const std::size_t inner = indent + 1 + random.below(3);
    entries(inner, depth, false);
  }

  void compact_mapping(std::size_t indent, int depth) {
    const std::size_t blanks = 1 + random.below(3);
    written += std::string(blanks, ' ');
    entries(indent + 1 + blanks, depth, true);
  }

  void entries(std::size_t indent, int depth, bool first_is_indented) {
    expected += '{';
    const std::uint64_t count = 1 + random.below(4);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i > 0) expected += ',';
      if (i > 0 || !first_is_indented) written += std::string(indent, ' ');
      key();
      value(indent, depth, false);
    }
    expected += '}';
  }

  void sequence_below(std::size_t indent, int depth, bool behind_dash) {
    expected += '[';
    std::size_t inner = indent;
    bool is_indented = false;
    if (behind_dash) {  // - - 1
      written += ' ';
      inner = indent + 2;
      is_indented = true;
    } else {
      inner += random.below(3);
      end_line();
    }
    const std::uint64_t count = 1 + random.below(4);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i > 0) expected += ',';
      if (!is_indented) written += std::string(inner, ' ');
      is_indented = false;
      written += '-';
      value(inner, depth, true);
    }
    expected += ']';
  }

  void file() {
    if (chance(2)) line_end = "\r\n";
    if (chance(4)) written += "\xEF\xBB\xBF";
    written += "%YAML 1.1" + line_end + "%TAG !u! tag:unity3d.com,2011:" + line_end;
    const std::uint64_t count = 1 + random.below(4);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto class_id = std::to_string(1 + random.below(3'000'000'000));
      const auto file_id = std::to_string(static_cast<std::int64_t>(random.next()));
      const bool is_stripped = chance(3);
      written +=
          "--- !u!" + class_id + " &" + file_id + (is_stripped ? " stripped" : "") + line_end;
      if (i > 0) expected += ';';
      expected += class_id + "&" + file_id + (is_stripped ? " stripped=" : "=");
      entries(0, 5, false);
    }
    if (chance(3)) {
      while (written.ends_with('\n') || written.ends_with('\r')) written.pop_back();
    }
  }
};

}  // namespace

TEST_CASE("Unity reader reads back random trees in every style", "[registry][yaml]") {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Writer writer{.random = Random(seed)};
    writer.file();
    const ReadResult result = read_unity(writer.written);
    CAPTURE(seed, writer.written);
    if (!result.good()) {
      CAPTURE(result.error().position.line, result.error().position.column, result.error().message);
      REQUIRE(result.good());
    }
    REQUIRE(to_text(result.tree()) == writer.expected);
  }
}
