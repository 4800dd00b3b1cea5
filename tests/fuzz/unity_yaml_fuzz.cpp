// The input is text in Unity's YAML dialect. Any bytes give a valid tree or an error, and a missing
// final newline does not change the result.
#include <cstdint>
#include <string>

#include "registry/yaml/reader.h"
#include "tests/support/tree_invariants.h"

using namespace muster::yaml;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Copies the text to an allocation of its exact size, so that a sanitizer detects reads beyond
  // the text.
  const std::string text(reinterpret_cast<const char*>(data), size);
  constexpr Limits kLimits{.depth_max = 40, .node_count_max = 100'000};
  const ReadResult result = read_unity(text, kLimits);
  require_sound(result, text, kLimits);
  const std::string ended = text + "\n";
  const ReadResult with_newline = read_unity(ended, kLimits);
  require(result.good() == with_newline.good(), "a final newline changes no verdict");
  if (result.good()) {
    require(result.tree().nodes.size() == with_newline.tree().nodes.size(),
            "a final newline changes no tree");
    for (NodeIndex i = 0; i < result.tree().nodes.size(); ++i) {
      require(result.tree().at(i).text == with_newline.tree().at(i).text,
              "a final newline changes no text");
      (void)reference_at(result.tree(), i).has_value();
      (void)weak_reference_at(result.tree(), i).has_value();
    }
  }
  return 0;
}
