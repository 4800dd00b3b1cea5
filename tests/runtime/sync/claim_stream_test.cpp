// Claims in packets that may be lost, duplicated or late.
#include "runtime/sync/claim_stream.h"

#include <algorithm>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"

namespace muster {
namespace {

ViewClaim claim_of(std::uint32_t number) {
  return make_claim(Tick(number + 600), Tick(number + 597), Tick(number + 600), number + 598.25);
}

std::vector<std::byte> written(const ClaimSender& sender, std::uint32_t number,
                               std::uint32_t count = kClaimsPerPacketMax) {
  std::vector<std::byte> packet;
  const std::size_t bits = sender.write(CommandNumber(number), count, packet);
  CHECK((bits + 7) / 8 == packet.size());
  return packet;
}

/// Returns a claim of a view that is `delay` ticks behind the command's tick, with snapshots every
/// `interval` ticks.
ViewClaim playing(std::uint32_t number, double delay, std::uint32_t interval) {
  const double shown = number - delay;
  const auto whole = static_cast<std::uint32_t>(shown);
  const std::uint32_t from = whole - whole % interval;
  return make_claim(Tick(from + interval), Tick(from), Tick(from + interval), shown);
}

bool is_same(const ViewClaim& a, const ViewClaim& b) {
  return a.newest == b.newest && a.view() == b.view();
}

TEST_CASE("Any claim arrives unchanged, even when its low bits wrap", "[sync][lag][sys-83]") {
  Random random(11);
  for (int i = 0; i < 20'000; ++i) {
    const auto now = static_cast<std::uint32_t>(
        2000 + random.below(i % 2 == 0 ? 200'000 : std::uint64_t{1} << 31U));
    ClaimSender sender;
    std::array<ViewClaim, 2> made;
    std::uint32_t newest = now - static_cast<std::uint32_t>(random.below(1000));
    for (std::uint32_t back = 0; back < 2; ++back) {
      const auto to = newest - static_cast<std::uint32_t>(random.below(50));
      const auto from = to - static_cast<std::uint32_t>(random.below(10));
      const double share = 0.01 * static_cast<double>(random.below(100));
      made[back] = make_claim(Tick(newest), Tick(from), Tick(to), from + share * (to - from));
      sender.push(CommandNumber(9 - back), made[back]);
      newest -= static_cast<std::uint32_t>(random.below(200));
    }
    ClaimInbox inbox;
    std::vector<std::byte> packet = written(sender, 9);
    packet.push_back(std::byte{42});
    std::span<const std::byte> bytes = packet;
    REQUIRE(inbox.receive(bytes, Tick(now)));
    REQUIRE(bytes.size() == 1);  // The commands after the claim.
    REQUIRE(inbox.find(CommandNumber(9), Tick(now)) != nullptr);
    CHECK(is_same(*inbox.find(CommandNumber(9), Tick(now)), made[0]));
    // After the view has jumped back, the previous claim is not sent.
    const ViewClaim* const before = inbox.find(CommandNumber(8), Tick(now));
    CHECK((before != nullptr || made[1].to > made[0].to));
    if (before != nullptr) CHECK(is_same(*before, made[1]));
  }
}

TEST_CASE("Two successive claims take half the size of two separate ones", "[sync][lag][sys-83]") {
  for (const std::uint32_t interval : {1U, 2U, 3U, 6U}) {
    ClaimSender sender;
    std::size_t two = 0;
    std::size_t one = 0;
    for (std::uint32_t number = 500; number < 1500; ++number) {
      sender.push(CommandNumber(number), playing(number, 7.3 + 0.01 * (number % 13), interval));
      if (number == 500) continue;
      std::vector<std::byte> packet;
      two += sender.write(CommandNumber(number), 2, packet);
      one += sender.write(CommandNumber(number), 1, packet);
    }
    CAPTURE(interval, two, one);
    CHECK(one < 1000 * 48);
    CHECK(two - one < one / 2);
  }
}

TEST_CASE("If a game has no hit volumes, the claims of a packet take one byte",
          "[sync][lag][sys-83]") {
  ClaimSender sender;
  sender.push(CommandNumber(7), std::nullopt);
  const std::vector<std::byte> packet = written(sender, 7);
  CHECK(packet == std::vector<std::byte>{std::byte{0}});
  ClaimInbox inbox;
  std::span<const std::byte> bytes = packet;
  CHECK(inbox.receive(bytes, Tick(50)));
  CHECK(inbox.find(CommandNumber(7), Tick(50)) == nullptr);
}

TEST_CASE("Each command has its claim unless two packets in a row are lost",
          "[sync][lag][sys-83]") {
  Random random(4);
  ClaimSender sender;
  ClaimInbox inbox;
  std::uint32_t lost = 0;
  std::uint32_t missing = 0;
  for (std::uint32_t number = 0xFFFFFF00; number != 2000; ++number) {
    const std::uint32_t at = number + 1000;  // The numbers do not begin at 0.
    sender.push(CommandNumber(number), claim_of(at));
    std::vector<std::byte> packet = written(sender, number);
    packet.push_back(std::byte{42});
    const bool is_lost = random.below(10) == 0;
    const Tick now(at + 610);
    if (!is_lost) {
      std::span<const std::byte> bytes = packet;
      REQUIRE(inbox.receive(bytes, now));
      REQUIRE(bytes.size() == 1);  // The commands after the claim.
      REQUIRE(inbox.find(CommandNumber(number), now) != nullptr);
      CHECK(inbox.find(CommandNumber(number), now)->view() == claim_of(at).view());
    }
    lost = is_lost ? lost + 1 : 0;
    const ViewClaim* const before = inbox.find(CommandNumber(number - 3), now);
    if (before == nullptr) ++missing;
    if (before != nullptr && at > 1010) CHECK(before->newest == claim_of(at - 3).newest);
  }
  CHECK(missing > 0);
  CHECK(missing < 2256 / 50);
}

TEST_CASE("A received claim is not replaced by a later claim for the same command",
          "[sync][lag][sys-83]") {
  ClaimSender honest;
  honest.push(CommandNumber(7), claim_of(7));
  ClaimSender forged;
  forged.push(CommandNumber(7), claim_of(3));
  ClaimInbox inbox;
  for (const ClaimSender* const sender : {&honest, &forged}) {
    const std::vector<std::byte> packet = written(*sender, 7);
    std::span<const std::byte> bytes = packet;
    CHECK(inbox.receive(bytes, Tick(610)));
  }
  CHECK(inbox.find(CommandNumber(7), Tick(611))->view() == claim_of(7).view());
  CHECK(inbox.find(CommandNumber(7), Tick(900)) ==
        nullptr);  // A later command has the same low byte.
}

TEST_CASE("A malformed claim is counted, and its packet dropped", "[sync][lag][sys-83]") {
  ClaimSender sender;
  for (std::uint32_t number = 6; number < 8; ++number)
    sender.push(CommandNumber(number), claim_of(number));
  const std::vector<std::byte> whole = written(sender, 7);
  ClaimInbox inbox;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::span<const std::byte> packet = std::span(whole).first(size);
    CHECK_FALSE(inbox.receive(packet, Tick(700)));
    CHECK(packet.empty());
  }
  CHECK(inbox.malformed() == whole.size());
  std::vector<std::byte> three = whole;
  three[0] |= std::byte{3};
  std::span<const std::byte> packet = three;
  CHECK_FALSE(inbox.receive(packet, Tick(700)));
  // At tick 2, the claims would name ticks before the first tick.
  packet = whole;
  CHECK_FALSE(inbox.receive(packet, Tick(2)));
  // Random bits give only claims within the limits.
  Random random(5);
  for (int i = 0; i < 100'000; ++i) {
    std::array<std::byte, 12> noise{};
    for (std::byte& one : noise) one = static_cast<std::byte>(random.below(256));
    packet = noise;
    ClaimInbox other;
    if (!other.receive(packet, Tick(5000))) continue;
    for (std::uint32_t number = 0; number < 256; ++number) {
      const ViewClaim* const claim = other.find(CommandNumber(number), Tick(5000));
      if (claim == nullptr) continue;
      CHECK(claim->from <= claim->to);
      CHECK(claim->to <= claim->newest);
      CHECK(claim->newest <= Tick(5000));
    }
  }
}

}  // namespace
}  // namespace muster
