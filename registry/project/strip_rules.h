// What the builds for a target go without: presentation, on a server.
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

/// Whose class it is that something is called by.
enum class ClassOwner : std::uint8_t {
  engine,   ///< Or a component's in a plain file, which has nothing but its name.
  project,  ///< A script's, or a plain asset's.
};

/// A line under `keep` that is a path.
struct KeptPath {
  std::string pattern;
  yaml::Position position;
};

/// What `muster.yaml` says under `strip` of one target, together with the defaults:
///
///     strip:
///       server:
///         kinds: [mesh, .bank]           # more kinds of assets, or extensions
///         components: [DecalProjector]   # more classes of components, and of assets
///         keep: [font, Light, "Assets/Textures/Heights/**"]
///       client: {}                       # nothing by default
class StripRules {
 public:
  StripRules() = default;
  /// Those of a target of which nothing is said: for servers all kinds that are presentation
  /// alone, and the engine's components that show or sound.
  static StripRules defaults_for(Target target);

  bool empty() const { return kinds_.empty() && components_.empty(); }
  /// Whether the rules drop assets of a kind, or with an extension (in lower case).
  bool strips_kind(std::string_view kind_or_extension) const;
  /// Whether they drop components, and assets, of a class. The defaults mean the engine's classes:
  /// a script that is called like one of them goes only when `muster.yaml` names it.
  bool strips_class(std::string_view class_name, ClassOwner owner) const;
  bool has_classes() const { return !components_.empty(); }
  /// Whether they keep what has this path.
  bool keeps_path(std::string_view path) const;

  /// Sorted, without what is kept.
  std::span<const std::string> kinds() const { return kinds_; }
  std::span<const std::string> components() const { return components_; }
  /// In the order of `muster.yaml`.
  std::span<const KeptPath> kept_paths() const { return kept_paths_; }

 private:
  friend class StripReading;
  std::vector<std::string> kinds_;
  std::vector<std::string> components_;
  std::vector<std::string> named_components_;  ///< Those that `muster.yaml` names. Sorted.
  std::vector<KeptPath> kept_paths_;
};

/// Per target, client first.
using TargetStripRules = std::array<StripRules, 2>;
inline std::size_t place_of(Target target) { return target == Target::client ? 0 : 1; }
TargetStripRules default_strip_rules();

/// Reads what stands under `strip`. Fails with `malformed`, naming the line of `muster.yaml`.
Result<TargetStripRules> read_strip_rules(const yaml::Tree& tree, yaml::NodeIndex node);

/// The engine's components that a server goes without by default, sorted.
std::span<const std::string_view> presenting_components();

}  // namespace muster
