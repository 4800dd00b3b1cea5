#include "runtime/world/component_storage.h"

#include <algorithm>
#include <cassert>

namespace muster {

ComponentStorage::ComponentStorage(const ComponentDescription& description)
    : description_(description),
      identity_(description.hash()),
      described_(described_ranges(description)),
      stride_bytes_(description.size_bytes),
      receivers_(receivers_of(description)) {
  // A struct's size is a multiple of its alignment, so components follow each other without gaps.
  assert(stride_bytes_ > 0);
  assert(stride_bytes_ % description.alignment_bytes == 0);
  assert(description.alignment_bytes <= kMaxComponentAlignment);
}

std::span<std::byte> ComponentStorage::find(EntityId entity) {
  const std::uint32_t index = index_of(entity);
  return index == kAbsent ? std::span<std::byte>() : at(index);
}

Bytes ComponentStorage::find(EntityId entity) const {
  const std::uint32_t index = index_of(entity);
  if (index == kAbsent) return {};
  return Bytes(bytes_).subspan(std::size_t{index} * stride_bytes_, stride_bytes_);
}

bool ComponentStorage::remove(EntityId entity) {
  const std::uint32_t index = index_of(entity);
  if (index == kAbsent) return false;
  const std::uint32_t last = count() - 1;
  if (index != last) {
    std::ranges::copy(at(last), at(index).begin());
    owners_[index] = owners_[last];
    index_by_slot_[owners_[index].slot()] = index;
  }
  index_by_slot_[entity.slot()] = kAbsent;
  owners_.pop_back();
  return true;
}

void ComponentStorage::undo_add(EntityId entity) {
  assert(index_of(entity) + 1 == count());
  index_by_slot_[entity.slot()] = kAbsent;
  owners_.pop_back();
}

void ComponentStorage::undo_remove(EntityId entity, std::uint32_t index) {
  const std::uint32_t last = count();
  assert(index <= last);
  if (used_bytes() == bytes_.size()) make_room();
  owners_.push_back(entity);
  if (index != last) {
    owners_[last] = owners_[index];
    owners_[index] = entity;
    index_by_slot_[owners_[last].slot()] = last;
    std::ranges::copy(at(index), at(last).begin());
  }
  index_by_slot_[entity.slot()] = index;
}

void ComponentStorage::reserve(std::uint32_t components, std::uint32_t slots) {
  const std::size_t bytes = std::size_t{components} * stride_bytes_;
  if (bytes_.size() < bytes) bytes_.resize(bytes);
  owners_.reserve(components);
  if (index_by_slot_.size() < slots) index_by_slot_.resize(slots, kAbsent);
}

void ComponentStorage::make_room() {
  constexpr std::size_t kFirst = 16;
  bytes_.resize(std::max(2 * bytes_.size(), kFirst * stride_bytes_));
}

}  // namespace muster
