// Prints how fast and how smoothly a corrected error disappears with each rule.
#include <cstdio>

#include <fmt/format.h>

#include "tests/bench/blend_course.h"

int main() {
  using namespace muster;
  fmt::print("{:<18} {:>9} {:>9} {:>12} {:>11} {:>11}\n", "error blending", "max step", "max jerk",
             "vanished ms", "jerk ratio", "time ratio");
  for (const double rate : {60.0, 144.0, 240.0}) {
    const BlendCourse ours = blend_course(rate, blend_rules().front().share);
    for (const BlendRule& rule : blend_rules()) {
      const BlendCourse course = blend_course(rate, rule.share);
      fmt::print("{:<18} {:>9.4f} {:>9.4f} {:>12.1f} {:>11.2f} {:>11.2f}\n",
                 fmt::format("{} {:.0f} Hz", rule.name, rate), course.step_max, course.jerk_max,
                 course.vanished_ms, ours.jerk_max / course.jerk_max,
                 ours.vanished_ms / course.vanished_ms);
    }
  }
  return 0;
}
