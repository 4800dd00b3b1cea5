// The table of other files in the engine's binary form of assets.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "registry/base/guid.h"

namespace muster {

struct SerializedExternal {
  Guid guid;
  std::size_t offset_bytes = 0;  ///< Where the guid lies in the file.
};

/// The files that a serialized file names, in order; none for a reference by path alone. `head` is
/// the beginning of the file, at least `searched_bytes` of it. Nothing when the tables are not of a
/// known layout (versions 14 to 22), or end early.
std::optional<std::vector<SerializedExternal>> read_externals(std::string_view head);

}  // namespace muster
