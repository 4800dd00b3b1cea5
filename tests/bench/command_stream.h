// A recording of inputs, sent as commands over a lossy link.
#pragma once

#include <cstdint>

#include "runtime/sync/command_coding.h"
#include "tests/bench/input_recording.h"

namespace muster {

struct CommandStreamSettings {
  double loss = 0;  ///< The probability that a packet is lost, in each direction; 0 to 1.
  double rtt_ms = 60;
  double step_deg = 0;  ///< The view's resolution in degrees; 0 to use the recorded device's.
  std::uint64_t seed = 1;
  std::uint32_t report_ticks = 3;
  std::uint32_t lead_ticks = 2;  ///< The margin in ticks for commands that arrive late.
};

struct CommandStreamResult {
  std::uint64_t commands = 0;   ///< Sent commands.
  std::uint64_t delivered = 0;  ///< Commands that arrived, in time or late.
  std::uint64_t in_time = 0;
  std::uint64_t presses = 0;
  std::uint64_t presses_run = 0;
  /// Presses that a peer runs on the same link. The peer sends which buttons are held at the end of
  /// each tick, in three copies.
  std::uint64_t held_presses_run = 0;
  double copies = 0;     ///< The number of commands in all packets together.
  double bits = 0;       ///< The information in all packets, headers included.
  double byte_bits = 0;  ///< The sizes of all packets in whole bytes.
  /// The bits of packets with three commands each, which our coder codes without an earlier
  /// command.
  double fixed_three_bits = 0;
  /// The bits of packets with three commands each, in which each field has the bits of its range.
  double packed_bits = 0;
  bool is_verified = false;  ///< True if the server ran each command with its original values.
};

CommandStreamResult stream_inputs(const InputRecording& recording,
                                  const CommandStreamSettings& settings);
/// Counts the decisions in the packets of a recording, with anchors of several distances.
void count_decisions(const InputRecording& recording, double step_deg, CommandBitCounts& counts);

}  // namespace muster
