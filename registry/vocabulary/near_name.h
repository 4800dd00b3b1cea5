// Which known name a mistyped one is most like.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace muster {

/// Names that are no further apart than this are one name with a slip of the finger.
inline constexpr std::size_t kMaxSlip = 2;

/// The known name that `name` is most like, or nothing: at most `max_slip` letters are inserted,
/// removed or replaced. Upper and lower case, `_` and `-` make no difference (`typeId` is like
/// `type_id`). A name that is known is like no other.
std::string nearest_name(std::string_view name, const std::set<std::string>& known,
                         std::size_t max_slip = kMaxSlip);

/// `; did you mean 'NAME'?`, or nothing.
std::string did_you_mean(std::string_view name, const std::set<std::string>& known);

}  // namespace muster
