// JSON that people edit: errors name a line, a column and what is wrong there.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "registry/base/json_text.h"
#include "registry/base/result.h"

namespace muster {

/// Returns what is wrong with a key, or an empty text. `depth` counts the objects and lists around
/// the key: 1 for a key of the outermost object, 3 for one of an object in a list in that object.
using JsonKeyCheck = std::function<std::string(int depth, const std::string& key)>;

struct JsonOptions {
  JsonKeyCheck check_key{};
  bool may_repeat_keys = false;  ///< The last value of a key counts.
  bool has_comments = false;     ///< Accepts `//` and `/* */`.
};

/// Parses a UTF-8 text. Fails with `malformed`; the message begins with `line L, column C: ` (both
/// count from one, columns in bytes) and describes the first of these: what is no JSON, a key that
/// an object has twice, a key that `check_key` refuses.
Result<Json> read_json(std::string_view text, const JsonOptions& options = {});

}  // namespace muster
