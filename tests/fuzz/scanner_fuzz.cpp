// The input is a text for the scanner. References are reported in order and at their positions. The
// result does not depend on the position of the text in the blocks of the vectorised search.
#include <cstdint>
#include <string>
#include <vector>

#include "registry/yaml/scanner.h"
#include "tests/support/tree_invariants.h"

using namespace muster;
using namespace muster::yaml;

namespace {

std::vector<Mention> scan(const std::string& text) {
  std::vector<Mention> mentions;
  scan_mentions(text, [&](const Mention& mention) { mentions.push_back(mention); });
  return mentions;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto mentions = scan(text);
  const auto lengths = line_lengths(text);
  std::size_t last_end = 0;
  for (const Mention& mention : mentions) {
    require(!mention.guid.is_null(), "a guid is not null");
    require(mention.offset_bytes >= last_end, "references are in order and do not overlap");
    require(mention.kind == MentionKind::strong || mention.file_id == 0,
            "only strong references have ids");
    if (mention.kind == MentionKind::words) {
      last_end = mention.offset_bytes + 4;
      require(text.compare(mention.offset_bytes, 4, "val0") == 0, "a word begins with val0");
    } else {
      last_end = mention.offset_bytes + 32;
      const auto guid = Guid::parse_any_case(text.substr(mention.offset_bytes, 32));
      require(guid && guid.value() == mention.guid, "the guid is at its offset");
    }
    const auto [line, column] = line_and_column(text, mention.offset_bytes);
    require_inside({line, column}, lengths);
  }
  const std::size_t shift = 1 + size % 63;
  const auto shifted = scan(std::string(shift, '\n') + text);
  require(shifted.size() == mentions.size(), "the same references at another alignment");
  for (std::size_t i = 0; i < mentions.size(); ++i) {
    require(shifted[i].guid == mentions[i].guid && shifted[i].kind == mentions[i].kind &&
                shifted[i].file_id == mentions[i].file_id &&
                shifted[i].offset_bytes == mentions[i].offset_bytes + shift,
            "the same reference at another alignment");
  }
  return 0;
}
