#include "registry/model/open_variants.h"

#include <algorithm>

namespace muster {

bool is_open(const Project& project, const VariantFile& file) {
  return std::ranges::none_of(file.keys, [&](const VariantKey& key) {
    return project.config().axes[key.axis].is_chosen_at_build;
  });
}

const Guid& packed_guid(const Project& project, AssetNumber asset) {
  const VariantFile* variant = project.variants().find(asset);
  const bool is_alternative = variant != nullptr && is_open(project, *variant);
  return project.index().at(is_alternative ? variant->base : asset).guid;
}

}  // namespace muster
