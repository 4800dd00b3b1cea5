// Linear probing. Erasing moves later entries back, so no tombstones accumulate during a long
// match.
#include "runtime/world/signature_table.h"

#include <bit>
#include <cassert>
#include <utility>

namespace muster {

std::uint32_t SignatureTable::find(Signature signature) const {
  if (places_.empty()) return kAbsent;
  for (std::size_t i = home(signature.value());; i = (i + 1) & (places_.size() - 1)) {
    if (places_[i].signature == signature.value()) return places_[i].slot;
    if (places_[i].signature == 0) return kAbsent;
  }
}

void SignatureTable::insert(Signature signature, std::uint32_t slot) {
  assert(!signature.is_none());
  if ((count_ + 1) * 2 > places_.size()) grow(places_.empty() ? 16 : places_.size() * 2);
  std::size_t i = home(signature.value());
  while (places_[i].signature != 0) {
    assert(places_[i].signature != signature.value());
    i = (i + 1) & (places_.size() - 1);
  }
  places_[i] = {.signature = signature.value(), .slot = slot, .padding = 0};
  ++count_;
}

void SignatureTable::erase(Signature signature) {
  assert(find(signature) != kAbsent);
  const std::size_t mask = places_.size() - 1;
  std::size_t hole = home(signature.value());
  while (places_[hole].signature != signature.value()) hole = (hole + 1) & mask;
  for (std::size_t i = (hole + 1) & mask; places_[i].signature != 0; i = (i + 1) & mask) {
    // It may move into the hole unless its home is between the hole and itself.
    const std::size_t from_home = (i - home(places_[i].signature)) & mask;
    const std::size_t from_hole = (i - hole) & mask;
    if (from_home < from_hole) continue;
    places_[hole] = places_[i];
    hole = i;
  }
  places_[hole] = {};
  --count_;
}

void SignatureTable::reserve(std::uint32_t count) {
  const std::size_t size = std::bit_ceil(std::size_t{count} * 2 + 1);
  if (size > places_.size()) grow(size);
}

void SignatureTable::grow(std::size_t size) {
  std::vector<Place> before = std::exchange(places_, std::vector<Place>(size));
  count_ = 0;
  for (const Place& place : before) {
    if (place.signature == 0) continue;
    std::size_t i = home(place.signature);
    while (places_[i].signature != 0) i = (i + 1) & (size - 1);
    places_[i] = place;
    ++count_;
  }
}

}  // namespace muster
