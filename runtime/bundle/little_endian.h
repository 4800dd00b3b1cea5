// Reads little-endian fields of fixed size at known offsets, for the readers of this folder.
#pragma once

#include <bit>
#include <cassert>
#include <concepts>
#include <cstring>

#include "registry/base/bytes.h"
#include "registry/base/content_hash.h"
#include "registry/base/guid.h"

namespace muster {

static_assert(std::endian::native == std::endian::little,
              "the readers use records in place; a big-endian machine needs swapping here");

/// Reads an integer. Requires: `offset + sizeof(Integer) <= bytes.size()`.
template <std::integral Integer>
Integer load(Bytes bytes, std::size_t offset) {
  assert(offset + sizeof(Integer) <= bytes.size());
  Integer value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Requires: `offset + 16 <= bytes.size()`.
inline Guid load_guid(Bytes bytes, std::size_t offset) {
  assert(offset + 16 <= bytes.size());
  boost::uuids::uuid value{};
  std::memcpy(value.data, bytes.data() + offset, sizeof value.data);
  return Guid(value);
}

/// Requires: `offset + 16 <= bytes.size()`.
inline ContentHash load_hash(Bytes bytes, std::size_t offset) {
  assert(offset + 16 <= bytes.size());
  ContentHash value;
  std::memcpy(value.bytes.data(), bytes.data() + offset, value.bytes.size());
  return value;
}

}  // namespace muster
