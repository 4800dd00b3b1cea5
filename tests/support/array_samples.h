// A component with an array of each type for which `Everything` has no array.
#pragma once

#include "tests/support/described_samples.h"

namespace muster::samples {

struct Arrays {
  std::array<bool, 3> flags{true, false, true};
  std::array<std::int64_t, 2> longs{-1, 1};
  std::array<double, 2> doubles{0.1, -0.2};
  std::array<Vec2, 2> points{{{1, 2}, {3, 4}}};
  std::array<Quaternion, 2> turns{};
  std::array<float, 2> headings{350, 10};
  std::array<FixedText<8>, 2> labels{{{{'a', ':', 'b'}}, {}}};
  std::array<EntityReference, 3> targets{};
  std::array<AssetReference, 2> models{{{{0xab, 1}}, {}}};
  std::array<Stance, 2> stances{Stance::crouching, Stance::prone};
};

consteval auto describe(Type<Arrays>) {
  using enum Interpolation;
  return Describe<Arrays>("Arrays")
      .field<&Arrays::flags>("flags")
      .field<&Arrays::longs>("longs", {.interpolation = linear})
      .field<&Arrays::doubles>("doubles", {.interpolation = linear})
      .field<&Arrays::points>("points", {.tolerance = 0.5, .interpolation = linear})
      .field<&Arrays::turns>("turns", {.interpolation = shortest_arc})
      .field<&Arrays::headings>("headings", {.unit = "deg", .interpolation = angle})
      .field<&Arrays::labels>("labels")
      .field<&Arrays::targets>("targets")
      .field<&Arrays::models>("models")
      .field<&Arrays::stances>("stances", {.names = kStances});
}

/// Arrays in which every element differs from the default.
inline Arrays other_arrays() {
  return {.flags = {false, true, false},
          .longs = {-100, 100},
          .doubles = {10.1, 9.8},
          .points = {{{11, 12}, {-3, -4}}},
          .turns = {{{1, 0, 0, 0}, {0, 1, 0, 0}}},
          .headings = {10, 350},
          .labels = {{{{'c'}}, {{'"', '#', ' ', 'd'}}}},
          .targets = {{{0}, {7}, {65'535}}},
          .models = {{{}, {{0, 0xcd}}}},
          .stances = {Stance::prone, Stance::standing}};
}

}  // namespace muster::samples
