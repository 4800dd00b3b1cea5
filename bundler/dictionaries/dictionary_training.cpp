// Uses the "fast cover" algorithm of zstd with fixed parameters. In tests on real projects,
// searching for better parameters with zstd's optimizer took ten times as long and saved nothing. A
// dictionary can also be made by joining whole samples. Such dictionaries saved less at every size.
#include "bundler/dictionaries/dictionary_training.h"

#include <algorithm>
#include <cassert>
#include <vector>

#define ZDICT_STATIC_LINKING_ONLY
#include <zdict.h>

#include "bundler/pack/compressor.h"
#include "registry/base/parallel.h"

namespace muster {
namespace {

constexpr std::size_t kDictionaryBytesMax = 112 << 10;
/// A dictionary has at most the size of its training data divided by this number. A larger
/// dictionary would only repeat the samples.
constexpr std::size_t kShareMax = 4;
constexpr std::size_t kTriedEvery = 4;

struct Material {
  ByteVector bytes;  ///< The concatenated samples for training.
  std::vector<std::size_t> sizes;
  std::vector<Bytes> tried;  ///< The samples for trials.
  std::uint64_t sample_bytes = 0;
};

Material divide(std::span<const Bytes> samples) {
  Material material;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Bytes sample = samples[i].first(std::min(samples[i].size(), kSampleBytesMax));
    if (material.sample_bytes + sample.size() > kSamplesBytesMax) break;
    material.sample_bytes += sample.size();
    if (i % kTriedEvery == kTriedEvery - 1) {
      material.tried.push_back(sample);
    } else {
      material.bytes.insert(material.bytes.end(), sample.begin(), sample.end());
      material.sizes.push_back(sample.size());
    }
  }
  return material;
}

std::optional<ByteVector> train(const Material& material, std::size_t size) {
  ZDICT_fastCover_params_t parameters{};
  parameters.k = static_cast<unsigned>(std::min<std::size_t>(1024, size / 2));
  parameters.d = 8;
  parameters.f = 20;
  parameters.accel = 1;
  parameters.nbThreads = 1;
  parameters.zParams.compressionLevel = kTrainingLevel;
  ByteVector dictionary(size);
  const std::size_t made = ZDICT_trainFromBuffer_fastCover(
      dictionary.data(), dictionary.size(), material.bytes.data(), material.sizes.data(),
      static_cast<unsigned>(material.sizes.size()), parameters);
  if (ZDICT_isError(made) != 0U) return std::nullopt;
  dictionary.resize(made);
  return dictionary;
}

std::uint64_t packed_bytes(std::span<const Bytes> plain, const CompressionDictionary* dictionary,
                           Compressor& compressor) {
  std::uint64_t sum = 0;
  ByteVector frame;
  for (const Bytes each : plain) {
    frame.clear();
    const bool is_smaller = compressor.compress(each, kTrainingLevel, frame, dictionary);
    sum += is_smaller ? frame.size() : each.size();
  }
  return sum;
}

// The sizes of dictionaries to try. Each size is twice the previous size, and the last size is the
// maximum.
std::vector<std::size_t> sizes_to_try(const Material& material, const TrainingRules& rules) {
  const std::size_t size_max = std::min(kDictionaryBytesMax, material.bytes.size() / kShareMax);
  std::vector<std::size_t> sizes;
  for (std::size_t size = rules.dictionary_bytes_min; size <= size_max;
       size = size < kDictionaryBytesMax ? std::min(2 * size, kDictionaryBytesMax) : 2 * size) {
    sizes.push_back(size);
  }
  return sizes;
}

struct Trial {
  ByteVector bytes;  ///< The dictionary; empty if the trial has none.
  std::uint64_t packed_bytes = 0;
};

// Trains a dictionary of this size and measures the samples with it. For size 0, measures the
// samples without a dictionary.
Trial try_size(const Material& material, std::size_t size) {
  Compressor compressor;
  if (size == 0) return {{}, packed_bytes(material.tried, nullptr, compressor)};
  auto dictionary = train(material, size);
  if (!dictionary || !Dictionary::open(*dictionary)) return {};
  const CompressionDictionary digested(*dictionary, kTrainingLevel);
  const std::uint64_t packed = packed_bytes(material.tried, &digested, compressor);
  return {std::move(*dictionary), packed};
}

}  // namespace

TriedSamples try_samples(std::span<const Bytes> samples, Bytes dictionary) {
  const Material material = divide(samples);
  Compressor compressor;
  if (dictionary.empty()) {
    return {material.tried.size(), packed_bytes(material.tried, nullptr, compressor)};
  }
  const CompressionDictionary digested(ByteVector(dictionary.begin(), dictionary.end()),
                                       kTrainingLevel);
  return {material.tried.size(), packed_bytes(material.tried, &digested, compressor)};
}

std::optional<TrainedDictionary> train_dictionary(std::span<const Bytes> samples,
                                                  std::uint64_t others, const TrainingRules& rules,
                                                  unsigned jobs) {
  const Material material = divide(samples);
  const std::vector<Bytes>& tried = material.tried;
  if (material.sizes.size() + tried.size() < rules.samples_min) return std::nullopt;
  const std::vector<std::size_t> sizes = sizes_to_try(material, rules);
  if (sizes.empty()) return std::nullopt;
  // The last trial compresses without a dictionary. The largest dictionaries are trained first,
  // because training them takes longest. If they started last, all other threads would wait for
  // them.
  std::vector<Trial> trials(sizes.size() + 1);
  parallel_for(trials.size(), jobs, {}, [&](std::size_t i, unsigned) {
    const std::size_t slot = trials.size() - 1 - i;
    trials[slot] = try_size(material, slot < sizes.size() ? sizes[slot] : 0);
  });
  const std::uint64_t alone = trials.back().packed_bytes;
  std::optional<TrainedDictionary> best;
  for (Trial& trial : std::span(trials).first(sizes.size())) {
    if (trial.bytes.empty() || trial.packed_bytes >= alone) continue;
    const std::uint64_t saved = (alone - trial.packed_bytes) * others / tried.size();
    if (2 * saved < rules.halves_saved_min * trial.bytes.size()) continue;
    const bool is_better =
        !best || saved + best->bytes.size() > best->saved_bytes + trial.bytes.size();
    if (is_better) best = TrainedDictionary{std::move(trial.bytes), material.sample_bytes, saved};
  }
  return best;
}

}  // namespace muster
