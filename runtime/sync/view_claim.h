// The view that a client claims to have drawn when its player acted, and the server's check of the
// claim.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "registry/base/tick.h"
#include "runtime/sync/command_number.h"
#include "runtime/sync/view_time.h"

namespace muster {

/// The number of bits in a claim's fraction. For example, with snapshots at 20 Hz, the error for a
/// target that moves at 20 m/s is at most 0.25 mm.
inline constexpr unsigned kClaimFractionBits = 12;

/// The last view that a client had drawn when a command was made. The client sends a claim with
/// each command.
struct ViewClaim {
  Tick newest;  ///< The newest snapshot that had arrived when the view was drawn.
  Tick to;      ///< The view blends the states `from` and `to`: `from` <= `to` <= `newest`.
  Tick from;
  /// The share of the time from `from` to `to` that has passed at the moment, in 1/65536. Only the
  /// upper `kClaimFractionBits` bits are used.
  std::uint16_t fraction = 0;

  /// The moment as a number of ticks.
  double ticks() const { return view().ticks(); }
  ViewTime view() const { return {from, to, static_cast<float>(fraction) / 65536.0F}; }
};

/// Returns the claim for a moment that a client has drawn. The client's own hit tests also use the
/// moment of the claim. `newest` is the newest snapshot's tick. `from` and `to` are the ticks of
/// the states around the moment.
ViewClaim make_claim(Tick newest, Tick from, Tick to, double shown_ticks);

/// The result of checking a claim. With `accepted`, the server rewinds to the claimed view. With
/// any other result, the server rewinds to another view.
enum class ClaimVerdict : std::uint8_t {
  accepted,
  missing,     ///< The claim is missing. The server uses the client's expected view.
  unreceived,  ///< `newest` cannot be the newest snapshot that the client had.
  ahead,       ///< The view is newer than the newest snapshot that the client had.
  behind,      ///< The view is older than this client's delays explain.
  too_old,     ///< The view is older than `rewind_ticks_max`.
  /// The view is more than `course_slack_ticks` away from the view that follows from earlier
  /// claims.
  off_course,
  /// The moment is accepted, but its states are too far apart. The server blends nearer states.
  wide,
};
inline constexpr std::size_t kClaimVerdicts = 8;
std::string_view to_string(ClaimVerdict verdict);

struct ViewClaimOptions {
  /// The maximum age of a view. 30 ticks are 500 ms at 60 ticks per second.
  std::uint32_t rewind_ticks_max = 30;
  std::uint32_t snapshot_ticks = 3;  ///< The interval between two snapshots, in ticks.
  /// The maximum distance of a claim from the view that follows from earlier claims. At least 1,
  /// because frames and ticks have different rates: a correct view sometimes advances by one tick
  /// more or less.
  double course_slack_ticks = 1;
  /// The maximum difference between a view's speed and 1 tick per tick.
  double rate_max = 0.25;
  /// The maximum difference, in ticks, between a client's delay and the minimum delay with which
  /// the client never waits for a snapshot. For example, on a link without jitter, the difference
  /// is 0.8 for a client with a reserve of one tick.
  double delay_slack_ticks = 1.8;
  /// Jitter adds at most this number of ticks to `delay_slack_ticks`. Different clients choose
  /// different delays for the same jitter.
  double jitter_slack_ticks = 2;
  /// The server reduces the observed lateness by this number of ticks per tick. This is slower than
  /// the decrease of a client's delay.
  double forget_rate = 0.002;
  /// A large lateness is reduced faster: in each tick by the lateness divided by `forget_ticks`.
  double forget_ticks = 900;
  /// The share by which a client may run faster than the server while the client changes its lead.
  double lead_rate_max = 0.1;
  /// The maximum distance of two states that are blended, in ticks.
  std::uint32_t blend_ticks_max = 15;
  /// After this many ticks without a new snapshot, a client may choose a new view.
  std::uint32_t outage_ticks = 15;
};

/// The server's information about a command that it runs.
struct ClaimContext {
  /// The command's number, which increases by 1 per tick of the client; wraps.
  CommandNumber command{};
  Tick now;  ///< The tick that runs the command.
  /// The newest snapshot that the client had acknowledged before the packet with the command; 0 if
  /// unknown.
  Tick received_min;
  /// The newest snapshot that can have reached the client before the client sent the command. The
  /// server sent this snapshot one round trip before the command arrived.
  Tick received_max;
};

struct CheckedView {
  ViewTime view;  ///< The view to rewind to.
  ClaimVerdict verdict = ClaimVerdict::accepted;
  double shift_ticks = 0;  ///< The difference from the claimed moment to the moment of `view`.
};

/// Checks one client's claims, in the order in which the client's commands run. There are three
/// rules.
///
/// Rule 1: A view is not newer than the newest snapshot that the client had. That snapshot is not
/// older than the newest acknowledged snapshot, and not newer than `ClaimContext::received_max`.
///
/// Rule 2: A view is at most `delay_slack_ticks` older than the client's delays explain. Each claim
/// names the newest snapshot, so the server knows when each snapshot arrived, in the client's time.
/// From these arrivals the server computes the minimum delay with which the client never waits for
/// a snapshot. A larger delay would only help to shoot at old targets.
///
/// Rule 3: A view advances with time. The server predicts each claim from the earlier claims. A
/// claim that differs by more than `course_slack_ticks` from the prediction is limited to this
/// difference. A client may change its delay, so the prediction follows claims that drift by at
/// most `rate_max`, within the limits of rule 2. After an outage without snapshots, the prediction
/// begins again.
///
/// A client that delays its acknowledgements or its display gains nothing, because it really plays
/// with that delay. The state is a pure function of the calls. Allocates nothing.
class ViewClaims {
 public:
  explicit ViewClaims(const ViewClaimOptions& options = {}) : options_(options) {}

  /// Checks the claim of a command that runs. `claim` is null if the client sent no claim, or if
  /// the command is missing and the last command runs again. Without a claim, the view advances by
  /// one tick. Requires: `context.now` does not decrease.
  CheckedView check(const ViewClaim* claim, const ClaimContext& context);

  /// The number of commands with this verdict.
  std::uint64_t count(ClaimVerdict verdict) const {
    return counts_[static_cast<std::size_t>(verdict)];
  }
  /// The oldest and the newest view that the last command could have claimed, in ticks.
  double oldest_ticks() const { return low_; }
  double newest_ticks() const { return high_; }

 private:
  void advance(CommandNumber command);
  void note_newest(Tick newest);
  void follow(double used);
  CheckedView finish(double ticks, const ViewClaim* claim, ClaimVerdict verdict);

  ViewClaimOptions options_;
  std::array<std::uint64_t, kClaimVerdicts> counts_{};
  bool has_begun_ = false;
  bool has_course_ = false;
  CommandNumber command_;
  double time_ = 0;  ///< The client's time in ticks, computed from its command numbers.
  double step_ = 0;  ///< The number of ticks by which the last command advanced `time_`.
  Tick newest_;
  /// The newest snapshot's tick minus `time_`: the maximum over the last ticks. The maximum belongs
  /// to the snapshot with the shortest delay.
  double best_ = 0;
  /// The recent lateness of the newest snapshot relative to `best_`, in ticks.
  double behind_ = 0;
  // The expected view. Without new snapshots, a client's view may advance (`course_`) or stop at
  // the newest snapshot (`stopped_course_`). Both views are allowed until the next claim.
  double course_ = 0;
  double stopped_course_ = 0;
  double low_ = 0;
  double high_ = 0;
};

}  // namespace muster
