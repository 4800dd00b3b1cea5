// SESSION_FORMAT.md, "Views".
#include "runtime/sync/claim_stream.h"

namespace muster {

void ClaimSender::push(std::uint32_t number, const std::optional<ViewClaim>& claim) {
  slots_[number % kKept] = {.number = number, .claim = claim};
}

const ViewClaim* ClaimSender::find(std::uint32_t number) const {
  const Slot& slot = slots_[number % kKept];
  return slot.number == number && slot.claim ? &*slot.claim : nullptr;
}

void ClaimSender::write(std::uint32_t number, std::vector<std::byte>& packet) const {
  packet.push_back(static_cast<std::byte>(number & 0xFFU));
  for (std::uint32_t i = 0; i < kClaimsPerPacket; ++i) {
    std::array<std::byte, kViewClaimBytes> bytes{};
    if (const ViewClaim* const claim = find(number - i)) encode_claim(*claim, bytes);
    packet.insert(packet.end(), bytes.begin(), bytes.end());
  }
}

bool ClaimInbox::receive(std::span<const std::byte>& packet, Tick now) {
  if (packet.size() < kClaimStreamBytes) {
    ++malformed_;
    packet = {};
    return false;
  }
  const auto newest = std::to_integer<std::uint8_t>(packet[0]);
  for (std::uint32_t i = 0; i < kClaimsPerPacket; ++i) {
    Slot& slot = slots_[static_cast<std::uint8_t>(newest - i)];
    // The first claim of a command counts: a later one is the same, or forged in hindsight.
    const bool is_known = slot.claim && steps_between(slot.arrived, now) <= kTicksMax;
    if (is_known) continue;
    slot.arrived = now;
    slot.claim =
        decode_claim(packet.subspan(1 + i * kViewClaimBytes).first<kViewClaimBytes>(), now);
  }
  packet = packet.subspan(kClaimStreamBytes);
  return true;
}

const ViewClaim* ClaimInbox::find(std::uint32_t number, Tick now) const {
  const Slot& slot = slots_[number & 0xFFU];
  const bool is_recent = steps_between(slot.arrived, now) <= kTicksMax;
  return slot.claim && is_recent ? &*slot.claim : nullptr;
}

}  // namespace muster
