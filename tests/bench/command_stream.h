// A recording of inputs, sent as commands over a lossy link.
#pragma once

#include <cstdint>

#include "runtime/sync/command_coding.h"
#include "tests/bench/input_recording.h"

namespace muster {

struct CommandStreamSettings {
  double loss = 0;  ///< Independent per packet, in both directions; 0 to 1.
  double rtt_ms = 60;
  double step_deg = 0;  ///< The view's resolution; 0: the recorded device's resolution.
  std::uint64_t seed = 1;
  std::uint32_t report_ticks = 3;
  std::uint32_t lead_ticks = 2;  ///< Margin in ticks for commands that arrive late.
};

struct CommandStreamResult {
  std::uint64_t commands = 0;   ///< Sent.
  std::uint64_t delivered = 0;  ///< Arrived, in time or late.
  std::uint64_t in_time = 0;
  std::uint64_t presses = 0;
  std::uint64_t presses_run = 0;
  double copies = 0;            ///< Commands in all packets.
  double bits = 0;              ///< The information in all packets, headers included.
  double byte_bits = 0;         ///< The sizes of all packets in whole bytes.
  double fixed_three_bits = 0;  ///< Three per packet, each coded from zero by our coder.
  double packed_bits = 0;       ///< Three per packet, each field in the bits of its range.
  bool is_verified = false;     ///< True if each command ran as it was sampled.
};

CommandStreamResult stream_inputs(const InputRecording& recording,
                                  const CommandStreamSettings& settings);
/// Counts the decisions in the packets of a recording, with anchors of several distances.
void count_decisions(const InputRecording& recording, double step_deg, CommandBitCounts& counts);

}  // namespace muster
