// A component type of one world, and one component of one entity.
#pragma once

#include <compare>
#include <cstdint>

#include "runtime/world/entity_id.h"

namespace muster {

/// A component type of one world: its index among all component types, sorted by name. Two worlds
/// that are made from equal descriptions, for example on a client and on a server, have equal ids.
class ComponentId {
 public:
  constexpr ComponentId() = default;
  explicit constexpr ComponentId(std::uint32_t value) : value_(value) {}
  constexpr std::uint32_t value() const { return value_; }
  friend constexpr auto operator<=>(const ComponentId&, const ComponentId&) = default;

 private:
  std::uint32_t value_ = 0;
};

/// One component of one entity.
struct EntityComponent {
  EntityId entity;
  ComponentId component;
};

}  // namespace muster
