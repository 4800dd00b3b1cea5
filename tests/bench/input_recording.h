// Recorded inputs of people playing first-person games, and made ones of the same form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/result.h"

namespace muster {

/// What a player's devices had in a tick.
struct InputRow {
  std::uint32_t buttons = 0;  ///< A bit each, 18 of them.
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

/// Reads a recording, packed with zstd or not. The rate is in the name: `fps_66hz_01.csv.zst`; 60
/// without one. Fails with `malformed`, naming the line.
Result<InputRecording> load_inputs(const std::string& path);
/// Reads a recording of one player, as `load_inputs`, or one of several players of a fighting game
/// with the header `frame,player,buttons,stick_x,stick_y`: one recording a player, whose stick is
/// the move and who never turns. At least one row. Fails with `malformed`; the message has
/// `path:line`.
Result<std::vector<InputRecording>> load_players(const std::string& path);
/// The step in degrees of the device that turned the view: the largest one that divides most turns.
/// Returns the fallback when no step does.
double turning_step(const InputRecording& recording, double fallback);
/// A player who walks, turns, aims, jumps and shoots, from a seed; as CSV.
std::string make_inputs(std::uint64_t seed, std::uint32_t ticks);

}  // namespace muster
