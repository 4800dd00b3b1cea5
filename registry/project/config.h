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
#include "registry/project/strip_rules.h"
#include "registry/project/variant_axes.h"
#include "registry/yaml/tree.h"

namespace muster {

/// The text and tree of `muster.yaml`; other folders of Muster parse their own sections.
struct ConfigSource {
  std::string text;
  yaml::Tree tree;
  yaml::NodeIndex root = yaml::kNoNode;
};

/// A project's settings. A Unity project needs no file: `Assets` and `Packages` are its folders.
struct ProjectConfig {
  static constexpr std::string_view kFileName = "muster.yaml";

  std::string name;
  std::vector<AssetPath> folders;           ///< The folders to walk; each exists.
  std::optional<AssetPath> components;      ///< The game's exported component descriptions.
  std::unordered_set<Guid> external_guids;  ///< Known to be outside the tree (packages).
  std::vector<Budget> budgets;              ///< Limits on the size of a build.
  std::vector<VariantAxis> axes;            ///< The axes of variants.
  /// What a target's bundles leave out.
  TargetStripRules strip = default_strip_rules();
  std::shared_ptr<const ConfigSource> source;  ///< Null if there is no file.
};

/// Finds and parses a project's settings: `muster.yaml` if it exists, otherwise Unity's folders.
/// Fails with `not_found` if neither exists, naming a nearby project if there is one, and with
/// `malformed` (file, line) if the file is invalid.
Result<ProjectConfig> load_config(const FileReader& files);

/// Reads the component descriptions that a project names; empty if it names none. Fails with disk
/// errors, and with `malformed`, naming the component.
Result<std::vector<ComponentDescription>> load_components(const FileReader& files,
                                                          const ProjectConfig& config);
/// The messages of the same file.
Result<std::vector<ComponentDescription>> load_messages(const FileReader& files,
                                                        const ProjectConfig& config);

}  // namespace muster
