// Reads the table of other files in the engine's binary form of assets.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "registry/base/guid.h"

namespace muster {

struct SerializedExternal {
  Guid guid;
  std::size_t offset_bytes = 0;  ///< The offset of the guid in the file.
};

/// The files that a serialized file names, in order; an empty entry for a reference by path only.
/// `head` is the beginning of the file, at least `searched_bytes` of it. Nothing if the layout of
/// the tables is unknown (known: versions 14 to 22), or if they end early.
std::optional<std::vector<SerializedExternal>> read_externals(std::string_view head);

}  // namespace muster
