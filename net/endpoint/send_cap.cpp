// A token bucket whose tokens are handed out before they are used: what is somebody's credit nobody
// else can take, so what a game is told of goes out in the same tick. Max-min fairness needs no
// guess of who wants how much: equal shares go to all whose credit is not full, and who takes
// little has it full. Handing out rates by what was used of late was slower to follow, and whoever
// found the one bucket empty waited for its turn among all.
#include "net/endpoint/send_cap.h"

#include <algorithm>
#include <cassert>

#include "net/transport/connection.h"

namespace muster {

namespace {

/// So much of the cap is saved up for those who want more, and as much in credits: a tick of 20 Hz.
constexpr double kSaved = 0.05;
/// A credit may always grow to a small packet.
constexpr double kSmallPacket = 300;
/// With less left a credit is used up.
constexpr auto kUsedUp = static_cast<double>(kAllowedLeast);
/// Who used up its credit is taken to want more for so long: two ticks of 20 Hz.
constexpr Duration kNeedy = std::chrono::milliseconds(100);
/// More is as good as no cap, and can be counted: whoever wants none may say infinity.
constexpr double kMostPerSecond = 1e12;
/// Equal shares are handed out so often in a tick, as credits become full. What is then left waits
/// for the next one.
constexpr int kRoundsMax = 8;

}  // namespace

SendCap::SendCap(double bytes_per_second, std::size_t members_max, Time now)
    : bytes_per_second_(std::min(bytes_per_second, kMostPerSecond)),
      members_(members_max),
      filled_at_(now) {
  assert(bytes_per_second > 0);
  left_ = spare_ = kSaved * bytes_per_second_;
}

/// Of which nothing is owed and everything full.
double SendCap::saved_max() const {
  return kSaved * bytes_per_second_ +
         static_cast<double>(std::max<std::size_t>(member_count_, 1)) * base_credit();
}

/// As much as it may save up, and a packet of each member more: who has any credit may send a whole
/// one, and all of them at once leave their acknowledgements something.
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
      // It was saved up for somebody who did not want it after all.
      spare_ += member.credit - base;
      member.credit = base;
    }
  }
  hand_out(base, Time::min());
  hand_out(base + kSaved * bytes_per_second_, now);
  return used_up;
}

/// Equal shares to all who are needy at this time and whose credit is below the most.
void SendCap::hand_out(double most, Time needy_at) {
  const auto is_due = [&](const Member& member) {
    return member.is_here && member.needy_until > needy_at && member.credit < most;
  };
  for (int i = 0; i < kRoundsMax && spare_ >= 1; ++i) {
    const auto count = std::ranges::count_if(members_, is_due);
    if (count == 0) return;
    const double share = spare_ / static_cast<double>(count);
    for (Member& member : members_) {
      if (!is_due(member)) continue;
      const double given = std::min(share, most - member.credit);
      member.credit += given;
      spare_ -= given;
    }
  }
}

}  // namespace muster
