// Small changes of a file's text that leave everything else as it is.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registry/project/source_file.h"

namespace muster {

/// A scalar at its place, and what it shall say.
struct ScalarChange {
  yaml::Position position;
  std::string_view text;  ///< As it reads now.
  std::string value;
};

/// New items for a list of a file.
struct AddedItems {
  yaml::NodeIndex list = yaml::kNoNode;
  std::vector<std::vector<std::string>> items;  ///< Lines without the list's own indentation.
};

/// The text of a file with these changes. Fails with `malformed` when a scalar or list is spelled
/// in a way that is not safe to change: quoted, over several lines, in brackets.
Result<std::string> edited_text(const SourceFile& source, std::vector<ScalarChange> changes,
                                const AddedItems& added = {});

}  // namespace muster
