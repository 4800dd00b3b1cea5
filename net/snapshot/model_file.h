// A trained model as an asset: `snapshot_train` writes it, games load it from a bundle, and both
// ends of a connection compare its identity before the first snapshot. SNAPSHOT_FORMAT.md, "Model
// file".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "net/snapshot/snapshot_model.h"

namespace muster {

/// Bounds of a model file; what is beyond them is damage.
inline constexpr std::size_t kMaxModelTypes = 4096;
inline constexpr std::size_t kMaxModelNameBytes = 256;
/// A game of a thousand lanes has one million.
inline constexpr std::uint64_t kMaxModelSlots = 1U << 24;

/// The bytes of a model; the same model always gives the same bytes.
/// Requires: `find_fault(model)` is null, the bounds above are kept, and probabilities are from
/// `kProbabilityOfStep`.
std::vector<std::byte> encode_model(const SnapshotModel& model);

/// Reads a model from bytes that may be damaged or made by an enemy. Returns false, and a reason
/// for people, when they are no model; memory stays bounded by what a model may have.
bool decode_model(std::span<const std::byte> bytes, SnapshotModel& model, std::string& error);

/// What tells models apart.
using ModelHash = std::array<std::byte, 16>;
/// BLAKE2b of a model file's bytes.
ModelHash hash_model(std::span<const std::byte> bytes);

}  // namespace muster
