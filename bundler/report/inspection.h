// Shows the content of a bundle or catalog, for users and for machines.
#pragma once

#include <string>

#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster {

enum class InspectionFormat : std::uint8_t { text, json };

/// Describes the bytes of a `.mbundle` or `.mcat` file, distinguished by their magic numbers. Fails
/// with `malformed` for other files, or with the errors of their readers.
Result<std::string> inspect_file(Bytes bytes, InspectionFormat format);

}  // namespace muster
