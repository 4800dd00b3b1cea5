// The table uses linear probing. Erasing an entry moves later entries back, so there are no
// tombstones that would accumulate during a long match.
#include "runtime/world/signature_table.h"

#include <bit>
#include <cassert>
#include <utility>

namespace muster {

std::uint32_t SignatureTable::find(Signature signature) const {
  if (entries_.empty()) return kAbsent;
  for (std::size_t i = home(signature.value());; i = (i + 1) & (entries_.size() - 1)) {
    if (entries_[i].signature == signature.value()) return entries_[i].slot;
    if (entries_[i].signature == 0) return kAbsent;
  }
}

void SignatureTable::insert(Signature signature, std::uint32_t slot) {
  assert(!signature.is_none());
  if ((count_ + 1) * 2 > entries_.size()) grow(entries_.empty() ? 16 : entries_.size() * 2);
  std::size_t i = home(signature.value());
  while (entries_[i].signature != 0) {
    assert(entries_[i].signature != signature.value());
    i = (i + 1) & (entries_.size() - 1);
  }
  entries_[i] = {.signature = signature.value(), .slot = slot, .padding = 0};
  ++count_;
}

void SignatureTable::erase(Signature signature) {
  assert(find(signature) != kAbsent);
  const std::size_t mask = entries_.size() - 1;
  std::size_t hole = home(signature.value());
  while (entries_[hole].signature != signature.value()) hole = (hole + 1) & mask;
  for (std::size_t i = (hole + 1) & mask; entries_[i].signature != 0; i = (i + 1) & mask) {
    // The home of an entry is the index at which its search begins. If the home is between the hole
    // and the entry's index, the entry stays. Any other entry moves into the hole.
    const std::size_t from_home = (i - home(entries_[i].signature)) & mask;
    const std::size_t from_hole = (i - hole) & mask;
    if (from_home < from_hole) continue;
    entries_[hole] = entries_[i];
    hole = i;
  }
  entries_[hole] = {};
  --count_;
}

void SignatureTable::reserve(std::uint32_t count) {
  const std::size_t size = std::bit_ceil(std::size_t{count} * 2 + 1);
  if (size > entries_.size()) grow(size);
}

void SignatureTable::grow(std::size_t size) {
  std::vector<Entry> before = std::exchange(entries_, std::vector<Entry>(size));
  count_ = 0;
  for (const Entry& entry : before) {
    if (entry.signature == 0) continue;
    std::size_t i = home(entry.signature);
    while (entries_[i].signature != 0) i = (i + 1) & (size - 1);
    entries_[i] = entry;
    ++count_;
  }
}

}  // namespace muster
