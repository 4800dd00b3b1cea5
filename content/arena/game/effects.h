// Effects: on clients only, never on the wire. They are derived from replicated ticks.
#pragma once

#include "registry/vocabulary/component.h"

namespace arena {

/// An effect at a point: sound, particles, a wave that pushes debris.
struct SpatialEffect {
  float duration_seconds = 1;
  float shockwave_force = 0;
  float shockwave_radius = 0;
  float shockwave_jitter = 0.2F;  ///< The wave's centre is moved at random by up to this.
};

/// An effect along a line from a muzzle to where it hit.
struct HitscanEffect {
  float speed = 100;
  float length = 1;
  float width = 0.05F;
};

inline muster::ComponentDescription describe_spatial_effect() {
  return muster::Describe<SpatialEffect>("SpatialEffect")
      .field("durationSeconds", &SpatialEffect::duration_seconds, {.unit = "s"})
      .field("shockwaveForce", &SpatialEffect::shockwave_force, {.unit = "N s"})
      .field("shockwaveRadius", &SpatialEffect::shockwave_radius, {.unit = "m"})
      .field("shockwaveJitter", &SpatialEffect::shockwave_jitter, {.unit = "m"})
      .done();
}

inline muster::ComponentDescription describe_hitscan_effect() {
  return muster::Describe<HitscanEffect>("HitscanEffect")
      .field("speed", &HitscanEffect::speed, {.unit = "m/s"})
      .field("length", &HitscanEffect::length, {.unit = "m"})
      .field("width", &HitscanEffect::width, {.unit = "m"})
      .done();
}

}  // namespace arena
