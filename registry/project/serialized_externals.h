// Reads the table of the files to which an asset in the engine's binary form refers.
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

/// The files that a serialized file names, in order. An entry has a null guid if the file is named
/// only by its path. `head` is at least the first `searched_bytes` of the file. The result is
/// nullopt if the tables are incomplete, or if their layout is unknown. The layouts of versions 14
/// to 22 are known.
std::optional<std::vector<SerializedExternal>> read_externals(std::string_view head);

}  // namespace muster
