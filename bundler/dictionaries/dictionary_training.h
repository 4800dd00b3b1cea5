// Trains a dictionary from samples of a kind of entry, if it pays.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "registry/base/bytes.h"

namespace muster {

/// Only the beginning of a larger sample is used: beginnings are similar.
inline constexpr std::size_t kSampleBytesMax = std::size_t{64} << 10U;
/// The limit for all samples of a kind together; later ones are left out.
inline constexpr std::size_t kSamplesBytesMax = std::size_t{4} << 20U;
/// The level for training and trials, independent of a build's level, so that dictionaries depend
/// on content only.
inline constexpr int kTrainingLevel = 6;

/// The conditions for a dictionary; tests use other values.
struct TrainingRules {
  /// With fewer samples there is no dictionary.
  std::size_t samples_min = 24;
  /// The smallest size to try; each further one is twice as large.
  std::size_t dictionary_bytes_min = std::size_t{8} << 10U;
  /// A dictionary must save this many halves of its own bytes.
  std::uint64_t halves_saved_min = 3;
};

struct TrainedDictionary {
  ByteVector bytes;
  std::uint64_t sample_bytes = 0;
  /// The estimated savings for the entries that are not samples; more than the dictionary's bytes.
  std::uint64_t saved_bytes = 0;
};

/// The compressed size of every fourth sample, which `train_dictionary` does not train on; each is
/// packed separately.
struct TriedSamples {
  std::size_t count = 0;
  std::uint64_t packed_bytes = 0;
};
/// With a dictionary, or without one if `dictionary` is empty. Requires: it is empty, or accepted
/// by `Dictionary::open`.
TriedSamples try_samples(std::span<const Bytes> samples, Bytes dictionary);

/// Trains on three of four samples, tries sizes up to 112 KiB on every fourth, and returns the
/// dictionary that saves most after subtracting its own bytes. `others` is the number of entries
/// that are not samples; their savings are estimated from the tried samples. Nothing if there are
/// too few samples, or if the estimate is below one and a half times the dictionary's bytes. Equal
/// samples in equal order give equal bytes with one release of zstd, for any number of threads
/// (`jobs`).
std::optional<TrainedDictionary> train_dictionary(std::span<const Bytes> samples,
                                                  std::uint64_t others,
                                                  const TrainingRules& rules = {},
                                                  unsigned jobs = 1);

}  // namespace muster
