// All components of one type in a world.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "registry/vocabulary/bytes.h"
#include "registry/vocabulary/component.h"
#include "registry/vocabulary/content_hash.h"
#include "runtime/world/entity_id.h"

namespace muster {

/// The components of one type as one array of bytes, the owner of each beside it, and a sparse
/// index from an entity's slot to its place. Three plain arrays: copying them copies the state.
/// Changing a world's components goes through the world, which keeps track of what came and went.
///
/// A removed component's place is taken by the last one, so the order of the array follows from the
/// order of the calls, and from nothing else. Pointers and spans live until the next `add`,
/// `remove` or `reserve`. Owned by a `World`, which checks that entities are alive.
class ComponentStorage {
 public:
  /// Requires: a description that passes `check`.
  explicit ComponentStorage(const ComponentDescription& description);

  const ComponentDescription& description() const { return description_; }
  /// `description().hash()`, computed once.
  const ContentHash& identity() const { return identity_; }

  std::uint32_t count() const { return static_cast<std::uint32_t>(owners_.size()); }
  /// How many bytes of components there is room for without allocating.
  std::size_t capacity_bytes() const { return bytes_.capacity(); }
  /// Bytes from one component to the next.
  std::uint32_t stride_bytes() const { return stride_bytes_; }
  /// `receivers_of` its description.
  Receivers receivers() const { return receivers_; }
  /// Where an entity's component lies in the array; `kAbsent` when it has none.
  std::uint32_t index_of(EntityId entity) const {
    if (entity.slot() >= index_by_slot_.size()) return kAbsent;
    const std::uint32_t index = index_by_slot_[entity.slot()];
    return index != kAbsent && owners_[index] == entity ? index : kAbsent;
  }
  /// Bytes that fields cover, without padding.
  std::span<const ByteRange> described() const { return described_; }
  /// Changes with every component that comes, goes or moves; never the same twice in one world.
  std::uint64_t version() const { return version_; }

  /// The owner of each component, in the order of the array.
  std::span<const EntityId> owners() const { return owners_; }
  std::span<std::byte> bytes() { return bytes_; }
  Bytes bytes() const { return bytes_; }

  /// The component of an entity, `stride_bytes()` long; empty when it has none.
  std::span<std::byte> find(EntityId entity);
  Bytes find(EntityId entity) const;
  bool has(EntityId entity) const { return index_of(entity) != kAbsent; }

  /// Adds a component with this value. Requires: the entity has none; as many bytes as described.
  std::span<std::byte> add(EntityId entity, Bytes value);
  /// Returns false when the entity has none.
  bool remove(EntityId entity);

  /// Takes back the last `add`: the owner's component is the last one.
  void undo_add(EntityId entity);
  /// Takes back a `remove` from a place: the component's value is unspecified. Requires: everything
  /// that happened since has been taken back.
  void undo_remove(EntityId entity, std::uint32_t index);

  static constexpr std::uint32_t kAbsent = 0xFFFFFFFF;

  /// Makes room for this many components of entities in this many slots, so that adding them does
  /// not allocate.
  void reserve(std::uint32_t components, std::uint32_t slots);

 private:
  friend class World;
  void set_version(std::uint64_t version) { version_ = version; }
  std::span<std::byte> at(std::uint32_t index) {
    return std::span<std::byte>(bytes_).subspan(std::size_t{index} * stride_bytes_, stride_bytes_);
  }

  ComponentDescription description_;
  ContentHash identity_;
  std::vector<ByteRange> described_;
  std::uint32_t stride_bytes_;
  Receivers receivers_;
  std::uint64_t version_ = 0;
  ByteVector bytes_;
  std::vector<EntityId> owners_;
  std::vector<std::uint32_t> index_by_slot_;
};

}  // namespace muster
