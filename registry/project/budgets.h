// Limits on the size of a build.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/result.h"
#include "registry/base/type_id.h"
#include "registry/yaml/tree.h"

namespace muster {

/// One item under `budgets` in `muster.yaml`:
///
///     budgets:
///     - {target: client, bytes: 300 MiB}                 # all bundles of the client
///     - {bundle: "Assets/Prefabs/**", bytes: 2 MiB}      # each bundle of a prefab in this folder
///     - {bundle: shared, target: server, bytes: 20 MiB}  # each bundle that several prefabs share
///     - {kind: [png, tga], bytes: 80 MiB}                # all assets with these extensions
struct Budget {
  /// A pattern for the paths of prefabs (see `fits_pattern`), or `shared`. The pattern is empty if
  /// the budget limits a total instead of single bundles.
  std::string bundle;
  /// Extensions in lower case, without dots. An empty list means all assets.
  std::vector<std::string> kinds;
  TargetSet targets = TargetSet::both();  ///< The limit applies to each target separately.
  std::uint64_t bytes = 0;
  yaml::Position position;
};

inline constexpr std::string_view kSharedBundles = "shared";

/// Reads the list. Fails with `malformed`, naming the line of `muster.yaml`.
Result<std::vector<Budget>> read_budgets(const yaml::Tree& tree, yaml::NodeIndex list);

/// Parses a number of bytes such as "1048576", or with a unit: "512 KiB". The units are KiB, MiB,
/// GiB, kB, MB and GB. Fails with `malformed`.
Result<std::uint64_t> read_byte_count(std::string_view text);

/// True if a path matches a pattern: `*` matches any text without a slash, and `**` matches any
/// text.
bool fits_pattern(std::string_view path, std::string_view pattern);

}  // namespace muster
