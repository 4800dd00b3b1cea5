// The cap is a token bucket. Its tokens are distributed to the members in advance. A member cannot
// use another member's credit, so all bytes that a game may queue are sent in the same tick. The
// shares are max-min fair without an estimate of demand. All members whose credit is not full get
// equal shares, and the credit of a member that uses little stays full.
#include "net/endpoint/send_cap.h"

#include <algorithm>
#include <cassert>

#include "net/transport/connection.h"

namespace muster {

namespace {

/// The spare credit that is kept for needy members: the bytes that the cap allows in this time. The
/// time is one tick of 20 Hz, in seconds.
constexpr double kSaved = 0.05;
/// The minimum of a full credit, in bytes: a small packet.
constexpr double kSmallPacket = 300;
/// The credit in bytes below which a credit counts as used up.
constexpr auto kUsedUp = static_cast<double>(kAllowedMin);
/// A member that used up its credit counts as needy for this long: two ticks of 20 Hz.
constexpr Duration kNeedy = std::chrono::milliseconds(100);
/// A higher cap is reduced to this value, so that the arithmetic works with infinity.
constexpr double kPerSecondMax = 1e12;
/// The maximum number of rounds of a distribution. Several rounds are needed, because a credit that
/// becomes full leaves bytes for other members. After the last round, the remaining bytes stay in
/// `spare_`.
constexpr int kRoundsMax = 8;

}  // namespace

SendCap::SendCap(double bytes_per_second, std::size_t members_max, Time now)
    : bytes_per_second_(std::min(bytes_per_second, kPerSecondMax)),
      members_(members_max),
      filled_at_(now) {
  assert(bytes_per_second > 0);
  left_ = spare_ = kSaved * bytes_per_second_;
}

/// The maximum of `left_`: the sum of all full credits, plus the bytes of the time `kSaved`.
double SendCap::saved_max() const {
  return kSaved * bytes_per_second_ +
         static_cast<double>(std::max<std::size_t>(member_count_, 1)) * base_credit();
}

/// Returns true when `left_` is at or below its minimum: the negative of its maximum, minus one
/// packet per member. A member with any credit may send a whole packet. Even if all members do so,
/// `left_` stays above the minimum, so acknowledgements can be sent.
bool SendCap::is_used_up() const {
  return left_ <= -saved_max() - static_cast<double>(member_count_ * kDatagramBytesMax);
}

double SendCap::base_credit() const {
  const auto count = static_cast<double>(std::max<std::size_t>(member_count_, 1));
  return std::max(kSmallPacket, kSaved * bytes_per_second_ / count);
}

void SendCap::join(std::size_t member) {
  assert(!members_[member].is_here);
  ++member_count_;
  const double credit = std::clamp(spare_, 0.0, base_credit());
  members_[member] = {.is_here = true, .credit = credit};
  spare_ -= credit;
}

void SendCap::leave(std::size_t member) {
  if (!members_[member].is_here) return;
  --member_count_;
  spare_ += members_[member].credit;
  members_[member] = {};
}

void SendCap::spent(std::size_t member, std::size_t bytes) {
  assert(members_[member].is_here);
  members_[member].credit -= static_cast<double>(bytes);
  left_ -= static_cast<double>(bytes);
}

std::size_t SendCap::refill(Time now) {
  const double came = bytes_per_second_ * std::chrono::duration<double>(now - filled_at_).count();
  filled_at_ = now;
  const double kept = std::min(came, saved_max() - left_);
  left_ += kept;
  spare_ += kept;
  const double base = base_credit();
  std::size_t used_up = 0;
  for (Member& member : members_) {
    if (!member.is_here) continue;
    if (member.credit < kUsedUp) {
      member.needy_until = now + kNeedy;
      ++used_up;
    } else if (member.needy_until <= now && member.credit > base) {
      // The member saved up credit and did not use this credit.
      spare_ += member.credit - base;
      member.credit = base;
    }
  }
  hand_out(base, Time::min());
  hand_out(base + kSaved * bytes_per_second_, now);
  return used_up;
}

/// Distributes `spare_` in equal shares to all members with `needy_until > needy_at` and less
/// credit than `maximum`.
void SendCap::hand_out(double maximum, Time needy_at) {
  const auto is_due = [&](const Member& member) {
    return member.is_here && member.needy_until > needy_at && member.credit < maximum;
  };
  for (int i = 0; i < kRoundsMax && spare_ >= 1; ++i) {
    const auto count = std::ranges::count_if(members_, is_due);
    if (count == 0) return;
    const double share = spare_ / static_cast<double>(count);
    for (Member& member : members_) {
      if (!is_due(member)) continue;
      const double given = std::min(share, maximum - member.credit);
      member.credit += given;
      spare_ -= given;
    }
  }
}

}  // namespace muster
