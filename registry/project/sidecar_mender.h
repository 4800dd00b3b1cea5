// Finds the problems of sidecars that can be fixed without a question to the user.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "registry/project/asset_index.h"

namespace muster {

/// One change to a sidecar.
struct SidecarMend {
  enum class Kind : std::uint8_t {
    create,   ///< It is missing: creates one with a new guid.
    rename,   ///< Its name (`from`) differs from the asset's in case.
    respell,  ///< Its guid is in upper case.
  };
  Kind kind = Kind::create;
  AssetPath path;    ///< The path of the sidecar.
  AssetPath from;    ///< The current path; only for `rename`.
  std::string text;  ///< The new content; empty for `rename`.
};

/// Computes the possible fixes, sorted by path; changes nothing. A sidecar whose name differs in
/// case is used only if there is exactly one. `fresh_guid` returns a random guid. (A guid that
/// depends on the path would be used again for the next file with that name.) Fails with disk
/// errors.
Result<std::vector<SidecarMend>> plan_sidecar_mends(const FileReader& files,
                                                    const AssetIndex& index,
                                                    const std::function<Guid()>& fresh_guid);

/// Writes a plan, each file atomically.
Result<void> apply_sidecar_mends(FileSystem& files, std::span<const SidecarMend> mends);

}  // namespace muster
