// Registry classes that other people's packages have, ready to be named in `muster.yaml`.
#pragma once

#include <span>
#include <string_view>

namespace muster {

/// Declarations as a project would write them, under a name that `classes_from` takes.
struct ReadyMadeClasses {
  std::string_view name;  ///< Of the file in `ready_made/`, without `.yaml`.
  std::string_view text;  ///< A `muster.yaml` with `version` and `classes` only.
};

/// All of them, sorted by name. They are files in `registry/model/ready_made`, which the build
/// puts into the program.
std::span<const ReadyMadeClasses> ready_made_classes();

}  // namespace muster
