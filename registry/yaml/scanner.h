// Finds references in text without parsing it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "registry/base/guid.h"

namespace muster::yaml {

/// How a text mentions a guid.
enum class MentionKind : std::uint8_t {
  /// A reference: `{fileID: N, guid: G, type: T}` in one or several lines, a block mapping with
  /// these keys, or `?fileID=N&guid=G&type=T`.
  strong,
  textual,  ///< `guid: G` outside a reference: a weak reference or an asset's own guid.
  words,    ///< `val0..val3`: a weak reference as four integers.
  json,     ///< `"guid":"G"` inside a quoted scalar or a JSON file.
};

struct Mention {
  Guid guid{};
  std::int64_t file_id = 0;  ///< The file id of a strong reference; 0 for other mentions.
  MentionKind kind = MentionKind::strong;
  std::size_t offset_bytes = 0;  ///< The offset of the guid (or `val0`) in the text.
};

/// Finds every mention of a guid in a text file, in order of appearance. Searches for `guid` and
/// examines the text around it, without parsing the file. Skips null guids, invalid guids and
/// dashed UUIDs, and the keys `netID` and `assetId`, which do not name assets. `m_GUID:` and
/// `m_AssetGUID:` of Addressables are `textual` mentions if they have 32 hex digits. Needs linear
/// time.
void scan_mentions(std::string_view text, const std::function<void(const Mention&)>& found);

/// The line and the column (in bytes) of an offset, both counted from 1. Needs time linear in the
/// offset.
std::pair<std::uint32_t, std::uint32_t> line_and_column(std::string_view text, std::size_t offset);

}  // namespace muster::yaml
