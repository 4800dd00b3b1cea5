// Decides whether an asset can be packed, and in which form.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "registry/model/project.h"

namespace muster {

/// The reason why an asset cannot be packed, with the rule that reports the reason.
struct PackingFault {
  std::string_view rule;
  Location location;
  std::string message;
};

struct Packing {
  /// True if the asset is packed as objects; false if it is packed byte for byte.
  bool is_text = false;
  std::optional<PackingFault> fault;
};

/// The form in which an asset is packed, or the reason why it cannot be packed. `validate` and the
/// cooker call this function, so that a valid project does not fail to build. Parses the asset, and
/// the sidecar of an asset that is packed byte for byte. Safe to call from several threads.
Packing packing_of(const Project& project, AssetNumber asset);
/// Like `packing_of`, but does not parse sidecars. The cooker calls this function, because it reads
/// the sidecar itself and finds the same faults.
Packing packing_but_sidecar(const Project& project, AssetNumber asset);

/// The maximum size, in bytes, of an asset that is packed byte for byte.
inline constexpr std::uint64_t kRawBytesMax = 2ULL * 1024 * 1024 * 1024;
/// The maximum size, in bytes, of the sidecar of an asset that is packed byte for byte.
inline constexpr std::uint64_t kSidecarBytesMax = 64ULL * 1024 * 1024;

}  // namespace muster
