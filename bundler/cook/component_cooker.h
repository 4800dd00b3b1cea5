// Cooks component fields from YAML to their final binary layout.
#pragma once

#include <string>
#include <vector>

#include "registry/components/component.h"
#include "registry/model/registry_model.h"
#include "registry/project/prefab.h"

namespace muster {

/// A value that does not fit its field.
struct CookProblem {
  Location location;
  std::string message;
};

/// Cooks one component: starts with the description's default value and applies the source,
/// innermost layer first, overrides last. Fields that are not in the source keep their default. A
/// field is found by its name, also inside `m_SerializedData` or `Value` (Unity's wrappers), and
/// for `Transform` by Unity's names. Returns exactly `description.size_bytes` bytes. Values that do
/// not fit keep the default and are added to `problems`.
ByteVector cook_component(const ComponentDescription& description, const SourceComponent& component,
                          std::vector<CookProblem>& problems);

}  // namespace muster
