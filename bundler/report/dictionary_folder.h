// The dictionaries of a build's target, for tools that look at single bundles.
#pragma once

#include <memory>

#include "registry/base/file_system.h"
#include "runtime/bundle/dictionary.h"

namespace muster {

/// Reads the dictionaries that lie in a target's folder (`OUT/client`), whatever its catalog says.
/// Those that are damaged are left out: who needs one is told that it is not here.
std::shared_ptr<const DictionarySet> read_dictionaries(const FileReader& target);

}  // namespace muster
