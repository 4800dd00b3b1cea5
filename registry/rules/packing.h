// Whether an asset can go into a bundle, and in which form.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "registry/model/registry_model.h"

namespace muster {

/// Why an asset cannot be packed, by the rule that tells it.
struct PackingFault {
  std::string_view rule;
  Location location;
  std::string message;
};

struct Packing {
  bool is_text = false;  ///< Packed as objects; else byte for byte.
  std::optional<PackingFault> fault;
};

/// How an asset is packed, or why it cannot be: asked by `validate` before a build and by the
/// cooker during it, so that what the one lets pass does not stop the other. Parses the asset, and
/// the sidecar of what goes in byte for byte. Safe to call from several threads.
Packing packing_of(const Project& project, AssetNumber asset);
/// The same but for the sidecar of what goes in byte for byte, which is not looked into: for the
/// cooker, which reads it anyway and finds the same faults.
Packing packing_but_sidecar(const Project& project, AssetNumber asset);

/// Assets with more bytes than this are not packed byte for byte.
inline constexpr std::uint64_t kRawBytesMax = 2ULL * 1024 * 1024 * 1024;
/// Nor are those with a larger sidecar.
inline constexpr std::uint64_t kSidecarBytesMax = 64ULL * 1024 * 1024;

}  // namespace muster
