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

/// Sizes have 64 bits since this version of the form.
inline constexpr std::uint32_t kLargeFilesVersion = 22;

/// True for a file in the engine's binary form whose size matches its head.
bool is_whole_serialized_file(std::string_view bytes);
/// The same for the beginning of a file of `size_bytes`.
bool has_serialized_head(std::string_view head, std::uint64_t size_bytes);

/// The number of bytes of such a file to search for guids: its head and the following tables, which
/// name other files. The whole file if the head does not give the size of the tables, and for small
/// files. Requires: `has_serialized_head`.
std::uint64_t searched_bytes(std::string_view head, std::uint64_t size_bytes);

/// The number of bytes that the two functions above read.
inline constexpr std::size_t kSerializedHeadBytes = 48;

/// Finds the guids that a serialized file names, in one pass over the file. In such files the two
/// digits of each byte are swapped.
class SerializedGuids {
 public:
  explicit SerializedGuids(std::span<const Guid> guids);

  /// Calls `found` for each occurrence of one of the guids, in order.
  void search(std::string_view bytes,
              const std::function<void(const Guid&, std::size_t offset)>& found) const;

 private:
  using Form = std::array<std::byte, 16>;

  // Indexed by the first three bytes: with 100,000 guids, one offset in 170 is looked up.
  std::vector<bool> begins_ = std::vector<bool>(std::size_t{1} << 24U, false);
  std::map<Form, Guid> by_form_;
};

}  // namespace muster
