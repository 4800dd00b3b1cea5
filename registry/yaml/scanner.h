// Finds references in text without parsing it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "registry/base/guid.h"

namespace muster::yaml {

/// How a text mentions a guid.
enum class MentionKind : std::uint8_t {
  strong,   ///< `{fileID: N, guid: G, type: T}`, folded, as a block, or `?fileID=N&guid=G&type=T`.
  textual,  ///< `guid: G` outside a reference: a weak reference or an asset's own guid.
  words,    ///< `val0..val3`.
  json,     ///< `"guid":"G"` inside a quoted scalar or a JSON file.
};

struct Mention {
  Guid guid{};
  std::int64_t file_id = 0;  ///< Set for strong references; 0 for others.
  MentionKind kind = MentionKind::strong;
  std::size_t offset_bytes = 0;  ///< The offset of the guid (or `val0`) in the text.
};

/// Finds every mention of a guid in a text file, in order of appearance. Does not parse: finds
/// `guid` by a vectorised search and examines the text around it. Skips null guids and other
/// digits, as well as `netID`, `assetId` and dashed UUIDs, which do not name assets. Addressables'
/// `m_GUID:` and `m_AssetGUID:` count as textual if they have 32 hex digits. Linear time.
void scan_mentions(std::string_view text, const std::function<void(const Mention&)>& found);

/// The one-based line and column (in bytes) of an offset. Linear in the offset.
std::pair<std::uint32_t, std::uint32_t> line_and_column(std::string_view text, std::size_t offset);

}  // namespace muster::yaml
