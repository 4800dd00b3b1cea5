// The view that a client claims to have drawn when its player acted, and the server's check of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "registry/base/tick.h"
#include "runtime/sync/view_time.h"

namespace muster {

/// Bits of a claim's fraction. With snapshots at 20 Hz, the error for a target that moves at 20 m/s
/// is at most a quarter of a millimetre.
inline constexpr unsigned kClaimFractionBits = 12;

/// The last view that a client had drawn when a command was made. Sent with each command.
struct ViewClaim {
  Tick newest;  ///< The newest snapshot that had arrived when the view was drawn.
  Tick to;      ///< The view blends the states `from` and `to`: `from` <= `to` <= `newest`.
  Tick from;
  std::uint16_t fraction = 0;  ///< The way from `from` to `to`, in 1/65536. Only the upper
                               ///< `kClaimFractionBits` bits are used.

  /// The moment as a number of ticks.
  double ticks() const { return view().ticks(); }
  ViewTime view() const { return {from, to, static_cast<float>(fraction) / 65536.0F}; }
};

/// The claim for a moment that a client has drawn. The client's own hit tests use the claim's
/// moment too. `newest` is the newest snapshot's tick; `from` and `to` are the ticks of the states
/// around the moment.
ViewClaim make_claim(Tick newest, Tick from, Tick to, double shown_ticks);

/// The result of checking a claim. Except for `accepted`, the server rewinds to another view than
/// the claimed one, for the given reason.
enum class ClaimVerdict : std::uint8_t {
  accepted,
  missing,     ///< No claim: the server uses the client's expected view.
  unreceived,  ///< `newest` cannot be the newest snapshot that the client had.
  ahead,       ///< The view is newer than the newest snapshot that the client had.
  behind,      ///< The view is older than this client's delays explain.
  too_old,     ///< The view is older than `rewind_ticks_max`.
  off_course,  ///< More than `course_slack_ticks` from the view that follows from earlier claims.
  wide,  ///< The moment is accepted, but its states are too far apart. Nearer states are blended.
};
inline constexpr std::size_t kClaimVerdicts = 8;
std::string_view to_string(ClaimVerdict verdict);

struct ViewClaimOptions {
  std::uint32_t rewind_ticks_max = 30;  ///< 500 ms at 60 ticks per second.
  std::uint32_t snapshot_ticks = 3;     ///< Ticks from one snapshot to the next.
  /// How far a claim may be from the view that follows from earlier claims. At least 1: frames and
  /// ticks have different rates, so an honest view sometimes steps by one tick more or less.
  double course_slack_ticks = 1;
  /// A client's view moves at 1 tick per tick, plus or minus this.
  double rate_max = 0.25;
  /// How far a view may be behind the newest view with which the client would never have waited for
  /// a snapshot. On a link without jitter, a client that keeps a reserve of one tick needs 0.8.
  double delay_slack_ticks = 1.8;
  /// The maximum that jitter adds to `delay_slack_ticks`. Clients differ in the delay that they
  /// choose for a given jitter.
  double jitter_slack_ticks = 2;
  /// Observed lateness decreases by this many ticks per tick. That is slower than any client
  /// shortens its delay.
  double forget_rate = 0.002;
  /// Large lateness decreases faster: by this fraction of it, 1 / `forget_ticks`, per tick.
  double forget_ticks = 900;
  /// A client may run faster than the server by this share while it changes its lead.
  double lead_rate_max = 0.1;
  /// States that are farther apart than this are not blended.
  std::uint32_t blend_ticks_max = 15;
  /// After this many ticks without a new snapshot, a client may choose a new view.
  std::uint32_t outage_ticks = 15;
};

/// The server's information about a command that it runs.
struct ClaimContext {
  std::uint32_t command = 0;  ///< The command's number, which counts the client's ticks; wraps.
  Tick now;                   ///< The tick that runs it.
  /// The newest snapshot that the client acknowledged before the packet with the command; 0 if
  /// unknown.
  Tick received_min;
  /// The newest snapshot that can have reached the client before it sent the command: the one that
  /// was sent a round trip before the command arrived.
  Tick received_max;
};

struct CheckedView {
  ViewTime view;  ///< The view to rewind to.
  ClaimVerdict verdict = ClaimVerdict::accepted;
  double shift_ticks = 0;  ///< From the claim to `view`.
};

/// Checks one client's claims, in the order in which its commands run. The rules:
///
/// 1. A view is not newer than the newest snapshot that the client had. That snapshot is not older
/// than the newest acknowledged one, and not newer than the newest one that can have reached the
/// client. 2. Each command names the newest snapshot, so the server knows when each snapshot
/// arrived in the client's own time, without the delay of the way back. From that follows the delay
/// with which the client never has to wait for a snapshot. A larger delay has no use but to aim at
/// old targets, so a view is limited to `delay_slack_ticks` beyond it. 3. A view advances with
/// time: the claims before it predict the next claim. A claim that differs by more than
/// `course_slack_ticks` from that is limited to this difference. The prediction follows claims that
/// drift at `rate_max`, within the limits of rule 2, because a client may change its delay. After
/// an outage without snapshots, the prediction begins again.
///
/// A client that delays its acknowledgements or its display gains nothing, because it really plays
/// with that delay. The state is a pure function of the calls. Allocates nothing.
class ViewClaims {
 public:
  explicit ViewClaims(const ViewClaimOptions& options = {}) : options_(options) {}

  /// Checks the claim of a command that runs. `claim` is null if the client sent none, or if the
  /// command is missing and the last one runs again; then the view advances by a tick. Requires:
  /// `context.now` does not decrease.
  CheckedView check(const ViewClaim* claim, const ClaimContext& context);

  /// How many commands had this verdict.
  std::uint64_t count(ClaimVerdict verdict) const {
    return counts_[static_cast<std::size_t>(verdict)];
  }
  /// The oldest and the newest view that the last command could have claimed, in ticks.
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
  double time_ = 0;  ///< The client's time in ticks, from its command numbers.
  double step_ = 0;  ///< By how much the last command advanced `time_`.
  Tick newest_;
  /// The newest snapshot's tick less the client's time, at the fastest recent arrival.
  double best_ = 0;
  /// How far the newest snapshot recently fell behind `best_`, in ticks.
  double behind_ = 0;
  // The expected view. Without new snapshots, a client's view may advance (`course_`) or stop at
  // the newest snapshot (`stopped_course_`). Both are allowed until the next claim shows which it
  // did.
  double course_ = 0;
  double stopped_course_ = 0;
  double low_ = 0;
  double high_ = 0;
};

}  // namespace muster
