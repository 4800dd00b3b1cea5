// Makes small changes in a file's text and keeps the rest byte for byte.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registry/project/source_file.h"

namespace muster {

/// A scalar at a position, and its new text.
struct ScalarChange {
  yaml::Position position;
  std::string_view text;  ///< The current text.
  std::string value;
};

/// New items for a list of a file.
struct AddedItems {
  yaml::NodeIndex list = yaml::kNoNode;
  std::vector<std::vector<std::string>> items;  ///< Lines without the list's own indentation.
};

/// The text of a file with these changes. Fails with `malformed` if a scalar or list has a form
/// that is not safe to change: quoted, over several lines, bracketed.
Result<std::string> edited_text(const SourceFile& source, std::vector<ScalarChange> changes,
                                const AddedItems& added = {});

}  // namespace muster
