// The clock of a client's own ticks. It runs ahead of the server, so that commands arrive in time.
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
  quick,     ///< 10 ms less lead, and a fifth more ticks without a command.
  balanced,  ///< The default.
};

/// The clock of predicted time. Each of its ticks has one command, stamped with the tick's number.
/// The server reports how early commands arrive. From that the clock computes its lead: how far
/// ahead of the server it has to run. It changes its lead by running at 0.9 to 1.1 times real time.
/// It jumps only if it is more than 150 ms too late or 500 ms too early.
///
/// A report is compared with the lead that the clock had when the command was sent, not with its
/// present lead. So corrections that the server has not seen yet are included. The delays of the
/// two directions need not be equal.
///
/// Per frame: `note` for each report that arrived, then `due`. A function of the arguments of its
/// calls; no allocation after construction; one thread at a time. Times must not decrease.
class ClockServo final : public CommandClock {
 public:
  static constexpr Duration kFrameMax = std::chrono::milliseconds(200);

  /// Requires: 1 to 1,000 ticks per second.
  explicit ClockServo(std::uint32_t ticks_per_second, LeadWeight weight = LeadWeight::balanced);

  void begin(const ServerTime& server, Time now) override;
  bool has_begun() const { return has_begun_; }
  void note_server(const ServerTime& /*server*/, Time /*now*/) override {}
  void note(const CommandArrival& arrival, Time now) override;

  /// In a frame that is longer than `kFrameMax`, only the last ticks are due, as many as in a frame
  /// of `kFrameMax`. The ticks before are skipped and counted.
  std::uint32_t due(Time now) override;
  Tick tick() const override { return Tick(issued_); }
  float fraction() const override;
  /// The time from the last `due` until the next tick is due, if the speed does not change.
  Duration to_next() const;

  /// Predicted time minus the time of `due`, relative to the first call. It changes only by
  /// corrections.
  double offset_ms() const { return offset_ms_; }
  std::uint64_t skipped() const { return skipped_; }
  std::uint64_t reseats() const override { return clock_.reseats(); }

 private:
  /// The number of sent commands that are kept. At 60 ticks per second that is half a minute,
  /// because packets that queue up during an outage can be that old.
  static constexpr std::uint32_t kSent = 2048;
  static_assert(std::has_single_bit(kSent), "numbers wrap");
  struct Sent {
    std::uint32_t tick = 0;  ///< 0 is none.
    double lead_ms = 0;      ///< From sending the command until its tick, minus a constant.
  };
  double to_ms(Time now) const;
  void note_frame(double now_ms);

  double tick_ms_;
  std::uint32_t ticks_per_frame_max_;
  bool has_begun_ = false;
  Time origin_{};
  double offset_ms_ = 0;
  double last_frame_ms_ = 0;
  double frame_ms_ = 0;            ///< The length of a frame, smoothed.
  double frame_deviation_ms_ = 0;  ///< How much frames differ from `frame_ms_`.
  std::uint32_t issued_ = 0;
  std::uint64_t skipped_ = 0;
  std::array<Sent, kSent> sent_{};
  DelayEstimate estimate_;
  PlaybackClock clock_;
};

}  // namespace muster
