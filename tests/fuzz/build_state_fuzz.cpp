// An untrusted state file is refused, or gives a state that encodes to the same bytes. A second run
// corrects the hashes, so that they do not reject damaged input.
#include <cassert>
#include <cstring>

#include "bundler/incremental/build_state.h"

namespace {

using namespace muster;

constexpr std::size_t kHeadHashAt = 16;
constexpr std::size_t kBodyHashAt = 32;

void check(Bytes bytes) {
  const auto head = decode_state_head(bytes);
  const auto state = decode_state(bytes);
  if (!state) return;
  assert(head.has_value());
  const ByteVector again = encode_state(state.value());
  const auto twice = decode_state(again);
  assert(twice.has_value());
  assert(encode_state(twice.value()) == again);
  for (const StateFolder& folder : state.value().folders) {
    for (const StateInput& input : folder.inputs) {
      if (input.name.empty()) continue;
      const StateInput* const found = state.value().find(folder.path.child(input.name));
      assert(found == &input);
      (void)found;
    }
  }
}

void put_hash(ByteVector& file, std::size_t at, Bytes hashed) {
  const ContentHash hash = hash_bytes(hashed);
  std::memcpy(file.data() + at, hash.bytes.data(), hash.bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  check(bytes);
  const auto head_bytes = state_head_bytes(bytes);
  if (!head_bytes || head_bytes.value() > size) return 0;
  ByteVector fixed(bytes.begin(), bytes.end());
  const auto head_end = static_cast<std::size_t>(head_bytes.value());
  put_hash(fixed, kHeadHashAt, bytes.subspan(kStateHeaderBytes, head_end - kStateHeaderBytes));
  put_hash(fixed, kBodyHashAt, bytes.subspan(head_end));
  const std::uint64_t body_bytes = size - head_end;
  std::memcpy(fixed.data() + 56, &body_bytes, sizeof body_bytes);
  check(fixed);
  return 0;
}
