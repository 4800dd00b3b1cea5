#include "registry/base/near_name.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "registry/base/asset_path.h"

namespace muster {
namespace {

/// The beginning of a known name is a suggestion from this length on.
constexpr std::size_t kMinBeginning = 4;

std::string folded(std::string_view name) {
  std::string text = lower_ascii(name);
  std::erase_if(text, [](char c) { return c == '_' || c == '-'; });
  return text;
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
  // A word of any length is compared once with each name, so a long one is cut off.
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
