// The rules for content that builds for a target leave out. For example, servers need no sound.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/result.h"
#include "registry/base/type_id.h"
#include "registry/yaml/tree.h"

namespace muster {

/// The owner of a class: the engine or the project.
enum class ClassOwner : std::uint8_t {
  engine,   ///< The engine. It also counts as the owner of each component in a plain file.
  project,  ///< The project: a script or a plain asset.
};

/// An item under `keep` that is a path.
struct KeptPath {
  std::string pattern;
  yaml::Position position;
};

/// The settings under `strip` for one target in `muster.yaml`, together with the defaults:
///
///     strip:
///       server:
///         kinds: [mesh, .bank]           # more kinds of assets, or extensions
///         components: [DecalProjector]   # more classes of components or assets
///         keep: [font, Light, "Assets/Textures/Heights/**"]
///       client: {}                       # by default no rule
class StripRules {
 public:
  StripRules() = default;
  /// The rules of a target without settings. Clients have no rules. Servers leave out all kinds
  /// that affect only pictures and sound, and `presenting_components`.
  static StripRules defaults_for(Target target);

  bool empty() const { return kinds_.empty() && components_.empty(); }
  /// Whether the rules remove assets of a kind or with an extension. An extension is in lower case
  /// and begins with a dot, for example `.bank`.
  bool strips_kind(std::string_view kind_or_extension) const;
  /// Whether the rules remove components and assets of a class. The defaults apply only to the
  /// engine's classes. A project's class with the name of an engine class is removed only if
  /// `muster.yaml` names it.
  bool strips_class(std::string_view class_name, ClassOwner owner) const;
  bool has_classes() const { return !components_.empty(); }
  /// Whether the rules keep the asset with this path.
  bool keeps_path(std::string_view path) const;

  /// The names of the removed kinds and classes, without the names in `keep`. Sorted.
  std::span<const std::string> kinds() const { return kinds_; }
  std::span<const std::string> components() const { return components_; }
  /// The paths in `keep`, in the order of `muster.yaml`.
  std::span<const KeptPath> kept_paths() const { return kept_paths_; }

 private:
  friend class StripReading;
  std::vector<std::string> kinds_;
  std::vector<std::string> components_;
  std::vector<std::string> named_components_;  ///< The classes that `muster.yaml` names. Sorted.
  std::vector<KeptPath> kept_paths_;
};

/// The rules of each target, indexed by `target_index`.
using TargetStripRules = std::array<StripRules, 2>;
inline std::size_t target_index(Target target) { return target == Target::client ? 0 : 1; }
TargetStripRules default_strip_rules();

/// Parses the value of `strip`. Fails with `malformed`, naming the line of `muster.yaml`.
Result<TargetStripRules> read_strip_rules(const yaml::Tree& tree, yaml::NodeIndex node);

/// The engine's components that servers leave out by default, sorted.
std::span<const std::string_view> presenting_components();

}  // namespace muster
