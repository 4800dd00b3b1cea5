// The input is a sidecar. A reported guid is at its reported position.
#include <cstdint>
#include <string>

#include "registry/project/meta.h"
#include "tests/support/tree_invariants.h"

using namespace muster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const MetaResult result = read_meta(text);
  const auto lengths = yaml::line_lengths(text);
  if (result.problem == MetaProblem::none) {
    yaml::require(!result.meta.guid.is_null(), "a valid sidecar has a guid");
  }
  if (!result.meta.guid.is_null()) {
    yaml::require_inside(result.meta.guid_position, lengths);
    std::size_t offset = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    for (std::uint32_t line = 1; line < result.meta.guid_position.line; ++line) {
      offset = text.find('\n', offset) + 1;
    }
    const std::string digits = text.substr(offset + result.meta.guid_position.column - 1, 32);
    const auto guid = Guid::parse_any_case(digits);
    yaml::require(guid && guid.value() == result.meta.guid, "the guid is at its position");
    yaml::require(Guid::parse(digits).has_value() == !result.meta.is_upper_case, "its case");
  }
  if (result.problem_position != yaml::Position{}) {
    yaml::require_inside(result.problem_position, lengths);
  }
  return 0;
}
