// The numbers of PATCH_FORMAT.md, shared by the code that creates and applies patches.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/bundle/bundle_layout.h"

namespace muster::layout::patch {

inline constexpr Magic kMagic = {0x4D, 0x50, 0x43, 0x48, 0x0D, 0x0A, 0x1A, 0x0A};
inline constexpr std::uint16_t kVersion = 2;
/// A flag of the header: blocks are compressed again, which requires a zstd that gives equal bytes.
inline constexpr std::uint32_t kRecompresses = 1;

// Limits. Each prevents a small patch from requesting gigabytes of memory, or hours of work.
inline constexpr std::uint64_t kMaxProgramBytes = 1ULL << 30U;
/// The maximum size of one file of the new build, as in the other tools that read a file into
/// memory.
inline constexpr std::uint64_t kMaxFileBytes = 8ULL << 30U;
/// Old and new bytes of one delta together: the maximum window of zstd.
inline constexpr std::uint64_t kMaxDeltaBytes = 1ULL << 30U;
/// `build.json`, and for each target a catalog and its signature; dictionaries are counted
/// separately.
inline constexpr std::uint64_t kMaxLooseFiles = 5;
inline constexpr std::uint64_t kMaxDictionaries = 2 * dictionary::kMaxCount;

namespace header {
inline constexpr std::size_t kVersionAt = 8;  ///< Followed by six zero bytes.
inline constexpr std::size_t kHashAt = 16;
inline constexpr std::size_t kHashedFrom = 32;
inline constexpr std::size_t kProgramPlainAt = 48;
inline constexpr std::size_t kBytes = 64;
}  // namespace header

/// The form of a bundle in a patch.
enum class BundleForm : std::uint8_t { whole, entries };
inline constexpr std::uint8_t kBundleForms = 2;

// An entry's first byte.
enum class EntryOp : std::uint8_t { copy, delta, verbatim };
inline constexpr std::uint8_t kEntryOps = 3;
inline constexpr std::uint8_t kOpMask = 0x03;
inline constexpr std::uint8_t kIsNamed = 0x04;    ///< Guid, local id and kind follow.
inline constexpr std::uint8_t kHasSource = 0x08;  ///< Otherwise the entry uses no old content.
/// The source's location follows; otherwise it is the next entry.
inline constexpr std::uint8_t kIsPlaced = 0x10;
inline constexpr std::uint8_t kOpBits = 0x1F;

/// A block of a verbatim entry: `stored_bytes * 4 +` one of these.
enum class BlockOp : std::uint8_t { stored, zstd, source };
inline constexpr std::uint8_t kBlockOps = 3;

}  // namespace muster::layout::patch
