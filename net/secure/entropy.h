// The source of secret random bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace muster {

/// A source of random bytes. Only `main` and tests construct one.
class Entropy {
 public:
  virtual ~Entropy() = default;
  virtual void fill(std::span<std::byte> bytes) = 0;
};

/// The operating system's random bytes.
class SystemEntropy final : public Entropy {
 public:
  void fill(std::span<std::byte> bytes) override;
};

/// Bytes derived from a seed. Only for tests.
class SeededEntropy final : public Entropy {
 public:
  explicit SeededEntropy(std::uint64_t seed) : seed_(seed) {}
  void fill(std::span<std::byte> bytes) override;

 private:
  std::uint64_t seed_;
  std::uint64_t calls_ = 0;
};

}  // namespace muster
