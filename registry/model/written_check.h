// A look at the new text of a registry before it reaches the disk.
#pragma once

#include <string_view>
#include <vector>

#include "registry/model/registry_writer.h"

namespace muster {

/// Reads `text` again and compares it with what it was made from: as many documents, one item per
/// slot, the same guids in kept entries, the wanted one in new ones, the ids where the dialect
/// states them, and all of `retired`. Fails with `malformed`, naming the file.
Result<void> check_written(const SourceFile& before, const Registry& registry,
                           const std::vector<SlotText>& slots, const std::vector<TypeId>& retired,
                           std::string_view text);

}  // namespace muster
