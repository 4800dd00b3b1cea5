// A `.meta` sidecar, which contains the guid of the asset beside it.
#pragma once

#include <string>
#include <string_view>

#include "registry/base/guid.h"
#include "registry/yaml/tree.h"

namespace muster {

/// The content of a sidecar. Found by scanning for the top-level `guid:` line, not by parsing YAML,
/// because a project has tens of thousands of sidecars.
struct Meta {
  Guid guid{};
  yaml::Position guid_position{};
  bool is_upper_case = false;  ///< The guid has upper-case digits.
  bool is_folder = false;      ///< `folderAsset: yes`.
};

enum class MetaProblem : std::uint8_t {
  none,
  no_guid,
  malformed_guid,   ///< Present, but not 32 hex digits, or all of them zero.
  several_guids,    ///< Two different top-level guids.
  repeated_guid,    ///< Two top-level `guid:` lines with one value.
  second_document,  ///< A second YAML document; the guid is that of the first.
  merge_conflict,   ///< Conflict markers inside.
  lfs_pointer,
  not_text,
};

struct MetaResult {
  Meta meta{};
  MetaProblem problem = MetaProblem::none;
  yaml::Position problem_position{};
  std::string problem_text{};  ///< For `not_text`: the kind of content.
};

/// Parses a sidecar. Accepts a BOM, CRLF, any key order, a missing final newline and upper-case
/// digits.
MetaResult read_meta(std::string_view text);

}  // namespace muster
