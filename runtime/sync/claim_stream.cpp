// The claim of the newest command is coded without reference to earlier packets, because any
// earlier packet may be lost. The claim of the previous command is coded as the difference from an
// expected view, which is one tick before the newest claim's view. The bytes are described in
// SESSION_FORMAT.md, "Views".
#include "runtime/sync/claim_stream.h"

#include <algorithm>
#include <bit>

#include "net/wire/bit_stream.h"

namespace muster {
namespace {

constexpr unsigned kCountBits = 2;
constexpr unsigned kCommandBits = 8;
constexpr unsigned kNewestBits = 10;
constexpr unsigned kDistanceBits = 8;
constexpr std::uint32_t kCodedTicksMax = (1U << kDistanceBits) - 1;
/// The step of a fraction, in 1/65536.
constexpr std::uint32_t kFractionStep = 1U << (16 - kClaimFractionBits);
constexpr std::int32_t kFractionsPerTick = 1 << kClaimFractionBits;
/// The order of the code for a residual: the number of low bits that are always sent.
constexpr unsigned kResidualBits = 3;

/// Writes a number below 2^16 as an exponential Golomb code. The code has the number of bits above
/// `order` in unary, followed by the bits.
void put_number(BitWriter& out, std::uint32_t value, unsigned order) {
  const std::uint32_t raised = value + (1U << order);
  const auto length = static_cast<unsigned>(std::bit_width(raised)) - 1;
  for (unsigned i = order; i < length; ++i) out.write_flag(true);
  out.write_flag(false);
  if (length > 0) out.write(raised & ((1U << length) - 1), length);
}

std::uint32_t parse_number(BitReader& in, unsigned order) {
  constexpr unsigned kLengthMax = 17;
  unsigned length = order;
  while (length <= kLengthMax && in.read_flag()) ++length;
  if (length > kLengthMax) {
    in.fail();
    return 0;
  }
  const std::uint32_t low = length > 0 ? in.read(length) : 0;
  return (1U << length | low) - (1U << order);
}

std::uint32_t distance(Tick from, Tick to) {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(steps_between(from, to), 0, kCodedTicksMax));
}

std::int32_t step_of(const ViewClaim& claim) {
  return static_cast<std::int32_t>(claim.fraction / kFractionStep);
}

/// Returns the fraction step between `from` and `to` of a view that is one tick before `next`. Uses
/// only integers, so that client and server get the same result.
std::int32_t expected_step(const ViewClaim& next, Tick from, Tick to) {
  const std::int64_t next_span = steps_between(next.from, next.to);
  const std::int64_t span = steps_between(from, to);
  const std::int64_t after =
      steps_between(from, next.from) * kFractionsPerTick + next_span * step_of(next);
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>((after - kFractionsPerTick) / span, 0, kFractionsPerTick - 1));
}

void put_first(BitWriter& out, const ViewClaim& claim) {
  out.write(claim.newest.value() % (1U << kNewestBits), kNewestBits);
  put_number(out, distance(claim.to, claim.newest), 0);
  put_number(out, distance(claim.from, claim.to), 2);
  if (claim.from != claim.to) {
    out.write(static_cast<std::uint32_t>(step_of(claim)), kClaimFractionBits);
  }
}

std::optional<ViewClaim> parse_first(BitReader& in, Tick now) {
  const std::uint32_t low = in.read(kNewestBits);
  const std::uint32_t age = (now.value() - low) % (1U << kNewestBits);
  const std::uint32_t behind = parse_number(in, 0);
  const std::uint32_t span = parse_number(in, 2);
  const std::uint32_t step = span > 0 ? in.read(kClaimFractionBits) : 0;
  if (in.failed() || behind > kCodedTicksMax || span > kCodedTicksMax ||
      std::uint64_t{age} + behind + span > now.value()) {
    in.fail();
    return std::nullopt;
  }
  ViewClaim claim;
  claim.newest = Tick(now.value() - age);
  claim.to = Tick(claim.newest.value() - behind);
  claim.from = Tick(claim.to.value() - span);
  claim.fraction = static_cast<std::uint16_t>(step * kFractionStep);
  return claim;
}

/// Writes `claim`, the claim of the previous command, relative to `next`, the claim of the newest
/// command. A flag is set if both claims blend the same states.
void put_second(BitWriter& out, const ViewClaim& claim, const ViewClaim& next) {
  put_number(out, distance(claim.newest, next.newest), 0);
  const bool is_same = claim.from == next.from && claim.to == next.to;
  out.write_flag(is_same);
  if (!is_same) {
    put_number(out, distance(claim.to, next.to), 1);
    put_number(out, distance(claim.from, claim.to), 2);
  }
  if (claim.from == claim.to) return;
  const std::int32_t left = step_of(claim) - expected_step(next, claim.from, claim.to);
  out.write_flag(left < 0);
  put_number(out, static_cast<std::uint32_t>(left < 0 ? -left - 1 : left), kResidualBits);
}

std::optional<ViewClaim> parse_second(BitReader& in, const ViewClaim& next) {
  const auto back = [&](Tick from, std::uint32_t ticks) {
    if (ticks > kCodedTicksMax || ticks > from.value()) in.fail();
    return Tick(from.value() - std::min(ticks, from.value()));
  };
  ViewClaim claim = next;
  claim.newest = back(next.newest, parse_number(in, 0));
  if (!in.read_flag()) {
    claim.to = back(next.to, parse_number(in, 1));
    claim.from = back(claim.to, parse_number(in, 2));
  }
  claim.fraction = 0;
  if (claim.from != claim.to) {
    const bool is_below = in.read_flag();
    const auto size = static_cast<std::int32_t>(parse_number(in, kResidualBits));
    const std::int32_t step =
        expected_step(next, claim.from, claim.to) + (is_below ? -size - 1 : size);
    if (step < 0 || step >= kFractionsPerTick) in.fail();
    claim.fraction = static_cast<std::uint16_t>(static_cast<std::uint32_t>(step) * kFractionStep);
  }
  // A valid client has sent this claim before, as the first claim of an earlier packet.
  if (steps_between(claim.to, claim.newest) > kCodedTicksMax) in.fail();
  if (in.failed() || claim.to > claim.newest) return std::nullopt;
  return claim;
}

}  // namespace

void ClaimSender::push(CommandNumber number, const std::optional<ViewClaim>& claim) {
  slots_[number.value() % kKept] = {.number = number, .claim = claim};
}

const ViewClaim* ClaimSender::find(CommandNumber number) const {
  const Slot& slot = slots_[number.value() % kKept];
  return slot.number == number && slot.claim ? &*slot.claim : nullptr;
}

std::size_t ClaimSender::write(CommandNumber number, std::uint32_t count,
                               std::vector<std::byte>& packet) const {
  std::array<std::byte, kClaimStreamBytesMax> memory{};
  BitWriter out(memory);
  const ViewClaim* const newest = count > 0 ? find(number) : nullptr;
  const ViewClaim* const before =
      newest != nullptr && count > 1 ? find(number.previous()) : nullptr;
  // The format has no negative steps. After the view has jumped back, only one claim is sent.
  const bool has_before = before != nullptr && before->newest <= newest->newest &&
                          before->to <= newest->to &&
                          steps_between(before->to, before->newest) <= kCodedTicksMax &&
                          steps_between(before->newest, newest->newest) <= kCodedTicksMax &&
                          steps_between(before->to, newest->to) <= kCodedTicksMax;
  out.write(newest == nullptr ? 0U : has_before ? 2U : 1U, kCountBits);
  if (newest != nullptr) {
    out.write(number.value() % (1U << kCommandBits), kCommandBits);
    put_first(out, *newest);
    if (has_before) put_second(out, *before, *newest);
  }
  const std::span<const std::byte> bytes = out.finish();
  packet.insert(packet.end(), bytes.begin(), bytes.end());
  return bytes.size() * 8;
}

void ClaimInbox::note(std::uint8_t low_byte, const ViewClaim& claim, Tick now) {
  Slot& slot = slots_[low_byte];
  // Only the first claim of a command is used. A later claim of the same command is an equal copy,
  // or is forged.
  if (slot.claim && steps_between(slot.arrived, now) <= kTicksMax) return;
  slot.arrived = now;
  slot.claim = claim;
}

bool ClaimInbox::receive(std::span<const std::byte>& packet, Tick now) {
  BitReader in(packet.first(std::min(packet.size(), kClaimStreamBytesMax)));
  const std::uint32_t count = in.read(kCountBits);
  std::uint8_t low_byte = 0;
  std::optional<ViewClaim> newest;
  std::optional<ViewClaim> before;
  if (count > 0) {
    low_byte = static_cast<std::uint8_t>(in.read(kCommandBits));
    newest = parse_first(in, now);
    if (newest && count == 2) before = parse_second(in, *newest);
  }
  in.align();
  if (in.failed() || count > kClaimsPerPacketMax || (count == 2 && !before)) {
    ++malformed_;
    packet = {};
    return false;
  }
  packet = packet.subspan(in.bit_position() / 8);
  if (newest) note(low_byte, *newest, now);
  if (before) note(static_cast<std::uint8_t>(low_byte - 1), *before, now);
  return true;
}

const ViewClaim* ClaimInbox::find(CommandNumber number, Tick now) const {
  const Slot& slot = slots_[number.value() % slots_.size()];
  const bool is_recent = steps_between(slot.arrived, now) <= kTicksMax;
  return slot.claim && is_recent ? &*slot.claim : nullptr;
}

}  // namespace muster
