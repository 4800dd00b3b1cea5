// The sending cap of a server, and each client's share of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "registry/base/clock.h"

namespace muster {

/// Shares a cap in bytes per second among members, as net/CONNECTION.md describes. Each member has
/// a credit in bytes. The sum of all credits follows the cap. Bytes that a member does not use are
/// distributed to other members. Allocates on construction only.
///
/// In each tick, send for every member while it has credit, and report each packet with `spent`.
/// Then call `refill`.
class SendCap {
 public:
  /// Requires: `bytes_per_second` is more than 0. Infinity means no cap.
  SendCap(double bytes_per_second, std::size_t members_max, Time now);

  /// Adds a member, which gets some of the spare credit.
  void join(std::size_t member);
  /// Removes a member. Does nothing if the member never joined.
  void leave(std::size_t member);
  /// Records a sent packet. If the packet is larger than the credit, the credit becomes negative.
  void spent(std::size_t member, std::size_t bytes);
  /// Distributes the bytes that the cap has allowed since the last call. Call this function after
  /// all packets of a tick were sent. Returns the number of members that had used up their credit.
  /// Takes time linear in `members_max`.
  std::size_t refill(Time now);

  /// The bytes that a member may send before the next refill; negative if the member has sent more
  /// than its credit.
  std::int64_t credit(std::size_t member) const {
    return static_cast<std::int64_t>(members_[member].credit);
  }
  /// True when the members exceeded the cap by so much that even urgent packets must wait.
  bool is_used_up() const;

 private:
  struct Member {
    bool is_here = false;
    double credit = 0;
    /// Until this time, the member counts as a member that used up its credit.
    Time needy_until{};
  };

  double saved_max() const;
  double base_credit() const;
  void hand_out(double maximum, Time needy_at);

  double bytes_per_second_;
  std::vector<Member> members_;
  std::size_t member_count_ = 0;
  double left_ = 0;   ///< The bytes that all members together may send now.
  double spare_ = 0;  ///< The part of `left_` that no member's credit contains.
  Time filled_at_;
};

}  // namespace muster
