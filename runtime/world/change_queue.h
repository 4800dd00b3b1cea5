// Records structural changes while a system iterates, and applies them later.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "runtime/world/world.h"

namespace muster {

/// An entity that a `ChangeQueue` will create. A `QueuedEntity` is valid only for the queue that
/// returned it, and until the queue is applied. An assertion fails if the `QueuedEntity` is used
/// later.
class QueuedEntity {
 private:
  friend class ChangeQueue;
  QueuedEntity(std::uint32_t ordinal, std::uint32_t round) : ordinal_(ordinal), round_(round) {}
  std::uint32_t ordinal_;
  std::uint32_t round_;
};

/// Records the creations, removals and component changes of a system while the system iterates.
/// `apply` applies the changes in the order of recording. Invalid requests (the entity was removed,
/// or already has the component) are counted and skipped. Allocates nothing in steady state. Only
/// one thread at a time may use a queue; systems that run in parallel have different queues.
class ChangeQueue {
 public:
  /// Creates an entity. The result can be passed to the other functions until the queue is applied.
  QueuedEntity create(const EntityOptions& options = {});
  QueuedEntity create_below(QueuedEntity parent, const EntityOptions& options = {});
  QueuedEntity create_below(EntityId parent, const EntityOptions& options = {});
  void add(ComponentId component, EntityId entity, Bytes value);
  void add(ComponentId component, QueuedEntity entity, Bytes value);
  template <typename T, typename Entity>
  void add(ComponentHandle<T> handle, Entity entity, const std::type_identity_t<T>& value) {
    add(handle.id(), entity, std::as_bytes(std::span<const T, 1>(&value, 1)));
  }
  void remove(ComponentId component, EntityId entity);
  void remove(ComponentId component, QueuedEntity entity);
  void request_despawn(EntityId entity);
  void request_despawn(QueuedEntity entity);

  /// Applies all changes and empties the queue. Returns the number of invalid requests.
  std::uint32_t apply(World& world);

  bool is_empty() const { return changes_.empty(); }
  void reserve(std::size_t changes, std::size_t value_bytes);

 private:
  /// An existing entity, or an entity that this queue will create.
  struct Target {
    EntityId entity;
    std::uint32_t ordinal = kExists;
    bool is_queued() const { return ordinal != kExists; }
    static constexpr std::uint32_t kExists = 0xFFFFFFFF;
  };
  enum class Kind : std::uint8_t { create, add, remove, despawn };
  struct Change {
    Kind kind = Kind::create;
    Target target;  ///< The changed entity; for `create`, the parent.
    ComponentId component;
    std::size_t offset_bytes = 0;
    EntityOptions options;
  };
  Target target(QueuedEntity entity) const;
  QueuedEntity create_below(const Target& parent, const EntityOptions& options);
  void add(ComponentId component, const Target& target, Bytes value);
  EntityId resolve(const Target& target) const;
  bool apply(World& world, const Change& change);

  std::vector<Change> changes_;
  ByteVector values_;
  std::vector<EntityId> made_;  ///< The created entities, by ordinal.
  std::uint32_t created_ = 0;
  std::uint32_t round_ = 0;  ///< The number of calls of `apply`.
};

}  // namespace muster
