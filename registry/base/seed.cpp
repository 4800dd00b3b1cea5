#include "registry/base/seed.h"

#include <random>

namespace muster {

std::uint64_t SystemSeedSource::next_seed() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

}  // namespace muster
