// Effects exist only on clients and are never sent. Clients derive them from replicated ticks.
#pragma once

#include <muster/describe.h>

namespace arena {

/// An effect at a point: sound, particles, and a wave that pushes debris.
struct SpatialEffect {
  float duration_seconds = 1;
  float shockwave_force = 0;
  float shockwave_radius = 0;
  /// The maximum distance by which the wave's centre is moved at random.
  float shockwave_jitter = 0.2F;
};

/// An effect along a line from a muzzle to the point of the hit.
struct HitscanEffect {
  float speed = 100;
  float length = 1;
  float width = 0.05F;
};

consteval auto describe(muster::Type<SpatialEffect>) {
  return muster::Describe<SpatialEffect>("SpatialEffect")
      .field<&SpatialEffect::duration_seconds>("durationSeconds", {.unit = "s"})
      .field<&SpatialEffect::shockwave_force>("shockwaveForce", {.unit = "N s"})
      .field<&SpatialEffect::shockwave_radius>("shockwaveRadius", {.unit = "m"})
      .field<&SpatialEffect::shockwave_jitter>("shockwaveJitter", {.unit = "m"});
}

consteval auto describe(muster::Type<HitscanEffect>) {
  return muster::Describe<HitscanEffect>("HitscanEffect")
      .field<&HitscanEffect::speed>("speed", {.unit = "m/s"})
      .field<&HitscanEffect::length>("length", {.unit = "m"})
      .field<&HitscanEffect::width>("width", {.unit = "m"});
}

}  // namespace arena
