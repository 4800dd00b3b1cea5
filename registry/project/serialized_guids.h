// Searches the engine's binary form of assets for guids.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "registry/base/guid.h"

namespace muster {

/// The first version of the binary form that stores sizes as 64-bit numbers.
inline constexpr std::uint32_t kLargeFilesVersion = 22;

/// True for a file in the engine's binary form whose size is equal to the size in its header.
bool is_whole_serialized_file(std::string_view bytes);
/// Like `is_whole_serialized_file`, for the first bytes (`head`) of a file of `size_bytes`.
bool has_serialized_head(std::string_view head, std::uint64_t size_bytes);

/// The number of bytes at the start of a file that must be searched for guids. These bytes contain
/// the header and the tables that name other files. The result is `size_bytes` for small files, and
/// if the header does not contain the size of the tables. Requires:
/// `has_serialized_head(head, size_bytes)`.
std::uint64_t searched_bytes(std::string_view head, std::uint64_t size_bytes);

/// The number of bytes of `head` that `has_serialized_head` and `searched_bytes` read.
inline constexpr std::size_t kSerializedHeadBytes = 48;

/// Finds which of the given guids a serialized file contains, in one pass over the file. Serialized
/// files store guids with the two hex digits of each byte swapped.
class SerializedGuids {
 public:
  explicit SerializedGuids(std::span<const Guid> guids);

  /// Calls `found` for each occurrence of one of the guids, in order.
  void search(std::string_view bytes,
              const std::function<void(const Guid&, std::size_t offset)>& found) const;

 private:
  using Form = std::array<std::byte, 16>;

  // Whether any guid begins with these three bytes. With 100,000 guids, about 1 of 170 offsets
  // needs a lookup in `by_form_`.
  std::vector<bool> begins_ = std::vector<bool>(std::size_t{1} << 24U, false);
  std::map<Form, Guid> by_form_;
};

}  // namespace muster
