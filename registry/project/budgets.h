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
///     - {bundle: "Assets/Prefabs/**", bytes: 2 MiB}      # each bundle of a prefab in there
///     - {bundle: shared, target: server, bytes: 20 MiB}  # each bundle that several share
///     - {kind: [png, tga], bytes: 80 MiB}                # all assets with these extensions
struct Budget {
  /// A pattern for the paths of prefabs (`*` within a name, `**` across folders), or `shared`;
  /// empty if the budget is not for single bundles.
  std::string bundle;
  std::vector<std::string> kinds;         ///< Extensions, in lower case, without the dot.
  TargetSet targets = TargetSet::both();  ///< The limit applies to each target separately.
  std::uint64_t bytes = 0;
  yaml::Position position;
};

inline constexpr std::string_view kSharedBundles = "shared";

/// Reads the list. Fails with `malformed`, naming the line of `muster.yaml`.
Result<std::vector<Budget>> read_budgets(const yaml::Tree& tree, yaml::NodeIndex list);

/// Parses "1048576", "512 KiB", "300 MiB", "2 GiB", or with kB, MB and GB. Fails with `malformed`.
Result<std::uint64_t> read_byte_count(std::string_view text);

/// True if a path matches a pattern: `*` matches any text without a slash, `**` any text.
bool fits_pattern(std::string_view path, std::string_view pattern);

}  // namespace muster
