// What a client claims to have seen when its player acted, and how much of it the server believes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "registry/base/tick.h"
#include "runtime/sync/view_time.h"

namespace muster {

/// Bits of a claim's fraction: a target at 20 m/s is within a quarter of a millimetre between
/// snapshots at 20 Hz.
inline constexpr unsigned kClaimFractionBits = 12;

/// The view that a client has drawn when a command was made. Sent with each command.
struct ViewClaim {
  Tick newest;  ///< The newest snapshot that had arrived when it was drawn.
  Tick to;      ///< The states that were blended: `from` <= `to` <= `newest`.
  Tick from;
  std::uint16_t fraction = 0;  ///< From `from` to `to`, in 65536th; only the upper bits are used.

  /// As a number of ticks.
  double ticks() const { return view().ticks(); }
  ViewTime view() const { return {from, to, static_cast<float>(fraction) / 65536.0F}; }
};

/// A client's claim for a moment that it has drawn; the client hits what it sees there, too.
/// `newest` is the newest snapshot's tick, `from` and `to` those of the states around the moment.
ViewClaim make_claim(Tick newest, Tick from, Tick to, double shown_ticks);

/// Why the server went to another moment than the one that was claimed.
enum class ClaimVerdict : std::uint8_t {
  accepted,
  missing,     ///< No claim: the server takes the client's usual view.
  unreceived,  ///< `newest` contradicts what the server knows of this client's snapshots.
  ahead,       ///< Newer than the newest snapshot that the client had.
  behind,      ///< Older than this client's delays explain.
  too_old,     ///< Beyond `rewind_ticks_max`.
  off_course,  ///< More than a tick from where the client's own view must have moved to.
  wide,        ///< Accepted, but blended between states too far apart: nearer ones are taken.
};
inline constexpr std::size_t kClaimVerdicts = 8;
std::string_view to_string(ClaimVerdict verdict);

struct ViewClaimOptions {
  std::uint32_t rewind_ticks_max = 30;  ///< 500 ms at 60 ticks per second.
  std::uint32_t snapshot_ticks = 3;     ///< From one snapshot to the next.
  /// A claim may be this far from the course of the claims before it. Not less than 1: frames and
  /// ticks beat, so that an honest view steps by one now and then.
  double course_slack_ticks = 1;
  /// A client's view moves at 1 tick per tick, give or take this.
  double rate_max = 0.25;
  /// The view may lie this far behind what was needed to have a newer snapshot at all times. A
  /// client that keeps a tick in reserve needs 0.8 on a link without jitter.
  double delay_slack_ticks = 1.8;
  /// Added with growing jitter, up to this: rules for the delay differ there.
  double jitter_slack_ticks = 2;
  /// Observed lateness is forgotten at this rate: slower than any client shortens its delay.
  double forget_rate = 0.002;
  /// Large lateness is forgotten faster: a share of it per tick, one in this many.
  double forget_ticks = 900;
  /// A client may run this much faster than the server while it changes its lead.
  double lead_rate_max = 0.1;
  /// States farther apart are not blended.
  std::uint32_t blend_ticks_max = 15;
  /// After this long without a new snapshot, a client may set its view again.
  std::uint32_t outage_ticks = 15;
};

/// What the server knows of a command that it runs.
struct ClaimContext {
  std::uint32_t command = 0;  ///< The client's number of it: counts its ticks, may wrap.
  Tick now;                   ///< The tick that runs it.
  /// The newest snapshot that the client acknowledged before the packet with the command; 0 if
  /// unknown.
  Tick received_min;
  /// The newest that can have reached it: sent a round trip before the command arrived.
  Tick received_max;
};

struct CheckedView {
  ViewTime view;  ///< Where to go back to.
  ClaimVerdict verdict = ClaimVerdict::accepted;
  double shift_ticks = 0;  ///< From the claim to `view`.
};

/// Checks one client's claims, in the order in which its commands run. The rules:
///
/// 1. A view is not newer than the newest snapshot that the client had, which lies between those
///    that it acknowledged and those that can have reached it.
/// 2. The series of newest snapshots by command number shows when each arrived in the client's own
///    time, free of the way back. A view older than needed to never run out of them gains nothing
///    but old targets: it is refused beyond `delay_slack_ticks`.
/// 3. A view moves on as time does. A claim that leaves its course by more than
///    `course_slack_ticks` counts as that much; one that drifts is followed at `rate_max` within
///    the limits of rule 2, since a client may change its delay. After an outage, in which no
///    snapshot arrived, the course begins again.
///
/// A client that delays its acknowledgements or its display really plays with that delay. A pure
/// function of its calls; 100 bytes; allocates nothing.
class ViewClaims {
 public:
  explicit ViewClaims(const ViewClaimOptions& options = {}) : options_(options) {}

  /// Requires: a context whose `now` does not decrease. `claim` is null when the client sent none,
  /// or when its command is missing and repeated: the view moves on by a tick.
  CheckedView check(const ViewClaim* claim, const ClaimContext& context);

  /// Commands by verdict.
  std::uint64_t count(ClaimVerdict verdict) const {
    return counts_[static_cast<std::size_t>(verdict)];
  }
  /// The oldest and the newest view that the last command could have claimed.
  double oldest_ticks() const { return low_; }
  double newest_ticks() const { return high_; }

 private:
  void advance(std::uint32_t command);
  void note_newest(Tick newest);
  void follow(double used);
  CheckedView finish(double ticks, const ViewClaim* claim, ClaimVerdict verdict);

  ViewClaimOptions options_;
  std::array<std::uint64_t, kClaimVerdicts> counts_{};
  bool has_begun_ = false;
  bool has_course_ = false;
  std::uint32_t command_ = 0;
  double time_ = 0;  ///< The client's, in ticks, from its command numbers.
  double step_ = 0;  ///< The last command's part of it.
  Tick newest_;
  double best_ = 0;    ///< The newest snapshot, relative to the client's time, of the fastest way.
  double behind_ = 0;  ///< How far behind that the newest one fell, in the last while.
  // Without snapshots a view's clock goes on, or stops at the newest one: both are allowed, until
  // the first claim after that shows which it was.
  double course_ = 0;
  double stopped_course_ = 0;
  double low_ = 0;
  double high_ = 0;
};

}  // namespace muster
