// Registry classes of third-party packages, which `muster.yaml` can name.
#pragma once

#include <span>
#include <string_view>

namespace muster {

/// Declarations in the form of a project's own, under a name for `classes_from`.
struct ReadyMadeClasses {
  std::string_view name;  ///< The name of the file in `ready_made/`, without `.yaml`.
  std::string_view text;  ///< A `muster.yaml` with `version` and `classes` only.
};

/// All ready-made sets, sorted by name. They are files in `registry/model/ready_made`, which the
/// build embeds in the program.
std::span<const ReadyMadeClasses> ready_made_classes();

}  // namespace muster
