// Converts recorded inputs to commands of a first-person game.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/session/game.h"
#include "tests/bench/input_recording.h"

namespace muster {

inline constexpr std::size_t kButtons = 18;

/// A command of a first-person game, with all fields of a recording.
struct Input {
  std::array<Button, kButtons> buttons{};
  Vec2 move{};
  std::int32_t yaw_counts = 0;
  std::int32_t pitch_counts = 0;
};
consteval auto describe(Type<Input>) {
  return Describe<Input>("Input")
      .field<&Input::buttons>("buttons")
      .field<&Input::move>(
          "move",
          {.minimum = -1, .maximum = 1, .resolution = 1.0 / 127, .sampled = Sampling::largest})
      .field<&Input::yaw_counts>("yawCounts",
                                 {.minimum = -32768, .maximum = 32767, .sampled = Sampling::sum})
      .field<&Input::pitch_counts>("pitchCounts",
                                   {.minimum = -32768, .maximum = 32767, .sampled = Sampling::sum});
}

/// Converts rows to commands. Turns above 45 degrees per tick are ignored, because the game made
/// them. Requires: the recording outlives the player.
class InputPlayer {
 public:
  InputPlayer(const InputRecording& recording, double step_deg)
      : step_(step_deg > 0 ? step_deg : turning_step(recording, 0.05)), rows_(recording.rows) {}

  std::size_t size() const { return rows_.size(); }
  double step_deg() const { return step_; }
  Input at(std::size_t i) {
    const InputRow& row = rows_[i];
    Input input;
    for (std::size_t k = 0; k < kButtons; ++k) {
      input.buttons[k].is_held = ((row.buttons >> k) & 1U) != 0;
    }
    input.move = {static_cast<float>(row.move_x), static_cast<float>(row.move_y)};
    if (i == 0) return input;
    input.yaw_counts = counts(std::remainder(row.yaw_deg - rows_[i - 1].yaw_deg, 360.0), yaw_);
    input.pitch_counts = counts(row.pitch_deg - rows_[i - 1].pitch_deg, pitch_);
    return input;
  }

 private:
  std::int32_t counts(double turn, double& rest) const {
    if (std::abs(turn) <= 45) rest += turn / step_;
    const double whole = std::clamp(std::round(rest), -32768.0, 32767.0);
    rest -= whole;
    return static_cast<std::int32_t>(whole);
  }
  double step_;
  const std::vector<InputRow>& rows_;
  double yaw_ = 0;
  double pitch_ = 0;
};

}  // namespace muster
