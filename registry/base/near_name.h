// Finds the known name that is most similar to a mistyped one.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace muster {

/// Names at most this many edits apart count as a typing mistake.
inline constexpr std::size_t kMaxSlip = 2;

/// The number of insertions, removals and replacements between two words (Wagner, Fischer 1974).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name that is most similar to `name`, at most `max_slip` edits away. Case, `_` and `-`
/// are ignored (`typeId` is similar to `type_id`). Empty if no name is similar enough, or if `name`
/// itself is known.
std::string nearest_name(std::string_view name, const std::set<std::string>& known,
                         std::size_t max_slip = kMaxSlip);

/// The same for type names, with a rule that `type_slip_pattern` can express. Two names are similar
/// in two cases: they are equal apart from case, `_` and `-`; or they are at most `kMaxSlip` edits
/// apart, where only the case of the first letter is ignored.
std::string nearest_type_name(std::string_view name, const std::set<std::string>& known);

/// An ECMAScript regular expression for all names that `nearest_type_name` maps to `name`,
/// including `name`. Requires: `name` is an identifier. Its length grows with the cube of the
/// length of `name`: 3 kB for 12 letters.
std::string type_slip_pattern(std::string_view name);

/// `; did you mean 'NAME'?`, or nothing. Suggests the nearest name, or else the first one that
/// begins with `name`.
std::string did_you_mean(std::string_view name, const std::set<std::string>& known);

}  // namespace muster
