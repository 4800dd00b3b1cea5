// Finds the known name that is most similar to a mistyped name.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace muster {

/// The maximum number of edits between a mistyped name and the intended name.
inline constexpr std::size_t kMaxSlip = 2;

/// The number of insertions, removals and replacements between two words (Wagner, Fischer 1974).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name that differs from `name` by the fewest edits. At most `max_slip` edits are
/// allowed. Ignores case, `_` and `-`. For example, `typeId` is similar to `type_id`. The result is
/// empty if no known name is similar enough, or if `name` is known.
std::string nearest_name(std::string_view name, const std::set<std::string>& known,
                         std::size_t max_slip = kMaxSlip);

/// Like `nearest_name`, but for type names, and with a rule that `type_slip_pattern` can express.
/// Two names are similar in two cases. First, they are equal if case, `_` and `-` are ignored.
/// Second, they are at most `kMaxSlip` edits apart. In this case, only the case of the first letter
/// is ignored.
std::string nearest_type_name(std::string_view name, const std::set<std::string>& known);

/// An ECMAScript regular expression that matches `name` and all names that are similar to it by the
/// rule of `nearest_type_name`. The length of the expression grows with the cube of the length of
/// `name`: 3 kB for 12 letters. Requires: `name` is an identifier.
std::string type_slip_pattern(std::string_view name);

/// The text `; did you mean 'NAME'?`, or an empty text. NAME is the nearest name. If no known name
/// is near enough, NAME is the first known name that begins with `name`.
std::string did_you_mean(std::string_view name, const std::set<std::string>& known);

}  // namespace muster
