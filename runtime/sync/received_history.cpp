// The history is a ring of bits. When a newer command arrives, the bits of the skipped command
// numbers are set, one word at a time. The ring has 4,096 bits, so the set bits never overlap the
// readable bits.
#include "runtime/sync/received_history.h"

#include <algorithm>

namespace muster {

void ReceivedHistory::note(CommandNumber number) {
  const auto word = [&](std::uint32_t of) -> std::uint64_t& { return missing_[of / 64 % kWords]; };
  const auto set_arrived = [&] {
    word(number.value()) &= ~(std::uint64_t{1} << (number.value() % 64));
  };
  if (!has_begun_) {
    has_begun_ = true;
    newest_ = number;
    missing_.fill(~std::uint64_t{0});
    set_arrived();
    return;
  }
  const std::int32_t ahead = command_steps(newest_, number);
  if (ahead <= 0) {
    if (ahead > -static_cast<std::int32_t>(kCommands)) set_arrived();
    return;
  }
  const std::uint32_t first = newest_.next().value();
  if (ahead >= static_cast<std::int32_t>(kCommands)) {
    missing_.fill(~std::uint64_t{0});
  } else {
    // Sets the remaining bits of the newest command's word, and the words after it.
    if (first % 64 != 0) word(first) |= ~std::uint64_t{0} << (first % 64);
    for (std::uint32_t at = (first + 63) / 64; command_steps(CommandNumber(at * 64), number) >= 0;
         ++at) {
      missing_[at % kWords] = ~std::uint64_t{0};
    }
  }
  set_arrived();
  newest_ = number;
}

std::uint64_t ReceivedHistory::before(CommandNumber end) const {
  // Reads the bits of the commands end - 64 to end - 1, lowest first, and reverses their order.
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
