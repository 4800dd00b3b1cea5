// Limits the requests of each address, with a table of token buckets of fixed size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/secure/entropy.h"
#include "net/transport/address.h"
#include "registry/base/clock.h"

namespace muster {

/// One bucket per address, in a table of fixed size. Addresses share a bucket when their hashes
/// with a secret collide, so an attacker cannot choose the addresses with which it shares a bucket.
/// The secret is wiped on destruction. IPv6 is counted by /64 (`subscriber_of`).
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
