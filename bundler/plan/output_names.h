// The names of files and folders in an output.
#pragma once

#include <optional>
#include <string_view>

#include "bundler/plan/bundle_plan.h"
#include "runtime/bundle/bundle_name.h"

namespace muster {

/// The name of the catalog in a target's folder.
inline constexpr std::string_view kCatalogName = "catalog.mcat";

/// The target's folder in the output.
inline std::string_view folder_of(Target target) {
  return target == Target::client ? "client" : "server";
}

/// The name of a planned bundle. No value for a shared bundle, whose name is the hash of its
/// content.
std::optional<BundleName> name_of(const Project& project, const PlannedBundle& planned);

}  // namespace muster
