#include "net/secure/address_budget.h"

#include <algorithm>

#include <sodium.h>

#include "net/secure/keys.h"

namespace muster {

namespace {

/// The number of buckets, which together have 64 KiB. In a flood from many real addresses, new
/// clients may find their bucket empty. Connected clients do not need a bucket.
constexpr std::size_t kBuckets = 4096;

}  // namespace

AddressBudget::AddressBudget(const Limits& limits, Entropy& entropy)
    : limits_(limits),
      buckets_(kBuckets, Bucket{.left = static_cast<float>(limits.burst), .filled_at = {}}) {
  prepare_cryptography();
  entropy.fill(secret_);
}

AddressBudget::~AddressBudget() { sodium_memzero(secret_.data(), secret_.size()); }

bool AddressBudget::spend_one(Time now, const Address& address) {
  const Address subscriber = subscriber_of(address);
  std::array<unsigned char, crypto_shorthash_BYTES> hash{};
  static_assert(crypto_shorthash_KEYBYTES == 16);
  crypto_shorthash(hash.data(), subscriber.ip().data(), subscriber.ip().size(),
                   reinterpret_cast<const unsigned char*>(secret_.data()));
  Bucket& bucket = buckets_[(hash[0] | static_cast<std::size_t>(hash[1]) << 8U) % kBuckets];
  const double passed = std::chrono::duration<double>(now - bucket.filled_at).count();
  const double filled = std::min(
      limits_.burst, static_cast<double>(bucket.left) + std::max(passed, 0.0) * limits_.per_second);
  bucket.filled_at = now;
  bucket.left = static_cast<float>(filled >= 1 ? filled - 1 : filled);
  return filled >= 1;
}

}  // namespace muster
