// A trained model as a file: `snapshot_train` writes it, games load it from a bundle, and both ends
// of a connection compare its hash before the first snapshot. See SNAPSHOT_FORMAT.md, "Model file".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "net/snapshot/snapshot_model.h"

namespace muster {

/// Limits of a model file. A file that exceeds one of them is invalid.
inline constexpr std::size_t kMaxModelTypes = 4096;
inline constexpr std::size_t kMaxModelNameBytes = 256;
/// A game with a thousand lanes has one million slots.
inline constexpr std::uint64_t kMaxModelSlots = 1U << 24;

/// Encodes a model; equal models give equal bytes. Requires: `find_fault(model)` is null, the
/// limits above hold, and all probabilities are in `kProbabilityOfStep`.
std::vector<std::byte> encode_model(const SnapshotModel& model);

/// Decodes a model from untrusted bytes. Returns false and sets `error` if the bytes are invalid.
/// The limits above also bound the memory for decoding.
bool decode_model(std::span<const std::byte> bytes, SnapshotModel& model, std::string& error);

/// Identifies a model.
using ModelHash = std::array<std::byte, 16>;
/// BLAKE2b of a model file's bytes.
ModelHash hash_model(std::span<const std::byte> bytes);

}  // namespace muster
