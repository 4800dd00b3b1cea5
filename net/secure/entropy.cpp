#include "net/secure/entropy.h"

#include <sodium.h>

#include "net/secure/keys.h"

namespace muster {

void SystemEntropy::fill(std::span<std::byte> bytes) {
  prepare_cryptography();
  randombytes_buf(bytes.data(), bytes.size());
}

void SeededEntropy::fill(std::span<std::byte> bytes) {
  prepare_cryptography();
  std::array<unsigned char, randombytes_SEEDBYTES> seed{};
  for (std::size_t i = 0; i < 8; ++i) {
    seed[i] = static_cast<unsigned char>(seed_ >> (8 * i));
    seed[8 + i] = static_cast<unsigned char>(calls_ >> (8 * i));
  }
  ++calls_;
  randombytes_buf_deterministic(bytes.data(), bytes.size(), seed.data());
}

}  // namespace muster
