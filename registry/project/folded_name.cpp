// Uses tables for all writing systems (`tables/unicode_names.txt`). The tables are loaded for the
// first name that is not ASCII, because most projects have no such name.
#include "registry/project/folded_name.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "registry/base/utf8.h"
#include "registry/project/tables/tables.h"

namespace muster {
namespace {

using Character = std::uint32_t;
using Text = std::vector<Character>;

// Each invalid byte is represented by a character above Unicode's range.
constexpr Character kFirstBadByte = 0x110000;

// Hangul syllables are composed by arithmetic (The Unicode Standard, 3.12).
constexpr Character kSyllableFirst = 0xAC00;
constexpr Character kSyllableLast = 0xD7A3;
constexpr Character kLeadFirst = 0x1100;
constexpr Character kVowelFirst = 0x1161;
constexpr Character kTrailBefore = 0x11A7;
constexpr Character kVowelCount = 21;
constexpr Character kTrailCount = 28;

struct Tables {
  std::unordered_map<Character, Text> apart;
  std::unordered_map<Character, Text> folded;
  std::unordered_map<Character, std::uint8_t> marks;  // The combining class of each mark.

  Tables() {
    std::string_view rest = unicode_names_table();
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (line.size() > 2 && line.front() != '#') add(line.front(), numbers_in(line.substr(2)));
    }
  }

 private:
  static Text numbers_in(std::string_view line) {
    Text numbers;
    const char* at = line.data();
    const char* const end = at + line.size();
    while (at < end) {
      Character number = 0;
      const auto read = std::from_chars(at, end, number, 16);
      numbers.push_back(number);
      at = read.ptr + 1;
    }
    return numbers;
  }

  void add(char kind, Text numbers) {
    if (kind == 'c') {
      for (Character c = numbers[0]; c <= numbers[1]; ++c) {
        marks.emplace(c, static_cast<std::uint8_t>(numbers[2]));
      }
      return;
    }
    const Character from = numbers.front();
    numbers.erase(numbers.begin());
    (kind == 'd' ? apart : folded).emplace(from, std::move(numbers));
  }
};

const Tables& tables() {
  static const Tables kTables;
  return kTables;
}

Text decoded(std::string_view name) {
  Text text;
  while (!name.empty()) {
    const std::size_t bytes = utf8_character_bytes(name);
    const auto first = static_cast<unsigned char>(name.front());
    if (bytes <= 1) {
      text.push_back(bytes == 1 ? first : kFirstBadByte + first);
      name.remove_prefix(1);
      continue;
    }
    Character c = first & (0xFFU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
      c = c << 6U | (static_cast<unsigned char>(name[i]) & 0x3FU);
    }
    text.push_back(c);
    name.remove_prefix(bytes);
  }
  return text;
}

void append(std::string& text, Character c) {
  const auto put = [&](Character byte) { text.push_back(static_cast<char>(byte)); };
  const auto put_tail = [&](unsigned shift) { put(0x80U | (c >> shift & 0x3FU)); };
  if (c >= kFirstBadByte) {
    put(c - kFirstBadByte);
  } else if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0U | c >> 6U);
    put_tail(0);
  } else if (c < 0x10000) {
    put(0xE0U | c >> 12U);
    put_tail(6);
    put_tail(0);
  } else {
    put(0xF0U | c >> 18U);
    put_tail(12);
    put_tail(6);
    put_tail(0);
  }
}

void decompose(Character c, Text& text) {
  if (c >= kSyllableFirst && c <= kSyllableLast) {
    const Character index = c - kSyllableFirst;
    text.push_back(kLeadFirst + index / (kVowelCount * kTrailCount));
    text.push_back(kVowelFirst + index % (kVowelCount * kTrailCount) / kTrailCount);
    if (index % kTrailCount != 0) text.push_back(kTrailBefore + index % kTrailCount);
    return;
  }
  const auto found = tables().apart.find(c);
  if (found == tables().apart.end()) {
    text.push_back(c);
  } else {
    text.insert(text.end(), found->second.begin(), found->second.end());
  }
}

// Sorts the marks of each letter by combining class (Unicode's canonical order).
void order_marks(Text& text) {
  const auto class_of = [](Character c) {
    const auto found = tables().marks.find(c);
    return found == tables().marks.end() ? std::uint8_t{0} : found->second;
  };
  for (auto begin = text.begin(); begin != text.end();) {
    if (class_of(*begin) == 0) {
      ++begin;
      continue;
    }
    const auto end = std::find_if(begin, text.end(), [&](Character c) { return class_of(c) == 0; });
    std::stable_sort(begin, end,
                     [&](Character a, Character b) { return class_of(a) < class_of(b); });
    begin = end;
  }
}

bool is_ascii(std::string_view name) {
  return std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

std::string encoded(const Text& text) {
  std::string name;
  for (const Character c : text) append(name, c);
  return name;
}

Text decomposed(std::string_view name) {
  Text text;
  for (const Character c : decoded(name)) decompose(c, text);
  order_marks(text);
  return text;
}

}  // namespace

std::string decomposed_name(std::string_view name) {
  return is_ascii(name) ? std::string(name) : encoded(decomposed(name));
}

std::string folded_name(std::string_view name) {
  if (is_ascii(name)) {
    std::string folded(name);
    for (char& c : folded) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return folded;
  }
  Text text;
  for (const Character c : decomposed(name)) {
    const auto found = tables().folded.find(c);
    if (found == tables().folded.end()) {
      text.push_back(c);
    } else {
      text.insert(text.end(), found->second.begin(), found->second.end());
    }
  }
  order_marks(text);
  return encoded(text);
}

}  // namespace muster
