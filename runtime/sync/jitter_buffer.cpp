#include "runtime/sync/jitter_buffer.h"

#include <cassert>

#include "runtime/sync/newest_buffer.h"
#include "runtime/sync/quantile_buffer.h"
#include "runtime/sync/variance_buffer.h"

namespace muster {

std::unique_ptr<JitterBuffer> make_jitter_buffer(const JitterOptions& options) {
  assert(options.ticks_per_second >= 1 && options.ticks_per_second <= 1000);
  assert(options.snapshot_ticks >= 1);
  switch (options.policy) {
    case JitterPolicy::variance:
      return std::make_unique<VarianceBuffer>(options);
    case JitterPolicy::newest:
      return std::make_unique<NewestBuffer>(options);
    case JitterPolicy::quantile:
      break;
  }
  return std::make_unique<QuantileBuffer>(options);
}

}  // namespace muster
