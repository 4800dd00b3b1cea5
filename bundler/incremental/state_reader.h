// Reads the records of a build's state.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "registry/base/asset_path.h"
#include "registry/base/bytes.h"
#include "registry/base/content_hash.h"
#include "registry/base/guid.h"

namespace muster {

/// Whether records are in strictly ascending order of a key.
template <typename Record, typename Key>
bool is_sorted(const std::vector<Record>& records, Key Record::*key) {
  return std::ranges::adjacent_find(records, [&](const Record& a, const Record& b) {
           return !(a.*key < b.*key);
         }) == records.end();
}

/// A `ByteReader` that can read the types of a state.
class StateReader : public ByteReader {
 public:
  using ByteReader::ByteReader;

  /// Reads a count. Fails if the remaining bytes are too few for this many records of at least
  /// `bytes_min` each.
  std::size_t count(std::size_t bytes_min) {
    const std::uint64_t number = varint();
    if (number > remaining() / bytes_min) fail();
    return failed() ? 0 : static_cast<std::size_t>(number);
  }

  bool at_end() const { return !failed() && remaining() == 0; }

  ContentHash hash() {
    ContentHash result;
    const Bytes read = bytes(sizeof result.bytes);
    if (read.size() == sizeof result.bytes) {
      std::memcpy(result.bytes.data(), read.data(), read.size());
    }
    return result;
  }

  Guid guid() {
    constexpr std::size_t kGuidBytes = 16;
    const Bytes read = bytes(kGuidBytes);
    return read.size() == kGuidBytes ? Guid::from_bytes(read) : Guid();
  }

  AssetPath path() {
    const auto parsed = AssetPath::parse(text());
    if (!parsed) fail();
    return parsed ? parsed.value() : AssetPath();
  }

  bool flag() {
    const std::uint8_t value = u8();
    if (value > 1) fail();
    return value == 1;
  }

  std::uint32_t index(std::size_t below) {
    const std::uint64_t value = varint();
    if (value >= below) fail();
    return failed() ? 0 : static_cast<std::uint32_t>(value);
  }

  /// Reads indices below `below` in strictly ascending order.
  void read_indices(std::vector<std::uint32_t>& indices, std::size_t below) {
    indices.resize(count(1));
    for (std::uint32_t& one : indices) one = index(below);
    if (std::ranges::adjacent_find(indices, std::ranges::greater_equal{}) != indices.end()) fail();
  }
};

inline void write_indices(ByteWriter& out, const std::vector<std::uint32_t>& indices) {
  out.varint(indices.size());
  for (const std::uint32_t index : indices) out.varint(index);
}

}  // namespace muster
