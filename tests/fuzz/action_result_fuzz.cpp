// The input is the answer of a cache server for a key. A parsed result can be written and parsed
// again.
#include <cstdint>
#include <cstdlib>

#include "bundler/cache/action_result.h"

using namespace muster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto result = parse_action_result(std::as_bytes(std::span(data, size)));
  if (!result) return 0;
  const auto again = parse_action_result(encode(*result));
  if (!again || again->content != result->content ||
      again->content_bytes != result->content_bytes || again->inlined != result->inlined) {
    std::abort();
  }
  return 0;
}
