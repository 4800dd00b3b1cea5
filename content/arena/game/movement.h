// Things that move: characters, doors, lifts, spinning things.
#pragma once

#include "registry/vocabulary/component.h"

namespace arena {

/// A walking body: how it may move, and how it moves now.
struct CharacterMovement {
  float slope_limit = 50;
  float step_offset = 0.5F;
  float skin_width = 0.08F;
  float min_move_distance = 0.001F;
  muster::Vec3 center{0, 1, 0};
  float radius = 0.4F;
  float height = 2;
  muster::Vec3 velocity;
  bool grounded = true;
};

struct Door {
  muster::Vec3 travel{0, 3, 0};  ///< Where the leaf goes, relative to its closed place.
  float open_seconds = 0.5F;
  float opening = 0;  ///< 0 is closed, 1 is open.
  bool is_open = false;
};

/// A lift that goes to and fro.
struct Platform {
  muster::Vec3 travel{0, 2, 0};
  float period_seconds = 4;
  float phase = 0;  ///< 0 to 1 through the period.
};

/// Turns for the look of it: every client can compute it alone.
struct Spin {
  muster::Vec3 axis{0, 1, 0};
  float degrees_per_second = 90;
};

inline muster::ComponentDescription describe_character_movement() {
  using enum muster::Receivers;
  using enum muster::Interpolation;
  return muster::Describe<CharacterMovement>("CharacterMovement")
      .field("slopeLimit", &CharacterMovement::slope_limit, {.unit = "deg", .receivers = owner})
      .field("stepOffset", &CharacterMovement::step_offset, {.unit = "m", .receivers = owner})
      .field("skinWidth", &CharacterMovement::skin_width, {.unit = "m", .receivers = owner})
      .field("minMoveDistance", &CharacterMovement::min_move_distance,
             {.unit = "m", .receivers = owner})
      .field("center", &CharacterMovement::center, {.unit = "m", .resolution = 0.001})
      .field("radius", &CharacterMovement::radius, {.unit = "m", .resolution = 0.001})
      .field("height", &CharacterMovement::height, {.unit = "m", .resolution = 0.001})
      .field("velocity", &CharacterMovement::velocity,
             {.unit = "m/s",
              .minimum = -64,
              .maximum = 64,
              .resolution = 0.002,
              .tolerance = 0.05,
              .interpolation = linear})
      .field("grounded", &CharacterMovement::grounded)
      .done();
}

inline muster::ComponentDescription describe_door() {
  return muster::Describe<Door>("Door")
      .field("travel", &Door::travel, {.unit = "m"})
      .field("openSeconds", &Door::open_seconds, {.unit = "s"})
      .field("opening", &Door::opening,
             {.minimum = 0,
              .maximum = 1,
              .resolution = 0.01,
              .tolerance = 0.05,
              .interpolation = muster::Interpolation::linear})
      .field("isOpen", &Door::is_open)
      .done();
}

inline muster::ComponentDescription describe_platform() {
  return muster::Describe<Platform>("Platform")
      .field("travel", &Platform::travel, {.unit = "m"})
      .field("periodSeconds", &Platform::period_seconds, {.unit = "s"})
      .field("phase", &Platform::phase,
             {.minimum = 0, .maximum = 1, .resolution = 0.0005, .tolerance = 0.005})
      .done();
}

inline muster::ComponentDescription describe_spin() {
  return muster::Describe<Spin>("Spin")
      .field("axis", &Spin::axis)
      .field("degreesPerSecond", &Spin::degrees_per_second, {.unit = "deg/s"})
      .done();
}

}  // namespace arena
