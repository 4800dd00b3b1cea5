#include "net/transport/link_course.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace muster {

namespace {

using Numbers = std::array<double, 4>;

/// The maximum of every number: enough for many days and a terabit per second.
constexpr double kNumberMax = 1e9;

std::optional<Numbers> read_numbers(std::string_view line) {
  Numbers numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool is_last = i + 1 == numbers.size();
    const std::size_t comma = is_last ? line.size() : line.find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    const char* const end = line.data() + comma;
    const auto [stop, error] = std::from_chars(line.data(), end, numbers[i]);
    const bool is_sound = error == std::errc() && stop == end && std::isfinite(numbers[i]) &&
                          numbers[i] >= 0 && numbers[i] <= kNumberMax;
    if (!is_sound) return std::nullopt;
    line.remove_prefix(std::min(comma + 1, line.size()));
  }
  return numbers;
}

}  // namespace

std::optional<std::vector<LinkMoment>> read_link_course(std::string_view text) {
  std::vector<LinkMoment> course;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    const std::optional<Numbers> numbers = read_numbers(line);
    if (!numbers.has_value() || (*numbers)[2] > 1) return std::nullopt;
    const LinkMoment moment{.at = duration_of((*numbers)[0]),
                            .latency = duration_of((*numbers)[1] / 1000),
                            .loss = (*numbers)[2],
                            .bytes_per_second = (*numbers)[3] * 1000 / 8};
    if (course.empty() ? moment.at != Duration::zero() : moment.at <= course.back().at) {
      return std::nullopt;
    }
    course.push_back(moment);
  }
  if (course.size() < 2) return std::nullopt;
  return course;
}

}  // namespace muster
