// Random numbers from explicit seeds.
#pragma once

#include <cstdint>

namespace muster {

/// A source of random seeds. Sources are constructed only in `main` and in tests.
class SeedSource {
 public:
  virtual ~SeedSource() = default;
  virtual std::uint64_t next_seed() = 0;
};

/// The operating system's entropy.
class SystemSeedSource final : public SeedSource {
 public:
  std::uint64_t next_seed() override;
};

/// A fixed sequence of seeds for tests: `first`, `first + 1`, ...
class FixedSeedSource final : public SeedSource {
 public:
  explicit FixedSeedSource(std::uint64_t first) : next_(first) {}
  std::uint64_t next_seed() override { return next_++; }

 private:
  std::uint64_t next_;
};

/// The generator SplitMix64 (Steele, Lea, Flood 2014). Gives the same numbers on every machine. Do
/// not use these numbers for secrets.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }

  /// A number in [0, bound). Requires: `bound > 0`. The bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

}  // namespace muster
