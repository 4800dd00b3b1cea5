// Checks the new text of a registry before it is written.
#pragma once

#include <string_view>
#include <vector>

#include "registry/model/registry_writer.h"

namespace muster {

/// Parses `text` and checks: the number of documents is unchanged, the list has one item per slot,
/// kept entries have the same guids, new entries have the requested guids, entries have the
/// requested ids (if the dialect stores ids), and all ids of `retired` are listed. Fails with
/// `malformed`, naming the file.
Result<void> check_written(const SourceFile& before, const Registry& registry,
                           const std::vector<SlotText>& slots, const std::vector<TypeId>& retired,
                           std::string_view text);

}  // namespace muster
