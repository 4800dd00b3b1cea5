// What is wrong with sidecars and can be mended without asking.
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
    create,   ///< There is none: one with a new guid.
    rename,   ///< It is there, but its name differs from the asset's in case (`from`).
    respell,  ///< Its guid is in upper case.
  };
  Kind kind = Kind::create;
  AssetPath path;    ///< Of the sidecar.
  AssetPath from;    ///< Where it is now; for `rename` only.
  std::string text;  ///< The new content; for `rename` none.
};

/// Works out what can be mended, sorted by path; changes nothing. A sidecar of the asset's name in
/// another case is taken only when there is exactly one. `fresh_guid` draws a guid at random: one
/// that follows from the path would come back with the next file of that name.
/// Fails as the disk does.
Result<std::vector<SidecarMend>> plan_sidecar_mends(const FileReader& files,
                                                    const AssetIndex& index,
                                                    const std::function<Guid()>& fresh_guid);

/// Writes a plan, each file atomically.
Result<void> apply_sidecar_mends(FileSystem& files, std::span<const SidecarMend> mends);

}  // namespace muster
