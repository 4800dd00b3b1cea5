// Recorded inputs of first-person games, and generated ones in the same format.
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

/// Reads a recording, compressed with zstd or not. The rate is in the name, as in
/// `fps_66hz_01.csv.zst`, and 60 otherwise. Fails with `malformed` and the line.
Result<InputRecording> load_inputs(const std::string& path);
/// Reads a recording of one player, as `load_inputs`, or of several players of a fighting game with
/// the header `frame,player,buttons,stick_x,stick_y`. The latter gives one recording per player,
/// with the stick as the move and without turns. Requires at least one row. Fails with `malformed`
/// and `path:line` in the message.
Result<std::vector<InputRecording>> load_players(const std::string& path);
/// The step in degrees of the device that turned the view: the largest one that divides most turns.
/// Returns the fallback if there is no such step.
double turning_step(const InputRecording& recording, double fallback);
/// Returns the CSV of a generated player who walks, turns, aims, jumps and shoots.
std::string make_inputs(std::uint64_t seed, std::uint32_t ticks);

}  // namespace muster
