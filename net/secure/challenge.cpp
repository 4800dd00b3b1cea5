#include "net/secure/challenge.h"

#include <algorithm>
#include <cassert>

#include <sodium.h>

#include "net/secure/keys.h"
#include "net/wire/section_writer.h"

namespace muster {

namespace {

constexpr std::size_t kClaimBytesMax = 64;

std::uint64_t milliseconds(Time time) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count());
}

}  // namespace

Challenger::Challenger(Entropy& entropy) {
  prepare_cryptography();
  entropy.fill(secret_);
}

Challenger::~Challenger() { sodium_memzero(secret_.data(), secret_.size()); }

std::array<std::byte, 16> Challenger::mac(std::uint64_t time_ms, const Address& client,
                                          ClientClaim claim) const {
  assert(claim.size() <= kClaimBytesMax);
  std::array<std::byte, 8 + 22 + kClaimBytesMax> message;
  SectionWriter writer(message);
  writer.write_u64(time_ms);
  writer.write_bytes(std::as_bytes(std::span(client.ip())));
  writer.write_u16(client.port());
  if (client.scope() != 0) writer.write_u32(client.scope());
  writer.write_bytes(claim);
  std::array<std::byte, 16> mac{};
  static_assert(crypto_shorthash_siphashx24_BYTES == 16);
  static_assert(crypto_shorthash_siphashx24_KEYBYTES == 16);
  crypto_shorthash_siphashx24(reinterpret_cast<unsigned char*>(mac.data()),
                              reinterpret_cast<const unsigned char*>(message.data()), writer.used(),
                              reinterpret_cast<const unsigned char*>(secret_.data()));
  return mac;
}

Challenge Challenger::make(Time now, const Address& client, ClientClaim claim) const {
  const std::uint64_t time_ms = milliseconds(now);
  return {.time_ms = time_ms, .mac = mac(time_ms, client, claim)};
}

bool Challenger::is_ours(const Challenge& challenge, Time now, const Address& client,
                         ClientClaim claim) const {
  const std::uint64_t time_ms = milliseconds(now);
  const auto age_max = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(kChallengeAge).count());
  if (challenge.time_ms > time_ms || time_ms - challenge.time_ms > age_max) return false;
  const std::array<std::byte, 16> expected = mac(challenge.time_ms, client, claim);
  return sodium_memcmp(expected.data(), challenge.mac.data(), expected.size()) == 0;
}

}  // namespace muster
