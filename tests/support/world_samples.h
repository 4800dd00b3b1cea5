// A small world, and random changes of it, for world tests.
#pragma once

#include <random>
#include <vector>

#include "registry/components/describe.h"
#include "runtime/world/world.h"

namespace muster::samples {

struct Position {
  float x = 0;
  float y = 0;
  float z = 0;
};
struct Velocity {
  float x = 1;
  float y = 0;
  float z = 0;
};
/// A component with padding after `is_burning`.
struct Vitality {
  bool is_burning = false;
  float health = 100;
};

consteval auto describe(Type<Position>) {
  return Describe<Position>("Position")
      .field<&Position::x>("x", {.unit = "m", .tolerance = 0.01})
      .field<&Position::y>("y", {.unit = "m", .tolerance = 0.01})
      .field<&Position::z>("z", {.unit = "m", .tolerance = 0.01});
}
consteval auto describe(Type<Velocity>) {
  return Describe<Velocity>("Velocity")
      .field<&Velocity::x>("x", {.unit = "m/s"})
      .field<&Velocity::y>("y", {.unit = "m/s"})
      .field<&Velocity::z>("z", {.unit = "m/s"});
}
consteval auto describe(Type<Vitality>) {
  return Describe<Vitality>("Vitality")
      .field<&Vitality::is_burning>("isBurning")
      .field<&Vitality::health>("health", {.unit = "hp"});
}

inline std::vector<ComponentDescription> world_components() {
  return {description_of<Position>(), description_of<Velocity>(), description_of<Vitality>()};
}

/// A world with handles to its components.
struct SampleWorld {
  World world{world_components()};
  ComponentHandle<Position> position = world.component<Position>("Position");
  ComponentHandle<Velocity> velocity = world.component<Velocity>("Velocity");
  ComponentHandle<Vitality> vitality = world.component<Vitality>("Vitality");

  EntityId spawn(float x, const EntityOptions& options = {}) {
    const EntityId entity = world.create(options);
    world.add(position, entity, {x, 0, 0});
    world.add(velocity, entity, {1, x, 0});
    world.add(vitality, entity, {});
    return entity;
  }

  /// Makes one random change of any kind.
  void disturb(std::mt19937& random) {
    std::vector<EntityId> alive;
    world.each_entity([&](EntityId entity) { alive.push_back(entity); });
    const auto any = [&] { return alive.empty() ? EntityId() : alive[random() % alive.size()]; };
    const EntityId entity = any();
    switch (random() % 10) {
      case 0:
        spawn(static_cast<float>(random() % 100));
        break;
      case 1: {
        const EntityId parent = any();
        world.create({.parent = parent, .signature = Signature("s").with(random() % 50)});
        break;
      }
      case 2:
        world.request_despawn(entity);
        break;
      case 3:
        world.process_despawns();
        break;
      case 4:
        world.remove(position.id(), entity);
        break;
      case 5:
        if (!entity.is_null()) world.add(position, entity, {7, 7, 7});
        break;
      case 6:
        world.set_parent(entity, any());
        break;
      case 7:
        world.set_player(entity, static_cast<PlayerId>(random() % 4));
        break;
      case 8:
        world.set_active(entity, random() % 2 == 0);
        break;
      default:
        for (Position& at : world.values(position)) at.y += 1;
        break;
    }
  }
};

}  // namespace muster::samples
