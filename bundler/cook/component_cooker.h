// Cooks the fields of a component from YAML to their binary layout in memory.
#pragma once

#include <string>
#include <vector>

#include "registry/components/component.h"
#include "registry/model/registry_model.h"
#include "registry/project/prefab_flattener.h"

namespace muster {

/// A value that does not fit its field.
struct CookProblem {
  Location location;
  std::string message;
};

/// Cooks one component. Starts with the default value of the description and applies the source:
/// first the innermost layer, then the outer layers, then the overrides. Fields that are not in the
/// source keep their default. A field is found by its name, even if it is inside Unity's wrappers
/// `m_SerializedData` and `Value`. The fields of `Transform` have Unity's names. Returns exactly
/// `description.size_bytes` bytes. If a value does not fit, the field keeps its default and the
/// value is added to `problems`.
ByteVector cook_component(const ComponentDescription& description, const SourceComponent& component,
                          std::vector<CookProblem>& problems);

}  // namespace muster
