// Collects problems, and reports each cause at most once per second.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/clock.h"
#include "registry/components/component.h"
#include "runtime/session/problem.h"

namespace muster {

/// The problems of a server or client, by cause. If a second has more than `kCausesMax` causes, the
/// additional causes are counted together as one cause. Only one thread at a time may use this
/// object.
class ProblemLog {
 public:
  static constexpr std::size_t kCausesMax = 256;

  void add(Problem problem);
  /// Calls `report` for each cause that has occurred and was not reported within the last second.
  /// The causes are reported in the order of their first occurrence. `report` may add problems.
  void flush(Time now, const std::function<void(const Problem&)>& report);

 private:
  struct Cause {
    Problem problem;
    std::uint64_t count = 0;  ///< The occurrences since the last report.
    Time reported_at{};
    bool was_reported = false;
  };
  std::vector<Cause> causes_;
  std::uint64_t uncounted_ = 0;  ///< Problems beyond `kCausesMax`.
};

/// The problem of a component that `Game::components` does not list. `is_other_struct` is true if a
/// struct of another size has the component's name.
Problem unlisted_component(std::string_view name, bool is_other_struct, Tick tick);

/// The reason why a type with this name and size is not in `list`, for example `Game::messages`.
/// `types` has the types of all commands and messages.
std::string unlisted_reason(std::span<const ComponentDescription> types, std::string_view name,
                            std::size_t bytes, std::string_view list);

/// Describes a value outside the range of its field, for example "1000.5 hp is outside 0 to 1000
/// hp". `value` is the integer of the value, as in `quantise_unbounded`. The field must have a
/// range or names, except for `kNotFinite`.
std::string outside_range(const FieldDescription& field, std::int64_t value);

}  // namespace muster
