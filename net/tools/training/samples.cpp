#include "net/tools/training/samples.h"

#include <algorithm>
#include <span>

#include "net/snapshot/constant_walk.h"
#include "net/snapshot/entity_track.h"

namespace muster {
namespace {

/// A random generator that gives equal numbers on every machine (SplitMix64).
std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15ULL;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

const LaneValue* find(const std::vector<TraceEntity>& entities, SliceId id) {
  const auto found = std::lower_bound(
      entities.begin(), entities.end(), id,
      [](const TraceEntity& entity, SliceId wanted) { return entity.id < wanted; });
  return found != entities.end() && found->id == id ? found->values : nullptr;
}

/// A coder that writes nothing, and returns the value of each decision.
struct Listener {
  static constexpr bool kDecodes = false;
  bool bit(std::uint32_t /*slot*/, bool value) { return value; }
  bool even_bit(bool value) { return value; }
};

struct KnownSample {
  StateSample* sample = nullptr;
  bool is_constant = false;
  bool is_changed = false;
};
/// The entities of a snapshot, from the next entity to the last.
struct KnownSamplesView {
  std::span<const KnownSample> entities;

  bool changes(std::size_t count) const {
    for (const KnownSample& entity : entities) {
      if (!entity.is_constant) continue;
      if (entity.is_changed) return true;
      if (--count == 0) break;
    }
    return false;
  }
  std::size_t others(std::size_t count) const { return others_among(entities, count); }
};

/// Sets `is_separate` and `follows_changed` for the entities of a snapshot.
void set_flags(std::span<StateSample> snapshot, const Trace& trace) {
  const auto is_changed = [&](const StateSample& sample) {
    const std::size_t lanes = trace.types[codec_index(sample.entity->type)].lanes.size();
    return !std::equal(sample.entity->values, sample.entity->values + lanes,
                       sample.known.values[0]);
  };
  std::vector<KnownSample> known_samples;
  for (StateSample& sample : snapshot) {
    if (sample.known.count == 0) continue;
    known_samples.push_back({&sample, is_constant(sample.known), is_changed(sample)});
  }
  ConstantWalk walk(static_cast<std::size_t>(
      std::count_if(known_samples.begin(), known_samples.end(),
                    [](const KnownSample& entity) { return entity.is_constant; })));
  Listener listener;
  bool follows_changed = false;
  for (std::size_t i = 0; i < known_samples.size(); ++i) {
    StateSample& sample = *known_samples[i].sample;
    if (known_samples[i].is_constant) {
      sample.is_separate =
          walk.unchanged(listener, KnownSamplesView{std::span(known_samples).subspan(i)}) == 0;
      walk.pass(1);
    }
    sample.follows_changed = follows_changed;
    follows_changed = known_samples[i].is_changed;
  }
}

}  // namespace

std::vector<StateSample> samples_of(const Trace& trace, const SampleSettings& settings) {
  std::vector<StateSample> samples;
  std::vector<std::uint32_t> arrived;  // The ticks of the snapshots that arrived.
  std::uint64_t random = settings.seed;
  for (std::uint32_t now = 0; now < trace.ticks.size(); now += settings.tick_step) {
    const std::uint32_t acked_limit = now >= settings.ack_ticks ? now - settings.ack_ticks + 1 : 0;
    const auto end = std::lower_bound(arrived.begin(), arrived.end(), acked_limit);
    const auto usable = std::min<std::ptrdiff_t>(end - arrived.begin(), kMaxKnownStates);
    const std::size_t first = samples.size();
    for (const TraceEntity& entity : trace.ticks[now]) {
      const std::size_t lanes = trace.types[codec_index(entity.type)].lanes.size();
      StateSample sample{.entity = &entity, .known = {}};
      sample.known.now = Tick(now);
      for (std::ptrdiff_t i = 1; i <= usable; ++i) {
        const std::uint32_t tick = *(end - i);
        const LaneValue* values = find(trace.ticks[tick], entity.id);
        if (values == nullptr) break;
        const LaneValue* newest = sample.known.count > 0 ? sample.known.values[0] : values;
        sample.known.values[sample.known.count] =
            std::equal(values, values + lanes, newest) ? newest : values;
        sample.known.ticks[sample.known.count++] = Tick(tick);
      }
      samples.push_back(sample);
    }
    set_flags(std::span(samples).subspan(first), trace);
    const bool is_lost = static_cast<double>(next_random(random) >> 11) * 0x1p-53 < settings.loss;
    if (!is_lost) arrived.push_back(now);
  }
  return samples;
}

}  // namespace muster
