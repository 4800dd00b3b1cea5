// The folders of a project's content, and its settings in `muster.yaml`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "registry/base/file_system.h"
#include "registry/components/component.h"
#include "registry/project/budgets.h"
#include "registry/project/compression.h"
#include "registry/project/strip_rules.h"
#include "registry/project/variant_axes.h"
#include "registry/yaml/tree.h"

namespace muster {

/// The text and the tree of `muster.yaml`, from which other units parse their sections.
struct ConfigSource {
  std::string text;
  yaml::Tree tree;
  yaml::NodeIndex root = yaml::kNoNode;
};

/// A project's settings. A Unity project needs no file: `Assets` and `Packages` are its folders.
struct ProjectConfig {
  static constexpr std::string_view kFileName = "muster.yaml";

  std::string name;
  std::vector<AssetPath> folders;  ///< The folders of the content. All exist.
  /// The file with the game's exported component descriptions.
  std::optional<AssetPath> components;
  /// Guids of assets that are known to be outside the project.
  std::unordered_set<Guid> external_guids;
  std::vector<Budget> budgets;    ///< Limits on the size of a build.
  std::vector<VariantAxis> axes;  ///< The axes of variants.
  /// The rules for content that a target's bundles leave out.
  TargetStripRules strip = default_strip_rules();
  CompressionRules compression;
  std::shared_ptr<const ConfigSource> source;  ///< The source; null if there is no file.
};

/// Finds and parses a project's settings: `muster.yaml` if it exists, otherwise Unity's folders.
/// Fails with `not_found` if neither exists; the message names a project in a nearby folder, if
/// any. Fails with `malformed` if the file is invalid; the message names file and line.
Result<ProjectConfig> load_config(const FileReader& files);

/// Reads the component descriptions in the file `components` of a project. The result is empty if
/// the settings name no such file. Fails if the file cannot be read, with the code of that failure.
/// Fails with `malformed`, naming the component, if a description is invalid.
Result<std::vector<ComponentDescription>> load_components(const FileReader& files,
                                                          const ProjectConfig& config);
/// Reads the message descriptions in the same file. Fails like `load_components`.
Result<std::vector<ComponentDescription>> load_messages(const FileReader& files,
                                                        const ProjectConfig& config);

}  // namespace muster
