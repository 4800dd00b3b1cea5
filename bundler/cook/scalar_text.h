// Parses the text of one number or boolean for a component.
#pragma once

#include <cstddef>
#include <string_view>

#include "registry/components/component.h"

namespace muster {

/// Parses a text as a value of `type`, which must be a number or a boolean, and stores the value at
/// `to`. Returns false, and stores nothing, if the text is not such a value, if the value does not
/// fit, or if `type` is another type.
bool store_scalar(FieldType type, std::string_view text, std::byte* to);
/// Like `store_scalar`, for one number of a vector.
bool store_float(std::string_view text, std::byte* to);

}  // namespace muster
