// The clock of a client's predicted ticks. The clock runs ahead of the server, so that commands
// arrive in time.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>

#include "registry/base/clock.h"
#include "registry/base/tick.h"
#include "runtime/sync/command_clock.h"
#include "runtime/sync/delay_estimate.h"
#include "runtime/sync/playback_clock.h"

namespace muster {

/// The trade-off between a short lead and few ticks without a command.
enum class LeadWeight : std::uint8_t {
  quick,     ///< Compared with `balanced`: 10 ms less lead, and 20 % more ticks without a command.
  balanced,  ///< The default.
};

/// The clock of predicted time. Each tick has one command, whose number is the tick.
/// The lead is the time by which the clock is ahead of the server. The clock computes the lead from
/// the server's reports of how early commands arrive. The clock changes its lead by running at 0.9
/// to 1.1 times real time. The clock jumps only if it is more than 150 ms too late or 500 ms too
/// early.
///
/// A report is compared with the lead at the moment when the command was sent, not with the present
/// lead. The clock therefore does not repeat a correction that it made after sending the command.
/// The delays of the two directions need not be equal.
///
/// In each frame, call `note` for each report that arrived, and then `due`. Times must not
/// decrease. The state depends only on the calls and their arguments. Nothing is allocated after
/// construction. Only one thread at a time may use this object.
class ClockServo final : public CommandClock {
 public:
  static constexpr Duration kFrameMax = std::chrono::milliseconds(200);

  /// Requires: 1 to 1,000 ticks per second.
  explicit ClockServo(std::uint32_t ticks_per_second, LeadWeight weight = LeadWeight::balanced);

  void begin(const ServerTime& server, Time now) override;
  bool has_begun() const { return has_begun_; }
  void note_server(const ServerTime& /*server*/, Time /*now*/) override {}
  void note(const CommandArrival& arrival, Time now) override;

  /// If a frame is longer than `kFrameMax`, only the ticks in its last `kFrameMax` are due. The
  /// earlier ticks of the frame are skipped and counted.
  std::uint32_t due(Time now) override;
  Tick tick() const override { return issued_; }
  float fraction() const override;
  /// The time between the last call of `due` and the next tick, if the speed does not change.
  Duration to_next() const;

  /// The predicted time minus the time that was passed to `due`, in milliseconds. The time of `due`
  /// is measured from the first call of `due`. The difference changes only when the clock corrects
  /// an error.
  double offset_ms() const { return offset_ms_; }
  std::uint64_t skipped() const { return skipped_; }
  std::uint64_t reseats() const override { return clock_.reseats(); }

 private:
  /// The number of sent commands that are kept. At 60 ticks per second, these are the commands of
  /// half a minute. A packet that waits during an outage can be half a minute old.
  static constexpr std::uint32_t kSent = 2048;
  static_assert(std::has_single_bit(kSent), "numbers wrap");
  struct Sent {
    Tick tick{};  ///< `Tick()` if the entry is unused.
    /// The time from the sending of the command to its tick, minus a constant.
    double lead_ms = 0;
  };
  double to_ms(Time now) const;
  void note_frame(double now_ms);

  double tick_ms_;
  std::uint32_t ticks_per_frame_max_;
  bool has_begun_ = false;
  Time origin_{};
  double offset_ms_ = 0;
  double last_frame_ms_ = 0;
  double frame_ms_ = 0;            ///< The smoothed length of a frame.
  double frame_deviation_ms_ = 0;  ///< The smoothed difference of frame lengths from `frame_ms_`.
  Tick issued_;
  std::uint64_t skipped_ = 0;
  std::array<Sent, kSent> sent_{};
  DelayEstimate estimate_;
  PlaybackClock clock_;
};

}  // namespace muster
