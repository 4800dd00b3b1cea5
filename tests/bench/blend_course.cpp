#include "tests/bench/blend_course.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <vector>

#include "runtime/sync/error_blend.h"

namespace muster {

std::span<const BlendRule> blend_rules() {
  static const std::array<BlendRule, 3> rules = {{
      {"muster",
       [](double ms) {
         return double{shown_error_share(
             std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(ms)))};
       }},
      {"quake3", [](double ms) { return std::max(1 - ms / 100, 0.0); }},
      {"half_200ms", [](double ms) { return std::pow(0.5, ms / 200); }},
  }};
  return rules;
}

BlendCourse blend_course(double frames_per_second, const BlendShare& share) {
  constexpr int kSeconds = 4;
  std::vector<double> shown(4, 1.0);  // Before the correction, the whole error is shown.
  const double frame_ms = 1000 / frames_per_second;
  BlendCourse course;
  for (int i = 0; i < kSeconds * static_cast<int>(frames_per_second); ++i) {
    shown.push_back(share(i * frame_ms));
    if (course.vanished_ms == 0 && shown.back() < 0.01) course.vanished_ms = i * frame_ms;
  }
  for (std::size_t i = 3; i < shown.size(); ++i) {
    const double jerk = shown[i] - 3 * shown[i - 1] + 3 * shown[i - 2] - shown[i - 3];
    course.jerk_max = std::max(course.jerk_max, std::abs(jerk));
    course.step_max = std::max(course.step_max, std::abs(shown[i] - shown[i - 1]));
  }
  return course;
}

}  // namespace muster
