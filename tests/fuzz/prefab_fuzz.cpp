// An untrusted flattened prefab is refused, or its content encodes to the same bytes.
#include <algorithm>
#include <cassert>

#include "bundler/cook/prefab_writer.h"
#include "tests/support/decoded.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  const Bytes input = std::as_bytes(std::span(data, size));
  const Result<PrefabReader> prefab = PrefabReader::open(input);
  if (!prefab) return 0;
  const ByteVector again = encode_prefab(samples::decode(prefab.value())).value();
  assert(std::ranges::equal(again, input));
  return 0;
}
