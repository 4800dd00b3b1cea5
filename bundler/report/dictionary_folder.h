// Reads the dictionaries of a build's target, for tools that read single bundles.
#pragma once

#include <memory>

#include "registry/base/file_system.h"
#include "runtime/bundle/dictionary.h"

namespace muster {

/// Reads the dictionaries in a target's folder (for example `OUT/client`), without its catalog.
/// Leaves out damaged dictionaries; entries that need a damaged dictionary are then reported as
/// unreadable.
std::shared_ptr<const DictionarySet> read_dictionaries(const FileReader& target);

}  // namespace muster
