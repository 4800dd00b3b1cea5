// How a corrected error disappears, compared with the rules of other systems.
#include "runtime/sync/error_blend.h"

#include <algorithm>
#include <string_view>

#include <catch2/catch.hpp>

#include "tests/bench/blend_course.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

TEST_CASE("A corrected error disappears within 100 ms, with less jerk than a linear blend",
          "[sync][blend][sys-55]") {
  const double frames_per_second = GENERATE(60.0, 75.0, 144.0, 240.0);
  CAPTURE(frames_per_second);
  const auto course_of = [&](std::string_view rule) {
    const auto found = std::ranges::find(blend_rules(), rule, &BlendRule::name);
    return blend_course(frames_per_second, found->share);
  };
  const BlendCourse shown = course_of("muster");
  const BlendCourse line = course_of("quake3");
  CHECK(shown.vanished_ms <= line.vanished_ms);
  CHECK(shown.jerk_max < 0.85 * line.jerk_max);
  const BlendCourse half_life = course_of("half_200ms");
  CHECK(shown.vanished_ms < 0.1 * half_life.vanished_ms);
  if (frames_per_second > 100) CHECK(shown.jerk_max < half_life.jerk_max);
}

TEST_CASE("The shown error never exceeds the error, and ends at zero", "[sync][blend]") {
  float last = 1;
  for (Duration since{}; since < 2 * kErrorBlend; since += 1ms) {
    const float share = shown_error_share(since);
    CHECK(share <= last);
    CHECK(share >= 0);
    last = share;
  }
  CHECK(last == 0);
  CHECK(shown_error_share(-5ms) == 1);  // The clock was set back.
}

}  // namespace
}  // namespace muster
