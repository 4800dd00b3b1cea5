// Trains a dictionary from samples of one kind of entry, if the dictionary saves enough bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "registry/base/bytes.h"

namespace muster {

/// The maximum used size of a sample in bytes. Only the beginning of a larger sample is used,
/// because the beginnings of entries are similar.
inline constexpr std::size_t kSampleBytesMax = std::size_t{64} << 10U;
/// The maximum total size of the samples of a kind, in bytes. Later samples are left out.
inline constexpr std::size_t kSamplesBytesMax = std::size_t{4} << 20U;
/// The level for training and trials. This level does not depend on the level of a build, so that
/// dictionaries depend only on content.
inline constexpr int kTrainingLevel = 6;

/// The conditions under which a dictionary is used. Tests use other values.
struct TrainingRules {
  /// The minimum number of samples.
  std::size_t samples_min = 24;
  /// The smallest size of a dictionary that is tried, in bytes. Each further size is twice as
  /// large.
  std::size_t dictionary_bytes_min = std::size_t{8} << 10U;
  /// A dictionary must save at least this number of halves of its own size: 3 means one and a half
  /// times its size.
  std::uint64_t halves_saved_min = 3;
};

struct TrainedDictionary {
  ByteVector bytes;
  std::uint64_t sample_bytes = 0;
  /// The estimated savings for the entries that are not samples; always more than the size of the
  /// dictionary.
  std::uint64_t saved_bytes = 0;
};

/// The compressed size of every fourth sample. `train_dictionary` does not train on these samples.
/// Each sample is compressed separately.
struct TriedSamples {
  std::size_t count = 0;
  std::uint64_t packed_bytes = 0;
};
/// Compresses every fourth sample, with `dictionary` if it is not empty. Requires: `dictionary` is
/// empty, or `Dictionary::open` accepts it.
TriedSamples try_samples(std::span<const Bytes> samples, Bytes dictionary);

/// Trains dictionaries of several sizes, up to 112 KiB, on three of every four samples, and
/// compresses every fourth sample with each dictionary. Returns the dictionary that saves the most
/// bytes after its own size is subtracted. `others` is the number of entries that are not samples;
/// their savings are estimated from the tried samples. Returns no value if there are too few
/// samples, or if the estimate is less than one and a half times the size of the dictionary. Equal
/// samples in equal order give equal bytes with the same release of zstd, for any number of threads
/// (`jobs`).
std::optional<TrainedDictionary> train_dictionary(std::span<const Bytes> samples,
                                                  std::uint64_t others,
                                                  const TrainingRules& rules = {},
                                                  unsigned jobs = 1);

}  // namespace muster
