// The components of movement: characters, doors, lifts and spinning entities.
#pragma once

#include <muster/describe.h>

namespace arena {

/// A walking character: the limits of its movement, and its current movement.
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
  muster::Vec3 travel{0, 3, 0};  ///< The position of the open door relative to the closed door.
  float open_seconds = 0.5F;
  float opening = 0;  ///< From 0 (closed) to 1 (open).
  bool is_open = false;
};

/// A lift that moves back and forth.
struct Platform {
  muster::Vec3 travel{0, 2, 0};
  float period_seconds = 4;
  float phase = 0;  ///< The part of the period that has passed, 0 to 1.
};

/// A visual rotation. The rotation is not sent: each client computes it.
struct Spin {
  muster::Vec3 axis{0, 1, 0};
  float degrees_per_second = 90;
};

consteval auto describe(muster::Type<CharacterMovement>) {
  using enum muster::Receivers;
  using enum muster::Interpolation;
  return muster::Describe<CharacterMovement>("CharacterMovement")
      .field<&CharacterMovement::slope_limit>("slopeLimit", {.unit = "deg", .receivers = owner})
      .field<&CharacterMovement::step_offset>("stepOffset", {.unit = "m", .receivers = owner})
      .field<&CharacterMovement::skin_width>("skinWidth", {.unit = "m", .receivers = owner})
      .field<&CharacterMovement::min_move_distance>("minMoveDistance",
                                                    {.unit = "m", .receivers = owner})
      .field<&CharacterMovement::center>("center", {.unit = "m", .resolution = 0.001})
      .field<&CharacterMovement::radius>("radius", {.unit = "m", .resolution = 0.001})
      .field<&CharacterMovement::height>("height", {.unit = "m", .resolution = 0.001})
      .field<&CharacterMovement::velocity>("velocity", {.unit = "m/s",
                                                        .minimum = -64,
                                                        .maximum = 64,
                                                        .resolution = 0.002,
                                                        .tolerance = 0.05,
                                                        .interpolation = linear})
      .field<&CharacterMovement::grounded>("grounded");
}

consteval auto describe(muster::Type<Door>) {
  return muster::Describe<Door>("Door")
      .field<&Door::travel>("travel", {.unit = "m"})
      .field<&Door::open_seconds>("openSeconds", {.unit = "s"})
      .field<&Door::opening>("opening", {.minimum = 0,
                                         .maximum = 1,
                                         .resolution = 0.01,
                                         .tolerance = 0.05,
                                         .interpolation = muster::Interpolation::linear})
      .field<&Door::is_open>("isOpen");
}

consteval auto describe(muster::Type<Platform>) {
  return muster::Describe<Platform>("Platform")
      .field<&Platform::travel>("travel", {.unit = "m"})
      .field<&Platform::period_seconds>("periodSeconds", {.unit = "s"})
      .field<&Platform::phase>(
          "phase", {.minimum = 0, .maximum = 1, .resolution = 0.0005, .tolerance = 0.005});
}

consteval auto describe(muster::Type<Spin>) {
  return muster::Describe<Spin>("Spin").field<&Spin::axis>("axis").field<&Spin::degrees_per_second>(
      "degreesPerSecond", {.unit = "deg/s"});
}

}  // namespace arena
