// Converts between values and their canonical text. The object form stores a text as a number if
// the text is the canonical text of that number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "registry/base/guid.h"

namespace muster {

/// The integer whose canonical decimal text is `text`. A canonical text has no plus sign and no
/// leading zeros, and is not "-0".
std::optional<std::int64_t> canonical_integer(std::string_view text);
/// The finite number whose shortest text is `text`. The text may look like an integer.
std::optional<float> canonical_real32(std::string_view text);
std::optional<double> canonical_real64(std::string_view text);
/// The result of `canonical_integer`, if it fits into 32 bits.
std::optional<std::int32_t> canonical_i32(std::string_view text);
/// The guid whose 32 lower-case digits are `text`. Unlike `Guid::parse`, this function makes no
/// error message.
std::optional<Guid> canonical_guid(std::string_view text);

/// The canonical text of a value. For a guid, use `to_string`.
std::string text_of(std::int64_t value);
std::string text_of(float value);
std::string text_of(double value);

}  // namespace muster
