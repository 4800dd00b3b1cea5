#include "tests/bench/snapshot_sizes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <vector>

#include <zstd.h>

#include "net/tools/training/samples.h"

namespace muster {
namespace {

using Counts = std::map<std::int64_t, double>;

double entropy_bits(const Counts& counts) {
  double all = 0;
  for (const auto& [value, count] : counts) all += count;
  double bits = 0;
  for (const auto& [value, count] : counts) bits -= count * std::log2(count / all);
  return bits;
}

void append_varint(std::vector<char>& bytes, std::int64_t change) {
  auto rest = (static_cast<std::uint64_t>(change) << 1U) ^ static_cast<std::uint64_t>(change >> 63);
  while (rest >= 128) {
    bytes.push_back(static_cast<char>(rest | 128U));
    rest >>= 7U;
  }
  bytes.push_back(static_cast<char>(rest));
}

}  // namespace

PeerSizes peer_sizes(const Trace& trace, std::uint32_t tick_step, std::uint32_t ack_ticks) {
  const std::vector<StateSample> samples =
      samples_of(trace, {.tick_step = tick_step, .ack_ticks = ack_ticks, .loss = 0, .seed = 1});
  std::vector<std::vector<Counts>> counts;
  for (const EntitySchema& type : trace.types) counts.emplace_back(type.lanes.size());
  PeerSizes sizes;
  double snapshots = 0;
  std::vector<char> changes;
  std::vector<char> packed;
  const auto pack = [&] {
    packed.resize(ZSTD_compressBound(changes.size()));
    sizes.zstd_delta += static_cast<double>(
        ZSTD_compress(packed.data(), packed.size(), changes.data(), changes.size(), 3));
    changes.clear();
  };
  std::uint32_t tick = UINT32_MAX;
  for (const StateSample& sample : samples) {
    if (sample.known.now.value() < trace.tick_rate) continue;
    if (sample.known.now.value() != tick) {
      if (tick != UINT32_MAX) pack();
      tick = sample.known.now.value();
      snapshots += 1;
    }
    const std::size_t type = codec_index(sample.entity->type);
    for (std::size_t lane = 0; lane < trace.types[type].lanes.size(); ++lane) {
      sizes.bit_packed += std::bit_width(trace.types[type].lanes[lane].maximum);
      const std::int64_t before = sample.known.count > 0 ? sample.known.values[0][lane] : 0;
      const std::int64_t change = std::int64_t{sample.entity->values[lane]} - before;
      counts[type][lane][change] += 1;
      append_varint(changes, change);
    }
  }
  if (tick != UINT32_MAX) pack();
  for (const auto& type : counts) {
    for (const Counts& lane : type) sizes.order0_entropy += entropy_bits(lane);
  }
  snapshots = std::max(snapshots, 1.0);
  sizes.bit_packed /= 8 * snapshots;
  sizes.order0_entropy /= 8 * snapshots;
  sizes.zstd_delta /= snapshots;
  return sizes;
}

}  // namespace muster
