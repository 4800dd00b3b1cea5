// The compression settings of a project.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "registry/base/asset_path.h"
#include "registry/project/config.h"

namespace muster {

/// The section `compression` of `muster.yaml`:
///
///     compression:
///       default: 9            # 1 (fast) to 19 (small)
///       kinds:
///         object: 19          # what an entry is: object, prefab, raw, import_settings, text
///         wav: store          # or a file extension, for all entries of such files
///       dictionaries: Dictionaries~   # the folder of `muster train`; without it builds train
///
/// An extension takes precedence over the kind of the entry, and the kind over the default.
struct CompressionRules {
  static constexpr int kLevelMax = 19;

  std::optional<int> level;                       ///< The default.
  std::map<std::string, int, std::less<>> kinds;  ///< Extensions in lower case; 0 stores.
  std::optional<AssetPath> dictionaries;          ///< The folder of committed dictionaries.
  yaml::Position dictionaries_at{};               ///< The position of its name.

  /// All kinds on one line, for comparison with other builds; empty without kinds.
  std::string text() const;
};

/// Parses the section. Fails with `malformed` (file, line).
Result<CompressionRules> read_compression(const yaml::Tree& tree, yaml::NodeIndex section);
/// The section of a project whose settings were validated. Returns the defaults if none exists.
CompressionRules compression_of(const ProjectConfig& config);

}  // namespace muster
