#include "registry/project/serialized_guids.h"

#include <algorithm>

#include "registry/base/bytes.h"

namespace muster {
namespace {

// Files up to this size are searched completely.
constexpr std::uint64_t kSearchedWholeBytes = 4ULL * 1024 * 1024;
constexpr std::uint64_t kSmallHeadBytes = 20;

std::uint64_t big_endian_at(std::string_view bytes, std::size_t offset, std::size_t size) {
  std::uint64_t value = 0;
  for (const char c : bytes.substr(offset, size)) {
    value = value << 8U | static_cast<unsigned char>(c);
  }
  return value;
}

std::size_t begin_of(const std::byte* form) {
  return std::to_integer<std::size_t>(form[0]) << 16U |
         std::to_integer<std::size_t>(form[1]) << 8U | std::to_integer<std::size_t>(form[2]);
}

}  // namespace

// The header contains the size of the file: in 32 bits before version 22, then in 64 bits.
bool has_serialized_head(std::string_view head, std::uint64_t size_bytes) {
  if (head.size() < kSerializedHeadBytes) return false;
  const std::uint64_t version = big_endian_at(head, 8, 4);
  if (version < 9 || version > 64) return false;
  const std::uint64_t size =
      version < kLargeFilesVersion ? big_endian_at(head, 4, 4) : big_endian_at(head, 24, 8);
  return size == size_bytes;
}

bool is_whole_serialized_file(std::string_view bytes) {
  return has_serialized_head(bytes, bytes.size());
}

std::uint64_t searched_bytes(std::string_view head, std::uint64_t size_bytes) {
  if (size_bytes <= kSearchedWholeBytes) return size_bytes;
  const bool is_small = big_endian_at(head, 8, 4) < kLargeFilesVersion;
  const std::uint64_t tables = is_small ? big_endian_at(head, 0, 4) : big_endian_at(head, 20, 4);
  const std::uint64_t end = tables + (is_small ? kSmallHeadBytes : kSerializedHeadBytes);
  return tables == 0 || end > size_bytes ? size_bytes
                                         : std::max<std::uint64_t>(end, kSearchedWholeBytes);
}

SerializedGuids::SerializedGuids(std::span<const Guid> guids) {
  for (const Guid& guid : guids) {
    Form form{};
    std::ranges::transform(guid.bytes(), form.begin(),
                           [](std::byte one) { return (one << 4U) | (one >> 4U); });
    begins_[begin_of(form.data())] = true;
    by_form_.emplace(form, guid);
  }
}

void SerializedGuids::search(
    std::string_view text,
    const std::function<void(const Guid&, std::size_t offset)>& found) const {
  Form form{};
  const Bytes bytes = as_bytes(text);
  for (std::size_t at = 0; at + form.size() <= bytes.size(); ++at) {
    if (!begins_[begin_of(bytes.data() + at)]) continue;
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), form.size(), form.begin());
    if (const auto known = by_form_.find(form); known != by_form_.end()) found(known->second, at);
  }
}

}  // namespace muster
