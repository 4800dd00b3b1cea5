// Registry classes of third-party packages, which `muster.yaml` can name.
#pragma once

#include <span>
#include <string_view>

namespace muster {

/// A set of class declarations, with a name for `classes_from`.
struct ReadyMadeClasses {
  std::string_view name;  ///< The name of the file in `ready_made/`, without `.yaml`.
  /// The text of a `muster.yaml` that contains only `version` and `classes`.
  std::string_view text;
};

/// All ready-made sets, sorted by name. The build embeds the files of `registry/model/ready_made`
/// in the program.
std::span<const ReadyMadeClasses> ready_made_classes();

}  // namespace muster
