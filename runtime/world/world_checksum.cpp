// Computes one number for a world: XXH3 hashes each array, and the hashes are combined. Names are
// not included, because the number of a name depends on the names that were added before.
#include <cstring>

#include "runtime/world/world.h"

namespace muster {
namespace {

class Fold {
 public:
  void add(std::uint64_t value) {
    sum_ = (sum_ ^ value) * 0x9E3779B97F4A7C15ULL;
    sum_ ^= sum_ >> 32U;
  }
  void add(Bytes bytes) {
    const ContentHash hash = hash_bytes(bytes);
    std::uint64_t half = 0;
    std::memcpy(&half, hash.bytes.data(), sizeof half);
    add(half);
  }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0x243F6A8885A308D3ULL;
};

void fold_in(Fold& fold, const EntityRecord& record) {
  const auto pair = [](std::uint32_t high, std::uint32_t low) {
    return std::uint64_t{high} << 32U | low;
  };
  fold.add(record.signature.value());
  fold.add(pair(record.generation, record.parent));
  fold.add(pair(record.first_child, record.next_sibling));
  fold.add(pair(record.next_despawn, static_cast<std::uint32_t>(record.player)));
  fold.add(std::uint64_t{record.is_alive} | std::uint64_t{record.is_active} << 8U |
           std::uint64_t{record.is_despawning} << 16U);
}

void fold_in(Fold& fold, const ComponentStorage& storage) {
  fold.add(std::as_bytes(storage.owners()));
  const std::span<const ByteRange> ranges = storage.described();
  if (ranges.size() == 1 && ranges[0] == ByteRange{0, storage.stride_bytes()}) {
    fold.add(storage.bytes());
    return;
  }
  for (std::uint32_t i = 0; i < storage.count(); ++i) {
    const Bytes value =
        storage.bytes().subspan(std::size_t{i} * storage.stride_bytes(), storage.stride_bytes());
    for (const ByteRange& range : ranges) {
      fold.add(value.subspan(range.begin, range.end - range.begin));
    }
  }
}

}  // namespace

std::uint64_t World::checksum() const {
  Fold fold;
  fold.add(records_.size());
  fold.add(state_.first_free);
  fold.add(state_.first_despawn);
  for (const EntityRecord& record : records_) fold_in(fold, record);
  for (const ComponentStorage& storage : storages_) fold_in(fold, storage);
  return fold.sum();
}

}  // namespace muster
