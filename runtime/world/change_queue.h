// Changes of structure that wait until nobody is looking.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/world/world.h"

namespace muster {

/// An entity that exists, or one that a queue will make.
class QueuedEntity {
 public:
  QueuedEntity(EntityId entity) : entity_(entity) {}  // NOLINT: an id is what it stands for
  bool is_queued() const { return ordinal_ != kExists; }

 private:
  friend class ChangeQueue;
  static constexpr std::uint32_t kExists = 0xFFFFFFFF;
  explicit QueuedEntity(std::uint32_t ordinal) : ordinal_(ordinal) {}
  EntityId entity_;
  std::uint32_t ordinal_ = kExists;
};

/// Records what a system wants to create, destroy, add and remove while it walks over components,
/// and does it afterwards, in the order of recording. Requests that are void by then (the entity is
/// gone, it has the component already) are counted, not done. Keeps its memory: steady state
/// allocates nothing. One thread at a time; systems that run side by side have one each.
class ChangeQueue {
 public:
  /// The entity can be given components, and be a parent, in this queue.
  QueuedEntity create(const EntityOptions& options = {});
  QueuedEntity create_below(QueuedEntity parent, const EntityOptions& options = {});
  void add(ComponentId component, QueuedEntity entity, Bytes value);
  template <typename T>
  void add(ComponentHandle<T> handle, QueuedEntity entity, const T& value) {
    add(handle.id(), entity, std::as_bytes(std::span<const T, 1>(&value, 1)));
  }
  void remove(ComponentId component, QueuedEntity entity);
  void request_despawn(QueuedEntity entity);

  /// Does it all and empties the queue. Returns how many requests were void.
  std::uint32_t apply(World& world);

  bool is_empty() const { return changes_.empty(); }
  void reserve(std::size_t changes, std::size_t value_bytes);

 private:
  enum class Kind : std::uint8_t { create, add, remove, despawn };
  struct Change {
    Kind kind = Kind::create;
    QueuedEntity entity{EntityId()};  ///< Of `create`: the parent.
    ComponentId component;
    std::size_t offset_bytes = 0;
    EntityOptions options;
  };
  EntityId resolve(const QueuedEntity& entity) const;
  bool apply(World& world, const Change& change);

  std::vector<Change> changes_;
  ByteVector values_;
  std::vector<EntityId> made_;  ///< By ordinal.
  std::uint32_t created_ = 0;
};

}  // namespace muster
