// Samples of a kind of entry to a dictionary, where that pays.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "registry/base/bytes.h"

namespace muster {

/// Of larger samples only the beginning is used: it is what is alike.
inline constexpr std::size_t kSampleBytesMax = std::size_t{64} << 10U;
/// All samples of a kind together; those that come later are left out.
inline constexpr std::size_t kSamplesBytesMax = std::size_t{4} << 20U;
/// The level that dictionaries are trained and tried with, whatever a build packs with: so they
/// depend on content alone.
inline constexpr int kTrainingLevel = 6;

/// When there is a dictionary; others than these are for tests.
struct TrainingRules {
  /// With fewer samples there is none.
  std::size_t samples_min = 24;
  /// The smallest size that is tried; each other one is twice as large.
  std::size_t dictionary_bytes_min = std::size_t{8} << 10U;
  /// It has to save so many halves of its own bytes.
  std::uint64_t halves_saved_min = 3;
};

struct TrainedDictionary {
  ByteVector bytes;
  std::uint64_t sample_bytes = 0;
  /// Of the entries that are no samples, as they were estimated; more than the dictionary's bytes.
  std::uint64_t saved_bytes = 0;
};

/// What the fourth part of the samples that `train_dictionary` does not train on takes, each packed
/// alone.
struct TriedSamples {
  std::size_t count = 0;
  std::uint64_t packed_bytes = 0;
};
/// With a dictionary, or without one when `dictionary` is empty. Requires: it is empty, or what
/// `Dictionary::open` takes.
TriedSamples try_samples(std::span<const Bytes> samples, Bytes dictionary);

/// Trains on three of four samples, tries sizes up to 112 KiB on every fourth, and takes the one
/// that saves most after its own bytes are paid for. `others` is the number of entries that are no
/// samples; what they would save is estimated from those that were tried. Nothing when there are
/// too few samples, or when the estimate is below one and a half times the dictionary's bytes.
/// Equal samples in equal order give equal bytes with one release of zstd, on as many threads
/// (`jobs`) as it may be.
std::optional<TrainedDictionary> train_dictionary(std::span<const Bytes> samples,
                                                  std::uint64_t others,
                                                  const TrainingRules& rules = {},
                                                  unsigned jobs = 1);

}  // namespace muster
