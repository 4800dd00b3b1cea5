// The sending cap of a server, and each client's share of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "registry/base/clock.h"

namespace muster {

/// Shares a cap in bytes per second among members, as net/CONNECTION.md describes. Each member has
/// a credit; all credits together never exceed the cap. A member that needs less than its share
/// leaves the rest to the others. Has no clock. Allocates on construction only.
///
/// Each tick: send for every member while it has credit, and report it with `spent`; then call
/// `refill`.
class SendCap {
 public:
  /// Requires: more than 0 bytes per second; infinity means no cap.
  SendCap(double bytes_per_second, std::size_t members_max, Time now);

  /// Adds a member. It gets some credit at once if there is spare credit.
  void join(std::size_t member);
  /// Removes a member; does nothing if it never joined.
  void leave(std::size_t member);
  /// Records a sent packet. It may be larger than the credit; then the member's next shares pay for
  /// the rest first.
  void spent(std::size_t member, std::size_t bytes);
  /// Distributes the bytes earned since the last call. Call it after everything of a tick was sent.
  /// Returns the number of members that had used up their credit. The time is linear in
  /// `members_max`.
  std::size_t refill(Time now);

  /// Bytes that a member may send before the next refill; negative if it has sent too much.
  std::int64_t credit(std::size_t member) const {
    return static_cast<std::int64_t>(members_[member].credit);
  }
  /// True when the members exceeded the cap by so much that even urgent packets must wait.
  bool is_used_up() const;

 private:
  struct Member {
    bool is_here = false;
    double credit = 0;
    Time needy_until{};  ///< Until this time it counts as a member that used up its credit.
  };

  double saved_max() const;
  double base_credit() const;
  void hand_out(double maximum, Time needy_at);

  double bytes_per_second_;
  std::vector<Member> members_;
  std::size_t member_count_ = 0;
  double left_ = 0;   ///< Bytes that may be sent now.
  double spare_ = 0;  ///< The part of `left_` that is in no member's credit.
  Time filled_at_;
};

}  // namespace muster
