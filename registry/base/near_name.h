// Which known name a mistyped one is most like.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace muster {

/// Names that are no further apart than this are one name with a slip of the finger.
inline constexpr std::size_t kMaxSlip = 2;

/// The insertions, removals and replacements that make one word another (Wagner, Fischer 1974).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name that `name` is most like, or nothing: at most `max_slip` letters are inserted,
/// removed or replaced. Upper and lower case, `_` and `-` make no difference (`typeId` is like
/// `type_id`). A name that is known is like no other.
std::string nearest_name(std::string_view name, const std::set<std::string>& known,
                         std::size_t max_slip = kMaxSlip);

/// The same for names of types, with a rule that `type_slip_pattern` can express: they are equal
/// without case, `_` and `-`, or at most `kMaxSlip` letters apart, where only the first letter may
/// be in either case.
std::string nearest_type_name(std::string_view name, const std::set<std::string>& known);

/// An ECMAScript regular expression of what `nearest_type_name` takes for `name`, `name` included.
/// Requires: `name` is an identifier. The length grows with the cube of that of `name`: 3 kB for 12
/// letters.
std::string type_slip_pattern(std::string_view name);

/// `; did you mean 'NAME'?`, or nothing. Suggests the nearest name, or else the first one that
/// begins with `name`.
std::string did_you_mean(std::string_view name, const std::set<std::string>& known);

}  // namespace muster
