#include "registry/base/near_name.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "registry/base/asset_path.h"

namespace muster {
namespace {

/// A known name that begins with the mistyped name is suggested only if the mistyped name has at
/// least this number of bytes.
constexpr std::size_t kMinBeginning = 4;

std::string folded(std::string_view name) {
  std::string text = lower_ascii(name);
  std::erase_if(text, [](char c) { return c == '_' || c == '-'; });
  return text;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

// The name with the case of its first letter changed.
std::string with_other_first(std::string_view name) {
  std::string text(name);
  if (text.empty()) return text;
  const char first = text.front();
  text.front() = lower(first) == first ? upper(first) : lower(first);
  return text;
}

std::size_t slip_max_of(std::size_t letters) {
  return letters == 0 ? 0 : std::min(kMaxSlip, letters - 1);
}

std::string either_case(char c) {
  if (lower(c) == upper(c)) return std::string(1, c);
  return {'[', upper(c), lower(c), ']'};
}

// A regular expression for all texts that are at most `slips` edits from `text`. At each position
// either the letter matches, or there is an edit: the letter is replaced or missing (`.?`), or a
// letter is added (`.`).
std::string slip_pattern(std::string_view text, std::size_t slips, bool is_first) {
  if (text.empty()) return slips == 0 ? "" : ".{0," + std::to_string(slips) + "}";
  const std::string_view rest = text.substr(1);
  const std::string letter = is_first ? either_case(text.front()) : std::string(1, text.front());
  const std::string matched = letter + slip_pattern(rest, slips, false);
  if (slips == 0) return matched;
  return "(?:" + matched + "|.?" + slip_pattern(rest, slips - 1, false) + "|." +
         slip_pattern(text, slips - 1, is_first) + ")";
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

std::string nearest_name(std::string_view name, const std::set<std::string>& known,
                         std::size_t max_slip) {
  if (known.contains(std::string(name))) return {};
  // Long names are truncated, because the time for a comparison grows with the length.
  constexpr std::size_t kMaxLetters = 256;
  const std::string wanted = folded(name.substr(0, kMaxLetters));
  std::string best;
  std::size_t best_distance = max_slip + 1;
  for (const std::string& one : known) {
    const std::string other = folded(one);
    const std::size_t distance = edit_distance(wanted, other);
    if (distance >= best_distance || distance >= other.size()) continue;
    best = one;
    best_distance = distance;
  }
  return best;
}

std::string nearest_type_name(std::string_view name, const std::set<std::string>& known) {
  if (known.contains(std::string(name))) return {};
  constexpr std::size_t kMaxLetters = 256;
  const std::string_view wanted = name.substr(0, kMaxLetters);
  std::string best;
  std::size_t best_distance = kMaxSlip + 1;
  for (const std::string& one : known) {
    const bool is_same = folded(wanted) == folded(one);
    // Tries both cases of the first letter.
    const std::size_t distance = is_same ? 0
                                         : std::min(edit_distance(wanted, one),
                                                    edit_distance(wanted, with_other_first(one)));
    if (distance >= best_distance || distance > slip_max_of(one.size())) continue;
    best = one;
    best_distance = distance;
  }
  return best;
}

std::string type_slip_pattern(std::string_view name) {
  std::string loose = "[_-]*";
  for (const char c : folded(name)) loose += either_case(c) + "[_-]*";
  return "^(?:" + loose + "|" + slip_pattern(name, slip_max_of(name.size()), true) + ")$";
}

std::string did_you_mean(std::string_view name, const std::set<std::string>& known) {
  std::string meant = nearest_name(name, known);
  if (meant.empty() && name.size() >= kMinBeginning) {
    const auto longer = known.lower_bound(std::string(name));
    const bool is_longer = longer != known.end() && longer->size() > name.size();
    if (is_longer && longer->starts_with(name)) meant = *longer;
  }
  return meant.empty() ? std::string() : "; did you mean '" + meant + "'?";
}

}  // namespace muster
