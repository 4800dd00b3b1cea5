// Stores all components of one type in a world.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "registry/base/bytes.h"
#include "registry/base/content_hash.h"
#include "registry/components/component.h"
#include "runtime/world/entity_id.h"

namespace muster {

/// The components of one type in three plain arrays: the bytes of the components, the owner of each
/// component, and the index of each component by the slot of its owner. A copy of these arrays is a
/// copy of the state. Only the world changes a storage, because the world records additions and
/// removals.
///
/// When a component is removed, the last component moves to its index. So the order of the array
/// depends only on the order of the calls. Pointers and spans are valid until the next `add`,
/// `remove` or `reserve`. A `World` owns the storage, and checks that entities are alive.
class ComponentStorage {
 public:
  /// Requires: the description passes `check`.
  explicit ComponentStorage(const ComponentDescription& description);

  const ComponentDescription& description() const { return description_; }
  /// The value of `description().hash()`, which is computed once.
  const ContentHash& identity() const { return identity_; }

  std::uint32_t count() const { return static_cast<std::uint32_t>(owners_.size()); }
  /// The total size of components that fit without allocation.
  std::size_t capacity_bytes() const { return bytes_.size(); }
  /// The distance between two components in the array.
  std::uint32_t stride_bytes() const { return stride_bytes_; }
  /// The value of `receivers_of` for the description.
  Receivers receivers() const { return receivers_; }
  /// The index of an entity's component in the array; `kAbsent` if the entity has no such
  /// component.
  std::uint32_t index_of(EntityId entity) const {
    if (entity.slot() >= index_by_slot_.size()) return kAbsent;
    const std::uint32_t index = index_by_slot_[entity.slot()];
    return index != kAbsent && owners_[index] == entity ? index : kAbsent;
  }
  /// The byte ranges of the fields, without padding.
  std::span<const ByteRange> described() const { return described_; }
  /// A number that changes when a component is added, removed or moved. Numbers never repeat in one
  /// world.
  std::uint64_t version() const { return version_; }

  /// The owner of each component, in the order of the array.
  std::span<const EntityId> owners() const { return owners_; }
  std::span<std::byte> bytes() { return std::span<std::byte>(bytes_).first(used_bytes()); }
  Bytes bytes() const { return Bytes(bytes_).first(used_bytes()); }

  /// The component of an entity, with `stride_bytes()` bytes; empty if the entity has no such
  /// component.
  std::span<std::byte> find(EntityId entity);
  Bytes find(EntityId entity) const;
  bool has(EntityId entity) const { return index_of(entity) != kAbsent; }

  /// Adds a component with this value. Requires: the entity has no such component, and `value` has
  /// `stride_bytes()` bytes.
  void add(EntityId entity, Bytes value) {
    assert(value.size() == stride_bytes_);
    if (entity.slot() >= index_by_slot_.size()) {
      index_by_slot_.resize(std::size_t{entity.slot()} + 1, kAbsent);
    }
    std::uint32_t& index = index_by_slot_[entity.slot()];
    assert(index == kAbsent);
    index = count();
    const std::size_t offset = used_bytes();
    if (offset == bytes_.size()) make_room();
    copy_value(bytes_.data() + offset, value);
    owners_.push_back(entity);
  }
  /// Returns false if the entity does not have the component.
  bool remove(EntityId entity);

  /// Undoes the last `add`, which was for `entity`.
  void undo_add(EntityId entity);
  /// Undoes the `remove` of the component at `index`. The value of the restored component is
  /// unspecified. Requires: all later changes are undone.
  void undo_remove(EntityId entity, std::uint32_t index);

  static constexpr std::uint32_t kAbsent = 0xFFFFFFFF;

  /// Reserves memory, so that adding up to `components` components for entities in the first
  /// `slots` slots does not allocate.
  void reserve(std::uint32_t components, std::uint32_t slots);

 private:
  friend class World;
  void set_version(std::uint64_t version) { version_ = version; }
  template <std::size_t Size>
  static void copy_part(std::byte* to, const std::byte* from) {
    std::array<std::byte, Size> part;
    std::memcpy(part.data(), from, Size);
    std::memcpy(to, part.data(), Size);
  }
  // Most components have 8 to 32 bytes. For these sizes, copying the first and the last part, which
  // may overlap, is faster than a call of `memcpy`.
  static void copy_value(std::byte* to, Bytes value) {
    const std::size_t size = value.size();
    if (size < 8 || size > 32) {
      std::memcpy(to, value.data(), size);
    } else if (size <= 16) {
      copy_part<8>(to, value.data());
      copy_part<8>(to + size - 8, value.data() + size - 8);
    } else {
      copy_part<16>(to, value.data());
      copy_part<16>(to + size - 16, value.data() + size - 16);
    }
  }
  std::size_t used_bytes() const { return owners_.size() * stride_bytes_; }
  void make_room();
  std::span<std::byte> at(std::uint32_t index) {
    return std::span<std::byte>(bytes_).subspan(std::size_t{index} * stride_bytes_, stride_bytes_);
  }

  ComponentDescription description_;
  ContentHash identity_;
  std::vector<ByteRange> described_;
  std::uint32_t stride_bytes_;
  Receivers receivers_;
  std::uint64_t version_ = 0;
  ByteVector bytes_;  ///< The components. The vector only grows; only the first `used_bytes()`
                      ///< bytes are used.
  std::vector<EntityId> owners_;
  std::vector<std::uint32_t> index_by_slot_;
};

}  // namespace muster
