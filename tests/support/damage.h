// Damages the input of a decoder: each truncation, and one flipped bit in each byte.
#pragma once

#include <cstddef>
#include <functional>

#include "registry/base/bytes.h"

namespace muster::damage {

/// Calls `check` with every prefix of `bytes` that is shorter than `bytes`, including the empty
/// prefix. Each prefix is a separate allocation, so that a sanitizer detects reads beyond its end.
inline void each_truncation(Bytes bytes, const std::function<void(const ByteVector&)>& check) {
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    check(ByteVector(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
  }
}

/// Calls `check` once for each byte, with a copy in which one bit of this byte is flipped.
inline void each_flip(Bytes bytes,
                      const std::function<void(std::size_t offset, ByteVector& damaged)>& check) {
  ByteVector damaged(bytes.begin(), bytes.end());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto flip = static_cast<std::byte>(1U << (i % 8));
    damaged[i] ^= flip;
    ByteVector copy = damaged;
    check(i, copy);
    damaged[i] ^= flip;
  }
}

}  // namespace muster::damage
