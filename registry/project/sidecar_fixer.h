// Fixes those problems of sidecars that can be fixed without a decision by the user.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "registry/project/asset_index.h"

namespace muster {

/// One change to a sidecar.
struct SidecarFix {
  enum class Kind : std::uint8_t {
    create,   ///< Creates a missing sidecar with a new guid.
    rename,   ///< Renames a sidecar whose name (`from`) differs in case from the asset's name.
    respell,  ///< Converts the guid in a sidecar to lower case.
  };
  Kind kind = Kind::create;
  AssetPath path;    ///< The path of the sidecar.
  AssetPath from;    ///< The path before the change; only for `rename`.
  std::string text;  ///< The new content; empty for `rename`.
};

/// Computes the possible fixes, sorted by path. Changes no file. A sidecar whose name differs from
/// the asset's name in case is renamed, unless several sidecars differ only in case. `fresh_guid`
/// returns a random guid. A guid is not computed from the path, because a later file with the same
/// path would then get the same guid. Fails if a file cannot be read, with the code of that
/// failure.
Result<std::vector<SidecarFix>> plan_sidecar_fixes(const FileReader& files, const AssetIndex& index,
                                                   const std::function<Guid()>& fresh_guid);

/// Writes the fixes of a plan, each file atomically.
Result<void> apply_sidecar_fixes(FileSystem& files, std::span<const SidecarFix> fixes);

}  // namespace muster
