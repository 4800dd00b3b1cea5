// The engine's binary form of assets, read only for the guids that it names.
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

/// True for a file of the engine's binary form that is as long as its head says.
bool is_whole_serialized_file(std::string_view bytes);
/// The same for the beginning of a file of `size_bytes`.
bool has_serialized_head(std::string_view head, std::uint64_t size_bytes);

/// How many bytes of such a file have to be searched for guids: its head and the tables behind it,
/// which name other files. All of it when the head does not say, and of small files. Requires:
/// `has_serialized_head`.
std::uint64_t searched_bytes(std::string_view head, std::uint64_t size_bytes);

/// As many bytes as the two functions above look at.
inline constexpr std::size_t kSerializedHeadBytes = 48;

/// Finds which of many guids a serialized file names, in one pass over it. There the two digits of
/// each byte are swapped.
class SerializedGuids {
 public:
  explicit SerializedGuids(std::span<const Guid> guids);

  /// Calls `found` for each place where one of the guids stands, in order.
  void search(std::string_view bytes,
              const std::function<void(const Guid&, std::size_t offset)>& found) const;

 private:
  using Form = std::array<std::byte, 16>;

  // By the first three bytes: with 100,000 guids, one place in 170 is looked up.
  std::vector<bool> begins_ = std::vector<bool>(std::size_t{1} << 24U, false);
  std::map<Form, Guid> by_form_;
};

}  // namespace muster
