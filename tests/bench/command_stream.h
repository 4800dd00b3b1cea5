// A recording of inputs sent as commands over a lossy way.
#pragma once

#include <cstdint>

#include "runtime/sync/command_coding.h"
#include "tests/bench/input_recording.h"

namespace muster {

struct CommandStreamSettings {
  double loss = 0;  ///< Independent per packet, both ways; 0 to 1.
  double rtt_ms = 60;
  double step_deg = 0;  ///< The look's resolution; 0: the recorded device's.
  std::uint64_t seed = 1;
  std::uint32_t report_ticks = 3;
  std::uint32_t lead_ticks = 2;  ///< For which a command may come later than the way takes.
};

struct CommandStreamResult {
  std::uint64_t commands = 0;   ///< Sent.
  std::uint64_t delivered = 0;  ///< Arrived, in time or late.
  std::uint64_t in_time = 0;
  std::uint64_t presses = 0;
  std::uint64_t presses_run = 0;
  double copies = 0;            ///< Commands in all packets.
  double bits = 0;              ///< The information in all packets, headers included.
  double byte_bits = 0;         ///< Their sizes in whole bytes.
  double fixed_three_bits = 0;  ///< Three per packet, from zero, with our coder.
  double packed_bits = 0;       ///< Three per packet, each field as many bits as its range needs.
  bool is_verified = false;     ///< Each command ran as it was sampled.
};

CommandStreamResult stream_inputs(const InputRecording& recording,
                                  const CommandStreamSettings& settings);
/// Counts the decisions of the packets of a recording, with anchors of several distances.
void count_decisions(const InputRecording& recording, double step_deg, CommandBitCounts& counts);

}  // namespace muster
