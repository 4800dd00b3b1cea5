// Most packets are chained: their first command is coded relative to the previous command. The
// server has the previous command unless all packets with that command were lost. Every fourth
// packet has an anchor instead, and so does each packet while reports are overdue. An anchor is a
// command that the server has acknowledged. A packet with an anchor can be decoded even if all
// other packets are lost. Only every fourth command can be an anchor, because coding an exact
// distance costs more bits than it saves. The bytes are described in SESSION_FORMAT.md, "Commands".
#include "runtime/sync/command_sender.h"

#include <algorithm>
#include <cassert>

#include "runtime/sync/received_history.h"

namespace muster {
namespace {

using namespace command_numbers;

/// The size of the buffer per lane, in bytes. The widest lanes need 9 bytes and a few decisions.
constexpr std::size_t kLaneBytesMax = 12;

/// Whether reports are overdue, because several packets or reports in a row were lost.
bool is_overdue(double round_trip_ticks, std::uint32_t unacknowledged) {
  constexpr double kOverdueTicks = 8;
  return static_cast<double>(unacknowledged) > round_trip_ticks + kOverdueTicks;
}

}  // namespace

std::uint32_t commands_per_packet(double loss, double round_trip_ticks,
                                  std::uint32_t unacknowledged) {
  constexpr double kLostMax = 1e-3;
  // The loss is measured over only a few seconds. Even if the measured loss is 0, one packet in 200
  // may be lost.
  constexpr double kLossShareMore = 1.2;
  constexpr double kLossMore = 0.005;
  if (is_overdue(round_trip_ticks, unacknowledged)) {
    return std::clamp(unacknowledged, 1U, kCommandsPerPacketMax);
  }
  std::uint32_t count = 1;
  const double each = std::clamp(loss * kLossShareMore + kLossMore, 0.0, 0.9);
  double lost = each;
  while (lost > kLostMax && count < kCommandsPerPacketMax) {
    lost *= each;
    ++count;
  }
  return std::clamp(count, 1U, std::max(unacknowledged, 1U));
}

CommandSender::CommandSender(std::vector<CommandLane> lanes)
    : lanes_(std::move(lanes)), kept_(kKept) {
  for (const CommandLane& lane : lanes_) defaults_.push_back(lane.zero);
  for (Kept& one : kept_) one.values.resize(lanes_.size());
  lost_.reserve(kKept);
  buffer_.resize(16 + kCommandsPerPacketMax * (4 + kLaneBytesMax * lanes_.size()));
}

void CommandSender::push(CommandNumber number, std::span<const std::int64_t> values) {
  assert(!number.is_none() && values.size() == lanes_.size());
  CommandNumber next = newest_.next();
  if (next.is_none()) next = next.next();
  if (newest_.is_none() || command_steps(newest_, number) <= 0) {
    for (Kept& one : kept_) one.number = {};
    unsettled_ = number;
    acknowledged_ = {};
  }
  if (newest_.is_none() || number != next) oldest_ = number;
  newest_ = number;
  if (command_steps(unsettled_, newest_) >= static_cast<std::int32_t>(kKept)) {
    unsettled_ = newest_ - (kKept - 1);
  }
  Kept& one = kept(number);
  one.number = number;
  one.is_acknowledged = false;
  one.is_settled = false;
  std::ranges::copy(values, one.values.begin());
}

std::uint32_t CommandSender::unacknowledged() const {
  if (newest_.is_none()) return 0;
  const bool has_none = acknowledged_.is_none();
  const CommandNumber known = has_none ? oldest_.previous() : acknowledged_;
  return static_cast<std::uint32_t>(command_steps(known, newest_));
}

void CommandSender::acknowledge(CommandNumber number) {
  Kept& one = kept(number);
  if (number.is_none() || one.number != number) return;
  one.is_acknowledged = true;
  one.is_settled = true;
  if (acknowledged_.is_none() || command_steps(acknowledged_, number) > 0) acknowledged_ = number;
}

void CommandSender::settle(CommandNumber number, bool is_received, CommandNumber newest) {
  if (is_received) return acknowledge(number);
  if (command_steps(number, newest) <= static_cast<std::int32_t>(CommandReport::kSettledTicks))
    return;
  lose(number);
}

void CommandSender::lose(CommandNumber number) {
  Kept& one = kept(number);
  if (number.is_none() || one.number != number || one.is_settled) return;
  one.is_settled = true;
  lost_.push_back(number);
}

std::uint32_t CommandSender::receive(const CommandReport& report) {
  lost_.clear();
  if (newest_.is_none()) return 0;
  if (!report.newest.is_none()) {
    if (command_steps(report.newest, newest_) < 0) return 0;
    read_received(report);
  }
  lose_late(report);
  loss_ = static_cast<double>(report.loss);
  return static_cast<std::uint32_t>(lost_.size());
}

void CommandSender::read_received(const CommandReport& report) {
  const CommandNumber newest = report.newest;
  acknowledge(newest);
  for (std::uint32_t i = 0; i < 64; ++i) {
    settle(newest - (1 + i), ((report.received >> i) & 1U) != 0, newest);
  }
  // Reads the blocks, beginning with the oldest command that is not settled.
  bool is_first = true;
  for (CommandNumber number = unsettled_; command_steps(number, newest) > 64;
       number = number.next()) {
    const auto older = static_cast<std::uint32_t>(command_steps(number, newest)) - 65;
    const std::uint32_t block = older / 64;
    if (block < ReceivedHistory::kBlocks) {
      const bool is_whole = ((report.gaps >> block) & 1U) == 0;
      if (is_whole) {
        settle(number, true, newest);
      } else if (block == report.block) {
        settle(number, ((report.block_received >> (older % 64)) & 1U) != 0, newest);
      }
    }
    const Kept& one = kept(number);
    is_first = is_first && (one.number != number || one.is_settled);
    if (is_first) unsettled_ = number.next();
  }
}

/// Marks commands as lost if they are newer than the report's newest command, but would arrive too
/// late for the server.
void CommandSender::lose_late(const CommandReport& report) {
  if (report.run.is_none()) return;
  const CommandNumber late_end = report.run - CommandReport::kLateTicks;
  const bool is_after = !report.newest.is_none() && command_steps(unsettled_, report.newest) >= 0;
  const CommandNumber first = is_after ? report.newest.next() : unsettled_;
  for (CommandNumber number = first;
       command_steps(number, late_end) > 0 && command_steps(number, newest_) >= 0;
       number = number.next()) {
    lose(number);
  }
}

std::span<const std::int64_t> CommandSender::lost(std::uint32_t index) const {
  return kept_[lost_[index].value() % kKept].values;
}

CommandSender::Anchor CommandSender::code_header(CommandBitsOut& bits, std::uint32_t count,
                                                 double round_trip_ticks) {
  using namespace command_contexts;
  const CommandNumber first = newest_ - (count - 1);
  std::uint32_t back = 0;
  CommandNumber anchor = first_anchor(first);
  bool has_anchor = false;
  for (;; ++back, anchor = anchor - kAnchorStep) {
    const Kept& one = kept(anchor);
    has_anchor = !anchor.is_none() && one.number == anchor && one.is_acknowledged;
    if (has_anchor || back == kAnchorStepsMax) break;
  }
  // The server has all acknowledged commands, so its newest command is at least `acknowledged_`.
  const bool is_full = !has_anchor || unacknowledged() >= kShortAheadMax;
  bits.bit(kIsFull, is_full);
  bits.raw(is_full ? newest_.value() : newest_.value() % (1U << kShortBits),
           is_full ? 32 : kShortBits);
  for (std::uint32_t i = 0; i + 1 < kCommandsPerPacketMax; ++i) {
    if (!bits.bit(kCount + i, i + 1 < count)) break;
  }
  const CommandNumber before = first.previous();
  const bool has_before = !before.is_none() && kept(before).number == before;
  const bool is_chained = !is_full && newest_.value() % kSafeStep != 0 && has_before &&
                          !is_overdue(round_trip_ticks, unacknowledged());
  bits.bit(kIsChained, is_chained);
  if (is_chained) return {.number = before, .gap = CommandGap::none};
  bits.bit(kHasAnchor, has_anchor);
  if (!has_anchor) return {};
  for (std::uint32_t i = 0; i < kAnchorStepsMax; ++i) {
    if (!bits.bit(kAnchor + i, i < back)) break;
  }
  return {.number = anchor, .gap = CommandGap::anchored};
}

std::span<const std::byte> CommandSender::packet(double round_trip_ticks) {
  if (newest_.is_none()) return {};
  std::uint32_t count = commands_per_packet(loss_, round_trip_ticks, unacknowledged());
  if (fixed_count_ != 0) count = std::min(fixed_count_, kCommandsPerPacketMax);
  // Command numbers skip 0, and a packet must not contain command 0.
  const auto kept_count = static_cast<std::uint32_t>(command_steps(oldest_, newest_)) + 1;
  count = std::min({count, kept_count, newest_.value()});
  CommandBitsOut bits(buffer_);
  const Anchor anchor = code_header(bits, count, round_trip_ticks);
  CommandGap gap = anchor.gap;
  std::span<const std::int64_t> before =
      gap == CommandGap::unknown ? defaults_ : kept(anchor.number).values;
  std::span<const std::int64_t> earlier = before;
  for (std::uint32_t i = count; i-- > 0;) {
    std::vector<std::int64_t>& now = kept(newest_ - i).values;
    [[maybe_unused]] const bool is_valid =
        code_command(bits, lanes_, {.gap = gap, .before = before, .earlier = earlier}, now);
    assert(is_valid);
    gap = CommandGap::none;
    earlier = before;
    before = now;
  }
  packet_commands_ = count;
  packet_bits_ = bits.bit_count();
  sent_bits_ += packet_bits_;
  return bits.finish();
}

}  // namespace muster
