// What a server may send in all, and each client's share of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "registry/base/clock.h"

namespace muster {

/// Shares a cap of bytes a second among members, as net/CONNECTION.md says: each has a credit, all
/// credits together are no more than may be sent, and who does not need his share leaves it to
/// those who do. Knows no clock. Allocates on construction only.
///
/// Each tick: send for every member while it has credit, and tell `spent`; then `refill`.
class SendCap {
 public:
  /// Requires: more than 0 bytes a second; infinity is no cap.
  SendCap(double bytes_per_second, std::size_t members_max, Time now);

  /// A member comes, with some credit when there is any to spare.
  void join(std::size_t member);
  /// It has gone; nothing when it never came.
  void leave(std::size_t member);
  /// A packet of a member went out. It may be larger than the credit: that is paid for first.
  void spent(std::size_t member, std::size_t bytes);
  /// Hands out what came since the last time, once everything of a tick was sent. Returns how many
  /// had used up their credit. Its work grows with `members_max`.
  std::size_t refill(Time now);

  /// Bytes that a member may send before the next refill; below zero what it owes.
  std::int64_t credit(std::size_t member) const {
    return static_cast<std::int64_t>(members_[member].credit);
  }
  /// Whether so much is owed that nothing may go out even if it ought to at once.
  bool is_used_up() const;

 private:
  struct Member {
    bool is_here = false;
    double credit = 0;
    Time needy_until{};  ///< It used up its credit not long ago.
  };

  double saved_max() const;
  double base_credit() const;
  void hand_out(double most, Time needy_at);

  double bytes_per_second_;
  std::vector<Member> members_;
  std::size_t member_count_ = 0;
  double left_ = 0;   ///< Bytes that may go out now.
  double spare_ = 0;  ///< Of them, those that are in nobody's credit.
  Time filled_at_;
};

}  // namespace muster
