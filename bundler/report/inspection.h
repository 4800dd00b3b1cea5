// Shows the content of a bundle or catalog, for users and for programs.
#pragma once

#include <string>

#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster {

enum class InspectionFormat : std::uint8_t { text, json };

/// Describes the content of a `.mbundle` or `.mcat` file. The magic number of the file determines
/// its kind. Fails with `malformed` for other files. If a reader refuses the file, fails with the
/// code of that failure.
Result<std::string> inspect_file(Bytes bytes, InspectionFormat format);

}  // namespace muster
