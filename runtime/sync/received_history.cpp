// The history is a ring of bits. When the newest stamp advances, the bits of the skipped stamps are
// set, one word at a time. The ring has 4,096 bits, so the set bits never overlap the readable
// bits.
#include "runtime/sync/received_history.h"

#include <algorithm>

namespace muster {

void ReceivedHistory::note(CommandNumber stamp) {
  const auto word = [&](std::uint32_t of) -> std::uint64_t& { return missing_[of / 64 % kWords]; };
  const auto set_arrived = [&] {
    word(stamp.value()) &= ~(std::uint64_t{1} << (stamp.value() % 64));
  };
  if (!has_begun_) {
    has_begun_ = true;
    newest_ = stamp;
    missing_.fill(~std::uint64_t{0});
    set_arrived();
    return;
  }
  const std::int32_t ahead = command_steps(newest_, stamp);
  if (ahead <= 0) {
    if (ahead > -static_cast<std::int32_t>(kStamps)) set_arrived();
    return;
  }
  const std::uint32_t first = newest_.next().value();
  if (ahead >= static_cast<std::int32_t>(kStamps)) {
    missing_.fill(~std::uint64_t{0});
  } else {
    // Sets the remaining bits of the newest stamp's word, and the words after it.
    if (first % 64 != 0) word(first) |= ~std::uint64_t{0} << (first % 64);
    for (std::uint32_t at = (first + 63) / 64; command_steps(CommandNumber(at * 64), stamp) >= 0;
         ++at) {
      missing_[at % kWords] = ~std::uint64_t{0};
    }
  }
  set_arrived();
  newest_ = stamp;
}

std::uint64_t ReceivedHistory::before(CommandNumber end) const {
  // Reads the stamps end - 64 to end - 1, lowest first, and reverses their order.
  const std::uint32_t first = (end - 64).value();
  const unsigned shift = first % 64;
  std::uint64_t bits = missing_[first / 64 % kWords] >> shift;
  if (shift != 0) bits |= missing_[(first / 64 + 1) % kWords] << (64 - shift);
  std::uint64_t turned = 0;
  for (int i = 0; i < 64; ++i) {
    turned = turned << 1U | (bits & 1U);
    bits >>= 1U;
  }
  return ~turned;
}

std::uint32_t ReceivedHistory::gaps() const {
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    found |= std::uint32_t{~block(i) != 0 ? 1U : 0U} << i;
  }
  return found;
}

}  // namespace muster
