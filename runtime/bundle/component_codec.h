// Encodes and decodes component descriptions. The format is described in BUNDLE_FORMAT.md, section
// 2, "components".
#pragma once

#include <string_view>

#include "registry/base/bytes.h"
#include "registry/base/result.h"
#include "registry/components/component.h"

namespace muster {

/// The part of a description that is in the record of the catalog.
struct ComponentShape {
  std::string_view name;
  std::uint32_t size_bytes = 0;
  std::uint32_t alignment_bytes = 1;
};

/// Appends a description, without its shape. Requires: the description passes `check`.
void encode_component(const ComponentDescription& component, ByteWriter& out);

/// Decodes the output of `encode_component`. `bytes` must not have further bytes. The result passes
/// `check`. Fails with `malformed` if the bytes are invalid.
Result<ComponentDescription> decode_component(Bytes bytes, const ComponentShape& shape);

}  // namespace muster
