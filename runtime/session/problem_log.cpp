#include "runtime/session/problem_log.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <utility>

#include "registry/base/not_finite.h"
#include "registry/components/quantisation.h"

namespace muster {
namespace {

constexpr Duration kInterval = std::chrono::seconds(1);

bool is_same_cause(const Problem& a, const Problem& b) {
  return a.kind == b.kind && a.player == b.player && a.component == b.component &&
         a.field == b.field && a.text == b.text;
}

}  // namespace

std::string_view to_string(ProblemKind kind) {
  using enum ProblemKind;
  switch (kind) {
    case clamped:
      return "clamped";
    case diverged:
      return "diverged";
    case mispredicted:
      return "mispredicted";
    case refused:
      return "refused";
    case dropped:
      return "dropped";
    case too_large:
      return "too_large";
    case unsupported_change:
      return "unsupported_change";
    case unknown_type:
      return "unknown_type";
    case missing_bundle:
      return "missing_bundle";
    case content_differs:
      return "content_differs";
    case overloaded:
      return "overloaded";
    case unwritten:
      return "unwritten";
  }
  return "unknown";
}

void ProblemLog::add(Problem problem) {
  const auto found = std::ranges::find_if(
      causes_, [&](const Cause& cause) { return is_same_cause(cause.problem, problem); });
  if (found != causes_.end()) {
    found->count += problem.count;
    found->problem.tick = problem.tick;
    found->problem.entity = problem.entity;
    found->problem.difference = problem.difference;
    return;
  }
  if (causes_.size() >= kCausesMax) {
    uncounted_ += problem.count;
    return;
  }
  const std::uint64_t count = problem.count;
  causes_.push_back({.problem = std::move(problem), .count = count});
}

void ProblemLog::flush(Time now, const std::function<void(const Problem&)>& report) {
  const bool was_full = uncounted_ > 0;
  for (std::size_t i = 0; i < causes_.size(); ++i) {
    Cause& cause = causes_[i];
    if (cause.count == 0) continue;
    if (cause.was_reported && now - cause.reported_at < kInterval) continue;
    cause.was_reported = true;
    cause.reported_at = now;
    Problem problem = cause.problem;
    problem.count = std::exchange(cause.count, 0);
    if (report) report(problem);  // `report` may add causes, so `cause` is invalid after this call.
  }
  std::erase_if(causes_, [&](const Cause& cause) {
    return cause.count == 0 && now - cause.reported_at >= kInterval;
  });
  if (!was_full) return;
  add({.kind = ProblemKind::dropped,
       .count = std::exchange(uncounted_, 0),
       .text = "some problems are not reported, because too many different problems occurred in a "
               "second"});
}

Problem unlisted_component(std::string_view name, bool is_other_struct, Tick tick) {
  return {.kind = ProblemKind::unknown_type,
          .tick = tick,
          .component = std::string(name),
          .text = is_other_struct ? "another struct in Game::components has this component's name"
                                  : "the component is not found: add it to Game::components"};
}

std::string unlisted_reason(std::span<const ComponentDescription> types, std::string_view name,
                            std::size_t bytes, std::string_view list) {
  const bool is_other_struct = std::ranges::any_of(types, [&](const ComponentDescription& type) {
    return type.name == name && type.size_bytes != bytes;
  });
  return is_other_struct ? "another command or message has its name"
                         : std::string(list) + " does not list it";
}

std::string outside_range(const FieldDescription& field, std::int64_t value) {
  const auto text_of = [](double number) {
    constexpr int kDigits = 12;
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number,
                                   std::chars_format::general, kDigits);
    return std::string(digits.data(), end.ptr);
  };
  const std::string unit = field.unit.empty() ? "" : " " + field.unit;
  if (value == kNotFinite) return "NaN or infinity";
  if (!field.names.empty()) {
    return std::to_string(value) + " is outside the named numbers 0 to " +
           std::to_string(field.names.size() - 1);
  }
  // `quantise_unbounded` limits steps to this number.
  constexpr std::int64_t kStepsMax = std::int64_t{1} << 62;
  const bool is_above = field.resolution > 0 && value == kStepsMax;
  const bool is_below = field.resolution > 0 && value == -kStepsMax;
  const std::string beyond = is_above ? "more than " : is_below ? "less than " : "";
  return beyond + text_of(number_of(field, value)) + unit + " is outside " +
         text_of(field.minimum) + " to " + text_of(field.maximum) + unit;
}

}  // namespace muster
