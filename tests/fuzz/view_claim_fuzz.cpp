// Claims of views from a client: their bytes, and claims in any order.
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

std::uint8_t take(std::span<const std::byte>& input) {
  if (input.empty()) return 0;
  const auto value = std::to_integer<std::uint8_t>(input.front());
  input = input.subspan(1);
  return value;
}

/// Each step moves command, tick and snapshots forward, then contains a packet's claims.
void play(std::span<const std::byte> input) {
  ClaimInbox inbox;
  ViewClaims claims;
  std::uint32_t now = 40U * take(input);
  std::uint32_t command = 0x1000000U * take(input);
  while (!input.empty()) {
    const std::uint8_t step = take(input);
    now += step & 7U;
    command += (step >> 3U & 3U) == 3 ? 1000U * take(input) : step >> 3U & 3U;
    const std::uint8_t reached = take(input);
    std::span<const std::byte> packet = input.first(std::min(input.size(), kClaimStreamBytes));
    input = input.subspan(packet.size());
    inbox.receive(packet, Tick(now));
    const Tick received_max(now - std::min<std::uint32_t>(now, reached));
    const ViewClaim* const claim = inbox.find(command, Tick(now));
    const CheckedView checked = claims.check(
        claim,
        {.command = command, .now = Tick(now), .received_min = {}, .received_max = received_max});
    require(checked.view.from <= checked.view.to);
    require(checked.view.fraction >= 0 && checked.view.fraction <= 1);
    require(checked.view.ticks() >= claims.oldest_ticks() - 0.01);
    require(checked.view.ticks() <= claims.newest_ticks() + 0.01);
    require(claims.newest_ticks() <= now);
  }
}

}  // namespace
}  // namespace muster

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> input = std::as_bytes(std::span(data, size));
  muster::play(input);
  if (input.size() < muster::kViewClaimBytes) return 0;
  const auto bytes = input.first<muster::kViewClaimBytes>();
  if (const auto claim = muster::decode_claim(bytes, muster::Tick(100'000))) {
    std::array<std::byte, muster::kViewClaimBytes> again{};
    muster::encode_claim(*claim, again);
    muster::require(std::ranges::equal(again, bytes));
  }
  return 0;
}
