#include "net/secure/packet_seal.h"

#include <vector>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "tests/support/net_bytes.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

SecretKey key_of(std::uint64_t seed) {
  SeededEntropy entropy(seed);
  return SecretKey::random(entropy);
}

const NetBytes kHead = bytes_of({0x80, 1, 2, 3, 4, 5, 6});

/// A sealed packet: its number, its key phase and its bytes.
struct Sealed {
  std::uint64_t sequence = 0;
  bool phase = false;
  NetBytes plain;
  NetBytes bytes;
};

Sealed seal(SealSender& sender, std::uint64_t sequence, Time now, Cipher cipher) {
  sender.refresh(now, sequence - 1);  // All earlier packets have arrived.
  const NetBytes plain = pattern(static_cast<std::uint32_t>(sequence), 1 + sequence % 100);
  Sealed sealed{.sequence = sequence, .phase = sender.phase(), .plain = plain, .bytes = plain};
  sealed.bytes.resize(plain.size() + seal_bytes(cipher));
  sender.seal(sequence, kHead, sealed.bytes, plain.size());
  return sealed;
}

/// Opens a packet. Returns true if it opens, and requires that its bytes equal the original.
bool opens(SealReceiver& receiver, const Sealed& sealed) {
  NetBytes bytes = sealed.bytes;
  if (!receiver.open(sealed.phase, sealed.sequence, kHead, bytes)) return false;
  bytes.resize(sealed.plain.size());
  REQUIRE(bytes == sealed.plain);
  return true;
}

/// Returns the ciphers that this machine supports.
std::vector<Cipher> ciphers() {
  if (has_fast_aes()) return {Cipher::chacha20_poly1305, Cipher::aes256_gcm};
  return {Cipher::chacha20_poly1305};
}

TEST_CASE("A sealed packet is encrypted and opens", "[net][secure][sys-33]") {
  for (const Cipher cipher : ciphers()) {
    SealKey key(cipher, key_of(1));
    for (const std::size_t size : {1U, 15U, 16U, 17U, 1449U}) {
      const NetBytes plain = pattern(5, size);
      NetBytes bytes = plain;
      bytes.resize(size + 16);
      key.seal(0x1'0000'0001, kHead, bytes, size);
      REQUIRE(NetBytes(bytes.begin(), bytes.end() - 16) != plain);
      REQUIRE(key.open(0x1'0000'0001, kHead, bytes));
      REQUIRE(NetBytes(bytes.begin(), bytes.end() - 16) == plain);
    }
  }
}

TEST_CASE("A flipped bit, a truncation, another number or another header is refused",
          "[net][secure][sys-33]") {
  for (const Cipher cipher : ciphers()) {
    SealKey key(cipher, key_of(1));
    NetBytes sealed = pattern(5, 40 + 16);
    key.seal(77, kHead, sealed, 40);
    const auto is_refused = [&](std::uint64_t sequence, const NetBytes& head, NetBytes bytes) {
      return !key.open(sequence, head, bytes);
    };
    REQUIRE_FALSE(is_refused(77, kHead, sealed));
    for (std::size_t bit = 0; bit < sealed.size() * 8; ++bit) {
      NetBytes damaged = sealed;
      damaged[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      REQUIRE(is_refused(77, kHead, damaged));
    }
    for (std::size_t bit = 0; bit < kHead.size() * 8; ++bit) {
      NetBytes head = kHead;
      head[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      REQUIRE(is_refused(77, head, sealed));
    }
    for (std::size_t size = 0; size < sealed.size(); ++size) {
      REQUIRE(is_refused(
          77, kHead, NetBytes(sealed.begin(), sealed.begin() + static_cast<std::ptrdiff_t>(size))));
    }
    REQUIRE(is_refused(78, kHead, sealed));
    REQUIRE(is_refused(77 + (std::uint64_t{1} << 32U), kHead, sealed));
    NetBytes other = sealed;
    REQUIRE_FALSE(SealKey(cipher, key_of(2)).open(77, kHead, other));
  }
}

TEST_CASE("A key lasts ten minutes, and the next key is derived from it", "[net][secure][sys-33]") {
  for (const Cipher cipher : ciphers()) {
    SealSender sender(cipher, key_of(3), Time(1s));
    REQUIRE_FALSE(seal(sender, 1, Time(1s), cipher).phase);
    REQUIRE_FALSE(seal(sender, 2, Time(1s) + kTimePerKey - 1ns, cipher).phase);
    const Sealed second = seal(sender, 3, Time(1s) + kTimePerKey, cipher);
    REQUIRE(second.phase);
    // net/WIRE_FORMAT.md: the next key is mix(key, "next").
    NetBytes bytes = second.bytes;
    REQUIRE(SealKey(cipher, mix(key_of(3), "next")).open(3, kHead, bytes));
    REQUIRE_FALSE(seal(sender, 4, Time(1s) + 2 * kTimePerKey, cipher).phase);
  }
}

TEST_CASE("A key is not replaced before a packet under it is confirmed", "[net][secure][sys-33]") {
  const Cipher cipher = Cipher::chacha20_poly1305;
  SealSender sender(cipher, key_of(3), Time(1s));
  SealReceiver receiver(cipher, key_of(3));
  const auto sealed_at = [&](std::uint64_t sequence, Duration age, std::uint64_t delivered) {
    sender.refresh(Time(1s) + age, delivered);
    const NetBytes plain = pattern(static_cast<std::uint32_t>(sequence), 20);
    Sealed sealed{.sequence = sequence, .phase = sender.phase(), .plain = plain, .bytes = plain};
    sealed.bytes.resize(plain.size() + seal_bytes(cipher));
    sender.seal(sequence, kHead, sealed.bytes, plain.size());
    return sealed;
  };
  REQUIRE(opens(receiver, sealed_at(1, 0min, 0)));
  REQUIRE_FALSE(sealed_at(2, 11min, 0).phase);
  // A packet under the first key is confirmed. The next packets are lost, for the lifetime of four
  // keys.
  for (std::uint64_t number = 3; number < 50; ++number) {
    REQUIRE(sealed_at(number, number * 1min + 10min, 1).phase);
  }
  REQUIRE(opens(receiver, sealed_at(50, 61min, 1)));
  REQUIRE_FALSE(sealed_at(51, 62min, 50).phase);
}

TEST_CASE("Keys change correctly while packets overtake each other", "[net][secure][sys-33]") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  Random random(seed);
  for (const Cipher cipher : ciphers()) {
    SealSender sender(cipher, key_of(3), Time(1s));
    SealReceiver receiver(cipher, key_of(3));
    Time now(1s);
    std::vector<Sealed> air;
    int changes = 0;
    bool phase = false;
    for (std::uint64_t sequence = 1; sequence < 3000; ++sequence) {
      now += std::chrono::seconds(random.below(3) == 0 ? 2 : 0);
      air.push_back(seal(sender, sequence, now, cipher));
      if (air.back().phase != phase) ++changes;
      phase = air.back().phase;
      while (air.size() > 40 || random.below(2) == 0) {
        if (air.empty()) break;
        const std::size_t at = random.below(air.size());
        const Sealed sealed = air[at];
        air.erase(air.begin() + static_cast<std::ptrdiff_t>(at));
        if (random.below(4) == 0) continue;  // The packet is lost.
        // A forged copy in either phase does not open and has no effect.
        Sealed forged = sealed;
        forged.bytes[random.below(forged.bytes.size())] ^= std::byte{4};
        forged.phase = random.below(2) == 0;
        REQUIRE_FALSE(opens(receiver, forged));
        if (!opens(receiver, sealed)) FAIL("packet " << sealed.sequence << " does not open");
      }
    }
    REQUIRE(changes >= 3);
  }
}

TEST_CASE("The two AES libraries write the same bytes, and each opens the packets of the other",
          "[net][secure][sys-33]") {
  if (!has_fast_aes()) return;
  const auto by_ipsec_mb = aes_gcm_by_ipsec_mb(key_of(4));
  if (by_ipsec_mb == nullptr) return;  // This build has no multi-buffer library.
  const auto by_sodium = aes_gcm_by_sodium(key_of(4));
  const std::size_t size = GENERATE(0U, 1U, 15U, 16U, 17U, 191U, 192U, 193U, 1000U, 1449U);
  CAPTURE(size);
  const Nonce nonce{0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, static_cast<unsigned char>(size)};
  const NetBytes plain = pattern(6, size);
  NetBytes a = plain;
  a.resize(size + 16);
  NetBytes b = a;
  by_ipsec_mb->seal(nonce, kHead, a, size);
  by_sodium->seal(nonce, kHead, b, size);
  REQUIRE(a == b);
  REQUIRE(by_sodium->open(nonce, kHead, a));
  REQUIRE(by_ipsec_mb->open(nonce, kHead, b));
  REQUIRE(a == b);
  REQUIRE(std::equal(plain.begin(), plain.end(), a.begin()));
  // The context that opened the packet seals it again. Each bit of the tag and the body is then
  // flipped.
  by_ipsec_mb->seal(nonce, kHead, a, size);
  for (std::size_t bit = 0; bit < a.size() * 8; bit += 5) {
    NetBytes damaged = a;
    damaged[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    NetBytes same = damaged;
    REQUIRE_FALSE(by_ipsec_mb->open(nonce, kHead, damaged));
    REQUIRE_FALSE(by_sodium->open(nonce, kHead, same));
  }
}

TEST_CASE("The two directions have different keys", "[net][secure][sys-33]") {
  SealSender sender(Cipher::chacha20_poly1305, key_of(1), Time(1s));
  SealReceiver other(Cipher::chacha20_poly1305, key_of(2));
  REQUIRE_FALSE(opens(other, seal(sender, 1, Time(1s), Cipher::chacha20_poly1305)));
}

TEST_CASE("Without a cipher no bytes are added", "[net][secure][sys-33]") {
  REQUIRE(seal_bytes(Cipher::none) == 0);
  SealSender sender(Cipher::none, {}, Time(1s));
  SealReceiver receiver(Cipher::none, {});
  const Sealed sealed = seal(sender, 9, Time(1s) + 2 * kTimePerKey, Cipher::none);
  REQUIRE(sealed.bytes == sealed.plain);
  REQUIRE_FALSE(sealed.phase);
  REQUIRE(opens(receiver, sealed));
  Sealed of_another_phase = sealed;
  of_another_phase.phase = true;
  REQUIRE_FALSE(opens(receiver, of_another_phase));
}

}  // namespace
}  // namespace muster
