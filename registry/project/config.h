// Where a project's content lies, and what it says about itself in `muster.yaml`.
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

/// The text and tree of `muster.yaml`; other rooms read their own sections from it.
struct ConfigSource {
  std::string text;
  yaml::Tree tree;
  yaml::NodeIndex root = yaml::kNoNode;
};

/// A project's settings. A Unity project needs no file: `Assets` and `Packages` are its folders.
struct ProjectConfig {
  static constexpr std::string_view kFileName = "muster.yaml";

  std::string name;
  std::vector<AssetPath> folders;           ///< What is walked; each exists.
  std::optional<AssetPath> components;      ///< The game's exported component descriptions.
  std::unordered_set<Guid> external_guids;  ///< Known to live outside the tree (packages).
  std::vector<Budget> budgets;              ///< How large what is built may be.
  std::vector<VariantAxis> axes;            ///< Along which assets vary.
  /// What a target's bundles go without.
  TargetStripRules strip = default_strip_rules();
  std::shared_ptr<const ConfigSource> source;  ///< Null when there is no file.
};

/// Finds and reads a project's settings: `muster.yaml` if there is one, else Unity's folders. Fails
/// with `not_found` when it is neither, and says where a project was seen instead, if close by;
/// with `malformed` (file, line) when the file does not mean anything.
Result<ProjectConfig> load_config(const FileReader& files);

/// Reads the component descriptions that a project names; none when it names none. Fails as the
/// disk does, and with `malformed`, naming the component.
Result<std::vector<ComponentDescription>> load_components(const FileReader& files,
                                                          const ProjectConfig& config);

}  // namespace muster
