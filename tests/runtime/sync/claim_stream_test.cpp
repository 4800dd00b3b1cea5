// Claims before packets that are lost, duplicated and late.
#include "runtime/sync/claim_stream.h"

#include <catch2/catch.hpp>

#include "registry/base/seed.h"

namespace muster {
namespace {

ViewClaim claim_of(std::uint32_t number) {
  return make_claim(Tick(number + 600), Tick(number + 597), Tick(number + 600), number + 598.25);
}

TEST_CASE("Each command has its claim unless two packets in a row are lost",
          "[sync][lag][sys-83]") {
  Random random(4);
  ClaimSender sender;
  ClaimInbox inbox;
  std::uint32_t lost = 0;
  std::uint32_t missing = 0;
  for (std::uint32_t number = 0xFFFFFF00; number != 2000; ++number) {
    const std::uint32_t at = number + 1000;  // Numbers that do not begin at 0.
    sender.push(number, claim_of(at));
    std::vector<std::byte> packet;
    sender.write(number, packet);
    packet.push_back(std::byte{42});
    const bool is_lost = random.below(10) == 0;
    const Tick now(at + 610);
    if (!is_lost) {
      std::span<const std::byte> bytes = packet;
      REQUIRE(inbox.receive(bytes, now));
      REQUIRE(bytes.size() == 1);  // The commands after the claim.
      REQUIRE(inbox.find(number, now) != nullptr);
      CHECK(inbox.find(number, now)->view() == claim_of(at).view());
    }
    lost = is_lost ? lost + 1 : 0;
    const ViewClaim* const before = inbox.find(number - 3, now);
    if (before == nullptr) ++missing;
    if (before != nullptr && at > 1010) CHECK(before->newest == claim_of(at - 3).newest);
  }
  CHECK(missing > 0);
  CHECK(missing < 2256 / 50);
}

TEST_CASE("A received claim is not replaced by a later one for the same command",
          "[sync][lag][sys-83]") {
  ClaimSender honest;
  honest.push(7, claim_of(7));
  ClaimSender forged;
  forged.push(7, claim_of(3));
  ClaimInbox inbox;
  for (const ClaimSender* const sender : {&honest, &forged}) {
    std::vector<std::byte> packet;
    sender->write(7, packet);
    std::span<const std::byte> bytes = packet;
    CHECK(inbox.receive(bytes, Tick(610)));
  }
  CHECK(inbox.find(7, Tick(611))->view() == claim_of(7).view());
  CHECK(inbox.find(7, Tick(900)) == nullptr);  // A later command has this low byte now.
}

TEST_CASE("A packet that is too short is counted and cleared", "[sync][lag][sys-83]") {
  ClaimInbox inbox;
  const std::array<std::byte, kClaimStreamBytes> bytes{};
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::span<const std::byte> packet = std::span(bytes).first(size);
    CHECK_FALSE(inbox.receive(packet, Tick(5)));
    CHECK(packet.empty());
  }
  CHECK(inbox.malformed() == kClaimStreamBytes);
}

}  // namespace
}  // namespace muster
