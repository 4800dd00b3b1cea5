// The input is plain YAML. Any bytes give a valid tree or an error, even where yaml-cpp accepts
// invalid text.
#include <cstdint>
#include <string>

#include "registry/yaml/reader.h"
#include "tests/support/tree_invariants.h"

using namespace muster::yaml;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  constexpr Limits kLimits{.depth_max = 40, .node_count_max = 100'000};
  const ReadResult result = read_plain(text, kLimits);
  require_sound(result, text, kLimits);
  if (!result.good()) return 0;
  for (NodeIndex i = 0; i < result.tree().nodes.size(); ++i) {
    for (const NodeIndex child : Children(result.tree(), i)) {
      if (result.tree().at(i).kind != NodeKind::mapping) break;
      require(result.tree().find(i, result.tree().at(child).key) == child, "no key occurs twice");
    }
  }
  return 0;
}
