// Recorded and generated inputs of first-person games.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/result.h"

namespace muster {

/// The state of a player's devices in a tick.
struct InputRow {
  std::uint32_t buttons = 0;  ///< One bit per button, 18 in all.
  double move_x = 0;          ///< -1 to 1.
  double move_y = 0;
  double yaw_deg = 0;
  double pitch_deg = 0;
};

/// A recording: CSV with the header `tick,buttons,move_x,move_y,yaw_deg,pitch_deg`.
struct InputRecording {
  double ticks_per_second = 60;
  std::vector<InputRow> rows;
};

/// Reads a recording, which may be compressed with zstd. The rate is in the name, for example
/// `fps_66hz_01.csv.zst`; without a rate it is 60 Hz. Fails with `malformed` and the line.
Result<InputRecording> load_inputs(const std::string& path);
/// Reads a recording of one player like `load_inputs`, or a recording of several players of a
/// fighting game with the header `frame,player,buttons,stick_x,stick_y`. A fighting game gives one
/// recording per player. The stick is the move, and there are no turns. There must be at least one
/// row. Fails with `malformed` and `path:line` in the message.
Result<std::vector<InputRecording>> load_players(const std::string& path);
/// The step in degrees of the device that turned the view: the largest step that divides most
/// turns. Returns the fallback if there is no such step.
double turning_step(const InputRecording& recording, double fallback);
/// Returns the CSV of a generated player who walks, turns, aims, jumps and shoots.
std::string make_inputs(std::uint64_t seed, std::uint32_t ticks);

}  // namespace muster
