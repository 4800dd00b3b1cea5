// Makes small changes to a file's text and leaves all other bytes unchanged.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registry/project/source_file.h"

namespace muster {

/// A change of one scalar.
struct ScalarChange {
  yaml::Position position;
  std::string_view text;  ///< The current text.
  std::string value;      ///< The new text.
};

/// New items for a list of a file.
struct AddedItems {
  yaml::NodeIndex list = yaml::kNoNode;
  /// The lines of each item, without the list's own indentation.
  std::vector<std::vector<std::string>> items;
};

/// The text of a file with these changes. Fails with `malformed` if a scalar is quoted, is escaped
/// or has several lines, and if a bracketed list is not empty.
Result<std::string> edited_text(const SourceFile& source, std::vector<ScalarChange> changes,
                                const AddedItems& added = {});

}  // namespace muster
