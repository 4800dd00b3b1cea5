// Reads `.meta` sidecars. A sidecar contains the guid of the asset with the same path.
#pragma once

#include <string>
#include <string_view>

#include "registry/base/guid.h"
#include "registry/yaml/tree.h"

namespace muster {

/// The content of a sidecar.
struct Meta {
  Guid guid{};
  yaml::Position guid_position{};
  bool is_upper_case = false;  ///< The guid has upper-case digits.
  bool is_folder = false;      ///< True for `folderAsset: yes`.
};

enum class MetaProblem : std::uint8_t {
  none,
  no_guid,
  malformed_guid,   ///< The guid is not 32 hex digits, or all digits are zero.
  several_guids,    ///< Two top-level `guid:` lines with different values.
  repeated_guid,    ///< Two top-level `guid:` lines with the same value.
  second_document,  ///< A second YAML document; the guid of the first document is used.
  merge_conflict,   ///< Merge conflict markers in the text.
  lfs_pointer,
  not_text,
};

struct MetaResult {
  Meta meta{};
  MetaProblem problem = MetaProblem::none;
  yaml::Position problem_position{};
  std::string problem_text{};  ///< The kind of content; only for `not_text`.
};

/// Searches a sidecar for the top-level `guid:` line. Does not parse the YAML, because that would
/// take too long for tens of thousands of sidecars. Accepts a BOM, CR LF, any key order, a missing
/// final newline and upper-case digits.
MetaResult read_meta(std::string_view text);

}  // namespace muster
