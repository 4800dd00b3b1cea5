// Reads JSON that users edit. Errors contain line, column and problem.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "registry/base/json_text.h"
#include "registry/base/result.h"

namespace muster {

/// Returns the problem of a key, or an empty text. `depth` is the number of objects and lists
/// around the key: 1 for a key of the outermost object, 3 for one of an object in a list in that
/// object.
using JsonKeyCheck = std::function<std::string(int depth, const std::string& key)>;

struct JsonOptions {
  JsonKeyCheck check_key{};
  bool may_repeat_keys = false;  ///< The last value of a repeated key is used.
  bool has_comments = false;     ///< Accepts `//` and `/* */`.
};

/// Parses a UTF-8 text. Fails with `malformed`. The message begins with `line L, column C: ` (both
/// count from one, columns in bytes) and describes the first problem: invalid JSON, a repeated key
/// in an object, or a key that `check_key` refuses.
Result<Json> read_json(std::string_view text, const JsonOptions& options = {});

}  // namespace muster
