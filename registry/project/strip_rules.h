// The rules for content that builds for a target leave out, such as presentation on a server.
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

/// The owner of a class name.
enum class ClassOwner : std::uint8_t {
  engine,   ///< The engine; also a component in a plain file, which only has a name.
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
///         components: [DecalProjector]   # more classes of components, and of assets
///         keep: [font, Light, "Assets/Textures/Heights/**"]
///       client: {}                       # nothing by default
class StripRules {
 public:
  StripRules() = default;
  /// The rules of a target without settings. For servers: all kinds that are only presentation, and
  /// the engine's components that show or play something.
  static StripRules defaults_for(Target target);

  bool empty() const { return kinds_.empty() && components_.empty(); }
  /// Whether the rules remove assets of a kind, or with an extension (in lower case).
  bool strips_kind(std::string_view kind_or_extension) const;
  /// Whether the rules remove components, and assets, of a class. The defaults apply to the
  /// engine's classes: a script with the name of one of them is removed only if `muster.yaml` names
  /// it.
  bool strips_class(std::string_view class_name, ClassOwner owner) const;
  bool has_classes() const { return !components_.empty(); }
  /// Whether the rules keep the asset with this path.
  bool keeps_path(std::string_view path) const;

  /// Sorted, without kept names.
  std::span<const std::string> kinds() const { return kinds_; }
  std::span<const std::string> components() const { return components_; }
  /// In the order of `muster.yaml`.
  std::span<const KeptPath> kept_paths() const { return kept_paths_; }

 private:
  friend class StripReading;
  std::vector<std::string> kinds_;
  std::vector<std::string> components_;
  std::vector<std::string> named_components_;  ///< Those in `muster.yaml`. Sorted.
  std::vector<KeptPath> kept_paths_;
};

/// One per target, client first.
using TargetStripRules = std::array<StripRules, 2>;
inline std::size_t place_of(Target target) { return target == Target::client ? 0 : 1; }
TargetStripRules default_strip_rules();

/// Parses the value of `strip`. Fails with `malformed`, naming the line of `muster.yaml`.
Result<TargetStripRules> read_strip_rules(const yaml::Tree& tree, yaml::NodeIndex node);

/// The engine's components that servers leave out by default, sorted.
std::span<const std::string_view> presenting_components();

}  // namespace muster
