// Flags and levels are coded first. One decision states whether any flag or level changed, which is
// rare. If so, each flag and level has a decision. Presses follow. One decision states whether the
// presses are as expected: one press for each flag that became set, and no other press. Amounts are
// last. The magnitude of an amount is usually near its magnitude in the previous tick, so the
// previous magnitude is the context. The number of binary digits is coded in unary. After the
// highest digit, the next three digits have contexts.
#include "runtime/sync/command_coding.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace muster {
namespace {

using namespace command_contexts;

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                   : static_cast<std::uint64_t>(value);
}
/// Returns the wrapped difference. Differences can wrap, because lanes of 64 bits use their whole
/// range.
std::int64_t minus(std::int64_t left, std::int64_t right) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(left) -
                                   static_cast<std::uint64_t>(right));
}
std::int64_t plus(std::int64_t left, std::int64_t right) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(left) +
                                   static_cast<std::uint64_t>(right));
}
unsigned bucket(std::uint64_t size) {
  return std::min(7U, static_cast<unsigned>(std::bit_width(size)));
}
unsigned sign_of(std::int64_t value) { return value == 0 ? 0U : value > 0 ? 1U : 2U; }

/// The state of coding one command.
template <typename Bits>
struct Coding {
  Bits& bits;
  std::span<const CommandLane> lanes;
  const CommandContext& context;
  std::span<std::int64_t> now;
  bool failed = false;

  unsigned is_gap() const { return context.gap == CommandGap::none ? 0U : 1U; }
  bool is_level(std::size_t i) const {
    return lanes[i].kind == CommandLaneKind::flag || lanes[i].kind == CommandLaneKind::level;
  }
  std::int64_t amount(std::span<const std::int64_t> of, std::size_t i) const {
    return minus(of[i], lanes[i].zero);
  }

  /// Codes a magnitude of at least 1.
  std::uint64_t size(std::uint64_t value, unsigned lengths, unsigned digits) {
    const auto wanted = static_cast<unsigned>(std::bit_width(value | 1U)) - 1;
    unsigned length = 0;
    while (length < 63 && bits.bit(lengths + std::min(length, 15U), length < wanted)) ++length;
    std::uint64_t decoded = 1;
    for (unsigned i = 0; i < length; ++i) {
      const bool digit = ((value >> (length - 1 - i)) & 1U) != 0;
      // The first three digits select a path in a binary tree of 7 nodes. Each node is a context.
      const bool got =
          i < 3 && digits != 0
              ? bits.bit(digits + 7 * std::min(length, 15U) +
                             static_cast<unsigned>((1U << i) - 1 + (decoded & ((1U << i) - 1))),
                         digit)
              : bits.raw(digit ? 1 : 0, 1) != 0;
      decoded = decoded << 1U | (got ? 1U : 0U);
    }
    return decoded;
  }

  void code_levels();
  void code_level(std::size_t i);
  void code_presses();
  void code_amounts();
  void code_amount(std::size_t i, bool is_first, unsigned other);
};

template <typename Bits>
void Coding<Bits>::code_levels() {
  bool is_changed = false;
  bool was_changed = false;
  std::size_t last = lanes.size();
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (!is_level(i)) continue;
    last = i;
    is_changed = is_changed || now[i] != context.before[i];
    was_changed = was_changed || context.before[i] != context.earlier[i];
  }
  if (last == lanes.size()) return;
  is_changed = bits.bit(kAnyLevel + 2 * static_cast<unsigned>(context.gap) + (was_changed ? 1 : 0),
                        is_changed);
  unsigned changed = 0;
  for (std::size_t i = 0; i <= last; ++i) {
    if (!is_level(i)) continue;
    const bool is_flag = lanes[i].kind == CommandLaneKind::flag;
    const bool was_set = context.before[i] != lanes[i].zero;
    const unsigned group =
        (is_flag ? kFlag : kLevel) + (was_set ? 6 : 0) + 2 * std::min(changed, 2U) + is_gap();
    bool differs = is_changed && now[i] != context.before[i];
    // At least one value changed. If no other value changed, the last value needs no decision.
    if (is_changed && !(i == last && changed == 0)) differs = bits.bit(group, differs);
    if (is_changed && i == last && changed == 0) differs = true;
    if (!differs) {
      now[i] = context.before[i];
      continue;
    }
    ++changed;
    if (is_flag) {
      now[i] = context.before[i] == lanes[i].low ? lanes[i].high : lanes[i].low;
    } else {
      code_level(i);
    }
  }
}

template <typename Bits>
void Coding<Bits>::code_level(std::size_t i) {
  const CommandLane& lane = lanes[i];
  const std::int64_t before = context.before[i];
  const std::int64_t value = now[i];
  const bool was_zero = before == lane.zero;
  const unsigned form = kLevelForm + (was_zero ? 3 : 0);
  if (!was_zero && bits.bit(form, value == lane.zero)) {
    now[i] = lane.zero;
    return;
  }
  if (bits.bit(form + 1, value == lane.low || value == lane.high)) {
    now[i] = bits.bit(form + 2, value == lane.high) ? lane.high : lane.low;
  } else {
    const std::int64_t step = minus(value, before);
    const bool is_up = bits.raw(step > 0 ? 1 : 0, 1) != 0;
    const std::uint64_t distance = size(magnitude(step), kLevelLength, 0);
    now[i] = is_up ? plus(before, static_cast<std::int64_t>(distance))
                   : minus(before, static_cast<std::int64_t>(distance));
  }
  failed = failed || now[i] < lane.low || now[i] > lane.high || now[i] == before;
}

template <typename Bits>
void Coding<Bits>::code_presses() {
  const auto expected = [&](std::size_t i) {
    const bool has_risen = now[i - 1] != context.before[i - 1] && now[i - 1] == lanes[i - 1].high;
    return has_risen ? std::clamp<std::int64_t>(lanes[i].low + 1, lanes[i].low, lanes[i].high)
                     : lanes[i].low;
  };
  bool has_presses = false;
  bool has_risen = false;
  bool are_expected = true;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i].kind != CommandLaneKind::press) continue;
    has_presses = true;
    has_risen = has_risen || expected(i) != lanes[i].low;
    are_expected = are_expected && now[i] == expected(i);
  }
  if (!has_presses) return;
  are_expected = bits.bit(kPresses + (has_risen ? 2 : 0) + is_gap(), are_expected);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i].kind != CommandLaneKind::press) continue;
    const std::int64_t likely = expected(i);
    const unsigned rise = likely != lanes[i].low ? 2 : 0;
    if (are_expected || bits.bit(kPress + rise + is_gap(), now[i] == likely)) {
      now[i] = likely;
      continue;
    }
    const auto span = static_cast<unsigned>(
        std::bit_width(static_cast<std::uint64_t>(lanes[i].high - lanes[i].low)));
    now[i] = lanes[i].low + static_cast<std::int64_t>(
                                bits.raw(static_cast<std::uint64_t>(now[i] - lanes[i].low), span));
    failed = failed || now[i] > lanes[i].high;
  }
}

template <typename Bits>
void Coding<Bits>::code_amounts() {
  bool is_any = false;
  bool was_any = false;
  bool were_any = false;
  std::size_t first = lanes.size();
  std::size_t last = lanes.size();
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i].kind != CommandLaneKind::amount) continue;
    if (first == lanes.size()) first = i;
    last = i;
    is_any = is_any || now[i] != lanes[i].zero;
    was_any = was_any || context.before[i] != lanes[i].zero;
    were_any = were_any || context.earlier[i] != lanes[i].zero;
  }
  if (first == lanes.size()) return;
  is_any = bits.bit(
      kAnyAmount + 4 * static_cast<unsigned>(context.gap) + (was_any ? 2 : 0) + (were_any ? 1 : 0),
      is_any);
  // The context of the first amount is the last amount of the previous tick. The context of the
  // other amounts is the first amount.
  unsigned other = bucket(magnitude(amount(context.before, last)));
  for (std::size_t i = first; i <= last; ++i) {
    if (lanes[i].kind != CommandLaneKind::amount) continue;
    if (!is_any) {
      now[i] = lanes[i].zero;
      continue;
    }
    code_amount(i, i == first, other);
    if (i == first) other = bucket(magnitude(amount(now, i)));
  }
}

template <typename Bits>
void Coding<Bits>::code_amount(std::size_t i, bool is_first, unsigned other) {
  const CommandLane& lane = lanes[i];
  const std::int64_t before = amount(context.before, i);
  const std::int64_t earlier = amount(context.earlier, i);
  const std::int64_t value = amount(now, i);
  const unsigned size_before = bucket((magnitude(before) + magnitude(earlier) + 1) / 2);
  const unsigned slot = (is_first ? 0U : 128U) + 64 * is_gap() + 8 * size_before + other;
  if (!bits.bit(kAmount + slot, value != 0)) {
    now[i] = lane.zero;
    return;
  }
  const unsigned signs = (is_first ? 0U : 9U) + 3 * sign_of(before) + sign_of(earlier);
  const bool is_up = bits.bit(kAmountSign + signs, value > 0);
  const std::uint64_t distance =
      size(magnitude(value), kAmountLength + 128 * is_gap() + 16 * size_before, kAmountDigits);
  now[i] = is_up ? plus(lane.zero, static_cast<std::int64_t>(distance))
                 : minus(lane.zero, static_cast<std::int64_t>(distance));
  failed = failed || now[i] < lane.low || now[i] > lane.high;
}

std::int64_t zero_of(const FieldSchema& field) {
  std::int64_t zero = 0;
  if (field.resolution > 0 && std::isfinite(field.minimum) && field.kind != LaneKind::symbol) {
    const double step = -field.minimum / field.resolution;
    // The numbers of a field without a range begin at zero.
    if (field.low == 0 && std::abs(step) < 1e15) zero = std::llround(step);
  }
  return std::clamp(zero, field.low, field.high);
}

}  // namespace

std::vector<CommandLane> command_lanes(std::span<const ComponentSchema> commands,
                                       std::span<const Sampling> sampled) {
  std::vector<CommandLane> lanes;
  std::size_t at = 0;
  for (const ComponentSchema& command : commands) {
    bool is_behind_flag = false;
    for (const FieldSchema& field : command.fields) {
      CommandLane lane{.low = field.low, .high = field.high, .zero = zero_of(field)};
      const auto span =
          static_cast<std::uint64_t>(field.high) - static_cast<std::uint64_t>(field.low);
      const Sampling sampling = sampled[at++];
      if (sampling == Sampling::sum) {
        const bool is_press = is_behind_flag && lane.zero == lane.low && span <= 15 && span > 0;
        lane.kind = is_press ? CommandLaneKind::press : CommandLaneKind::amount;
      } else if (span == 1) {
        lane.kind = CommandLaneKind::flag;
      }
      for (std::uint32_t i = 0; i < field.value_count; ++i) {
        if (i > 0 && lane.kind == CommandLaneKind::press) lane.kind = CommandLaneKind::amount;
        lanes.push_back(lane);
      }
      is_behind_flag = lane.kind == CommandLaneKind::flag && field.value_count == 1;
    }
  }
  return lanes;
}

std::vector<Sampling> samplings_of(std::span<const ComponentDescription> commands) {
  std::vector<Sampling> sampled;
  for (const ComponentDescription& command : commands) {
    for (const FieldDescription& field : command.fields) sampled.push_back(field.sampled);
  }
  return sampled;
}

template <typename Bits>
bool code_command(Bits& bits, std::span<const CommandLane> lanes, const CommandContext& context,
                  std::span<std::int64_t> now) {
  Coding<Bits> coding{.bits = bits, .lanes = lanes, .context = context, .now = now};
  coding.code_levels();
  coding.code_presses();
  coding.code_amounts();
  return !coding.failed;
}
template bool code_command(CommandBitsOut&, std::span<const CommandLane>, const CommandContext&,
                           std::span<std::int64_t>);
template bool code_command(CommandBitsIn&, std::span<const CommandLane>, const CommandContext&,
                           std::span<std::int64_t>);
template bool code_command(CommandBitCounts&, std::span<const CommandLane>, const CommandContext&,
                           std::span<std::int64_t>);

std::uint64_t CommandBitsOut::raw(std::uint64_t value, unsigned bits) {
  for (unsigned i = bits; i-- > 0;) encoder_.encode(((value >> i) & 1U) != 0, 1U << 15U);
  return value;
}

std::span<const std::byte> CommandBitsOut::finish() {
  const std::span<const std::byte> bytes = encoder_.finish();
  return encoder_.overflowed() ? std::span<const std::byte>() : bytes;
}

std::uint64_t CommandBitsIn::raw(std::uint64_t /*value*/, unsigned bits) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bits; ++i) value = value << 1U | (decoder_.decode(1U << 15U) ? 1U : 0U);
  return value;
}

CommandPriors CommandBitCounts::priors() const {
  CommandPriors priors{};
  for (std::size_t i = 0; i < priors.size(); ++i) {
    const auto zeros = static_cast<double>(counts_[i][0]) + 0.4;
    const auto ones = static_cast<double>(counts_[i][1]) + 0.4;
    priors[i] = static_cast<BitProbability>(
        std::clamp(65536 * ones / (zeros + ones), 32.0, 65536.0 - 32.0));
  }
  return priors;
}

}  // namespace muster
