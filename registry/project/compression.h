// The compression settings of a project.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "registry/base/asset_path.h"
#include "registry/base/result.h"
#include "registry/yaml/tree.h"

namespace muster {

/// The section `compression` of `muster.yaml`:
///
///     compression:
///       default: 9            # 1 (fast) to 19 (small)
///       kinds:
///         object: 19          # a kind of bundle entry: object, prefab, raw, import_settings, text
///         wav: store          # or a file extension, for all entries of such files
///       dictionaries: Dictionaries~   # written by `muster train`; if missing, builds train
///
/// A level for an extension takes precedence over a level for a kind of entry. Both take precedence
/// over the default.
struct CompressionRules {
  static constexpr int kLevelMax = 19;

  std::optional<int> level;  ///< The default.
  /// The level of each kind or lower-case extension. Level 0 stores entries without compression.
  std::map<std::string, int, std::less<>> kinds;
  std::optional<AssetPath> dictionaries;  ///< The folder of committed dictionaries.
  yaml::Position dictionaries_at{};       ///< The position of the value.

  /// All kinds and levels in one line. Two builds have the same kinds and levels if their lines are
  /// equal. The line is empty if there are no kinds.
  std::string text() const;
};

/// Parses the section. Fails with `malformed`; the message names the file and the line.
Result<CompressionRules> read_compression(const yaml::Tree& tree, yaml::NodeIndex section);

}  // namespace muster
