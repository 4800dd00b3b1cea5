// The input has the table of external files of a binary asset. Each guid is at its reported
// position.
#include <cstdint>
#include <string_view>

#include "registry/project/serialized_externals.h"
#include "tests/support/tree_invariants.h"

using namespace muster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto externals = read_externals(text);
  if (!externals) return 0;
  for (const SerializedExternal& file : *externals) {
    yaml::require(file.offset_bytes + 16 <= size, "the guid is inside the file");
    const auto first = static_cast<std::uint8_t>(file.guid.bytes()[0]);
    const std::uint8_t swapped = data[file.offset_bytes];
    yaml::require(first == static_cast<std::uint8_t>(swapped << 4U | swapped >> 4U), "its digits");
  }
  return 0;
}
