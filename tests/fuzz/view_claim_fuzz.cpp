// The input is claims of views from a client.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "runtime/sync/claim_stream.h"

namespace muster {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

std::uint8_t next_byte(std::span<const std::byte>& input) {
  if (input.empty()) return 0;
  const auto value = std::to_integer<std::uint8_t>(input.front());
  input = input.subspan(1);
  return value;
}

/// Runs the steps of the input. Each step moves the command, the tick and the snapshots forward,
/// and contains the claims of a packet.
void play(std::span<const std::byte> input) {
  ClaimInbox inbox;
  ViewClaims claims;
  std::uint32_t now = 40U * next_byte(input);
  std::uint32_t command = 0x1000000U * next_byte(input);
  while (!input.empty()) {
    const std::uint8_t step = next_byte(input);
    now += step & 7U;
    command += (step >> 3U & 3U) == 3 ? 1000U * next_byte(input) : step >> 3U & 3U;
    const std::uint8_t reached = next_byte(input);
    std::span<const std::byte> packet = input.first(std::min(input.size(), kClaimStreamBytesMax));
    const std::size_t offered = packet.size();
    const bool is_read = inbox.receive(packet, Tick(now));
    require(is_read ? packet.size() < offered : packet.empty());
    input = input.subspan(offered - packet.size());
    const Tick received_max(now - std::min<std::uint32_t>(now, reached));
    const ViewClaim* const claim = inbox.find(CommandNumber(command), Tick(now));
    const CheckedView checked = claims.check(claim, {.command = CommandNumber(command),
                                                     .now = Tick(now),
                                                     .received_min = {},
                                                     .received_max = received_max});
    require(checked.view.from <= checked.view.to);
    require(checked.view.fraction >= 0 && checked.view.fraction <= 1);
    require(checked.view.ticks() >= claims.oldest_ticks() - 0.01);
    require(checked.view.ticks() <= claims.newest_ticks() + 0.01);
    require(claims.newest_ticks() <= now);
  }
}

/// Reads the claims of a packet, sends them again, and requires that the same claims are read.
void send_again(std::span<const std::byte> input) {
  constexpr Tick kNow{100'000};
  ClaimInbox inbox;
  std::span<const std::byte> packet = input;
  if (!inbox.receive(packet, kNow)) return;
  for (std::uint32_t number = 256; number < 512; ++number) {
    const ViewClaim* const claim = inbox.find(CommandNumber(number), kNow);
    if (claim == nullptr) continue;
    require(claim->from <= claim->to && claim->to <= claim->newest && claim->newest <= kNow);
    // A first claim has only the low 10 bits of its tick, so an older claim cannot be sent again.
    if (steps_between(claim->newest, kNow) >= 1 << 10) continue;
    ClaimSender sender;
    sender.push(CommandNumber(number), *claim);
    if (const ViewClaim* const before = inbox.find(CommandNumber(number - 1), kNow)) {
      sender.push(CommandNumber(number - 1), *before);
    }
    std::vector<std::byte> again;
    sender.write(CommandNumber(number), kClaimsPerPacketMax, again);
    ClaimInbox other;
    std::span<const std::byte> bytes = again;
    require(other.receive(bytes, kNow) && bytes.empty());
    require(other.find(CommandNumber(number), kNow)->view() == claim->view());
  }
}

}  // namespace
}  // namespace muster

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> input = std::as_bytes(std::span(data, size));
  muster::play(input);
  muster::send_again(input);
  return 0;
}
