// Checks the new text of a registry before it is written.
#pragma once

#include <string_view>
#include <vector>

#include "registry/model/registry_writer.h"

namespace muster {

/// Parses `text` and compares it with its input: the same number of documents, one item per slot,
/// the same guids in kept entries, the requested ones in new entries, the ids if the dialect stores
/// them, and all of `retired`. Fails with `malformed`, naming the file.
Result<void> check_written(const SourceFile& before, const Registry& registry,
                           const std::vector<SlotText>& slots, const std::vector<TypeId>& retired,
                           std::string_view text);

}  // namespace muster
