// Parses the text of one number or boolean for a component.
#pragma once

#include <cstddef>
#include <string_view>

#include "registry/components/component.h"

namespace muster {

/// Stores a text as the binary form of a type with one number. Returns false, and stores nothing,
/// if the text is no such number, if it does not fit, or for other types.
bool store_scalar(FieldType type, std::string_view text, std::byte* place);
/// The same for one number of a vector.
bool store_float(std::string_view text, std::byte* place);

}  // namespace muster
