// What a session has done with a newer build.
#pragma once

#include <cstdint>
#include <vector>

#include "registry/base/guid.h"
#include "registry/base/result.h"

namespace muster {

/// What `reload` has done with the entities that are alive.
struct ReloadSummary {
  std::uint32_t unchanged = 0;
  std::uint32_t updated = 0;    ///< Have the new values.
  std::uint32_t rebuilt = 0;    ///< Have other components or children; the root is the same one.
  std::uint32_t failed = 0;     ///< Stay as they are: the new build cannot spawn them.
  bool has_new_types = false;   ///< Of a server: clients began a new map.
  std::vector<Guid> changed{};  ///< Prefabs whose entities were updated or rebuilt; sorted.
  std::vector<Error> errors{};  ///< One for each prefab that failed.
};

}  // namespace muster
