// References out of text without parsing it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "registry/base/guid.h"

namespace muster::yaml {

/// The way in which a text mentions a guid.
enum class MentionKind : std::uint8_t {
  strong,   ///< `{fileID: N, guid: G, type: T}`, folded, as a block, or `?fileID=N&guid=G&type=T`.
  textual,  ///< `guid: G` outside a reference: a weak reference or an asset's own guid.
  words,    ///< `val0..val3`.
  json,     ///< `"guid":"G"` inside a quoted scalar or a JSON file.
};

struct Mention {
  Guid guid{};
  std::int64_t file_id = 0;  ///< Of a strong reference; 0 for the others.
  MentionKind kind = MentionKind::strong;
  std::size_t offset_bytes = 0;  ///< Where the guid (or `val0`) stands in the text.
};

/// Finds every mention of a guid in a text file, in order of appearance. Does not parse: finds
/// `guid` by a vectorised search and looks around. Null guids and digits that are no guid are
/// passed over, as are `netID`, `assetId` and dashed UUIDs, which do not name assets. Addressables'
/// `m_GUID:` and `m_AssetGUID:` count as textual when they hold 32 hex digits. Linear time.
void scan_mentions(std::string_view text, const std::function<void(const Mention&)>& found);

/// The one-based line and column (in bytes) of an offset. Linear in the offset.
std::pair<std::uint32_t, std::uint32_t> line_and_column(std::string_view text, std::size_t offset);

}  // namespace muster::yaml
