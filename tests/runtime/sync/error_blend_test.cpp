// How a corrected error disappears, compared with the rules of other systems.
#include "runtime/sync/error_blend.h"

#include <cmath>
#include <functional>
#include <vector>

#include <catch2/catch.hpp>

namespace muster {
namespace {

using namespace std::chrono_literals;

/// Measures how an error of 1 shrinks at a frame rate.
struct Course {
  double jerk_max = 0;     ///< The largest change of acceleration from one frame to the next frame.
  double vanished_ms = 0;  ///< The time at which less than a hundredth of the error is left.
};

Course course_of(double frames_per_second, const std::function<double(double ms)>& share) {
  std::vector<double> shown(4, 1.0);
  const double frame_ms = 1000 / frames_per_second;
  Course course;
  for (int i = 0; i < 4 * static_cast<int>(frames_per_second); ++i) {
    shown.push_back(share(i * frame_ms));
    if (course.vanished_ms == 0 && shown.back() < 0.01) course.vanished_ms = i * frame_ms;
  }
  for (std::size_t i = 3; i < shown.size(); ++i) {
    const double jerk = shown[i] - 3 * shown[i - 1] + 3 * shown[i - 2] - shown[i - 3];
    course.jerk_max = std::max(course.jerk_max, std::abs(jerk));
  }
  return course;
}

double ours(double ms) {
  return double{shown_error_share(
      std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(ms)))};
}
double quake3(double ms) { return std::max(1 - ms / 100, 0.0); }
double half_in_200_ms(double ms) { return std::pow(0.5, ms / 200); }

TEST_CASE("A corrected error disappears within 100 ms, with less jerk than a linear blend",
          "[sync][blend][sys-55]") {
  const double frames_per_second = GENERATE(60.0, 75.0, 144.0, 240.0);
  CAPTURE(frames_per_second);
  const Course shown = course_of(frames_per_second, ours);
  const Course line = course_of(frames_per_second, quake3);
  CHECK(shown.vanished_ms <= line.vanished_ms);
  CHECK(shown.jerk_max < 0.85 * line.jerk_max);
  const Course half_life = course_of(frames_per_second, half_in_200_ms);
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
