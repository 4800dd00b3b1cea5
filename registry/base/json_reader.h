// Reads JSON that users edit. Errors contain line, column and problem.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "registry/base/json_text.h"
#include "registry/base/result.h"

namespace muster {

/// Returns the problem with a key, or an empty text. `depth` is the number of objects and lists
/// that contain the key: 1 for a key of the outermost object; 3 for a key of an object in a list of
/// the outermost object.
using JsonKeyCheck = std::function<std::string(int depth, const std::string& key)>;

struct JsonOptions {
  JsonKeyCheck check_key{};
  /// Whether an object may repeat a key. The last value of a repeated key is used.
  bool may_repeat_keys = false;
  bool has_comments = false;  ///< Whether to accept the comments `//` and `/* */`.
};

/// Parses a UTF-8 text. Fails with `malformed`. The message begins with `line L, column C: ` and
/// describes the first problem: invalid JSON, a repeated key in an object, or a key that
/// `check_key` refuses. The first line and the first column have the number 1. A column is one
/// byte.
Result<Json> read_json(std::string_view text, const JsonOptions& options = {});

}  // namespace muster
