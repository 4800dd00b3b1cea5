#include "runtime/world/world_log.h"

#include <bit>

namespace muster {

void WorldLog::reserve(std::size_t count) {
  const std::size_t size = std::bit_ceil(count);
  if (size <= changes_.size()) return;
  std::vector<WorldChange> larger(size);
  for (std::uint64_t i = begin_; i < end_; ++i) {
    larger[i & (size - 1)] = changes_[i & (changes_.size() - 1)];
  }
  changes_ = std::move(larger);
}

}  // namespace muster
