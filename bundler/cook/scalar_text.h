// The text of one number or truth value, as a component stores it.
#pragma once

#include <cstddef>
#include <string_view>

#include "registry/components/component.h"

namespace muster {

/// Stores a text as the binary form of a type that is one number. Returns false, and stores
/// nothing, when the text is no such number, when it does not fit, or for other types.
bool store_scalar(FieldType type, std::string_view text, std::byte* place);
/// The same for one number of a vector.
bool store_float(std::string_view text, std::byte* place);

}  // namespace muster
