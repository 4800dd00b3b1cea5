#include "bundler/plan/output_names.h"

namespace muster {

std::optional<BundleName> name_of(const Project& project, const PlannedBundle& planned) {
  if (!planned.keys.empty()) {
    return BundleName::of_variant(project.index().at(planned.varied).guid,
                                  to_text(project.config().axes, planned.keys));
  }
  if (planned.prefab == kNoAsset) return std::nullopt;
  return BundleName::of_prefab(project.index().at(planned.prefab).guid);
}

}  // namespace muster
