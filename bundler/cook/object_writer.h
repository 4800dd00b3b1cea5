// Converts YAML trees to the object form: runtime/bundle/BUNDLE_FORMAT.md, section 3.
#pragma once

#include <span>
#include <string_view>

#include "registry/base/bytes.h"
#include "registry/base/result.h"
#include "registry/yaml/tree.h"

namespace muster {

/// Encodes a whole file. `type_names` is empty or has one text per document: the class of the
/// document's script. A text is empty if the class is not known; the first key of the document is
/// then the name. Equal trees and names give equal bytes. Fails with `limit_exceeded` if the result
/// would exceed a limit of the format.
Result<ByteVector> encode_object(const yaml::Tree& tree,
                                 std::span<const std::string_view> type_names = {});

}  // namespace muster
