// Limits the responses that a server handles for each address.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/secure/entropy.h"
#include "net/transport/address.h"
#include "registry/base/clock.h"

namespace muster {

/// A token bucket per address, in a table of fixed size. Addresses share a bucket when their hashes
/// are equal. The hash is keyed with a secret, so an attacker cannot find an address that shares
/// the bucket of a chosen player. The secret is wiped on destruction. All addresses of an IPv6 /64
/// count as one address (`subscriber_of`).
class AddressBudget {
 public:
  struct Limits {
    double per_second = 8;
    double burst = 16;
  };

  AddressBudget(const Limits& limits, Entropy& entropy);
  ~AddressBudget();
  AddressBudget(const AddressBudget&) = default;
  AddressBudget& operator=(const AddressBudget&) = default;

  /// Removes one token from the address's bucket. Returns false if the bucket is empty.
  bool spend_one(Time now, const Address& address);

 private:
  struct Bucket {
    float left = 0;
    Time filled_at{};
  };

  Limits limits_;
  std::array<std::byte, 16> secret_{};
  std::vector<Bucket> buckets_;
};

}  // namespace muster
