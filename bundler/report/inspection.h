// What a bundle or catalog holds, for people and for machines.
#pragma once

#include <string>

#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster {

enum class InspectionFormat : std::uint8_t { text, json };

/// Describes the bytes of a `.mbundle` or `.mcat` file, told apart by their magic numbers. Fails
/// with `malformed` when they are neither, or as their readers do.
Result<std::string> inspect_file(Bytes bytes, InspectionFormat format);

}  // namespace muster
