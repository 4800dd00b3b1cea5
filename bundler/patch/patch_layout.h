// The numbers of PATCH_FORMAT.md, shared by the code that creates and applies patches.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/bundle/bundle_layout.h"

namespace muster::layout::patch {

inline constexpr Magic kMagic = {0x4D, 0x50, 0x43, 0x48, 0x0D, 0x0A, 0x1A, 0x0A};
inline constexpr std::uint16_t kVersion = 2;
/// A flag of the header: applying the patch compresses blocks again, so it needs a release of zstd
/// that gives the same bytes.
inline constexpr std::uint32_t kRecompresses = 1;

// The limits. Each limit stops a small malicious patch from causing gigabytes of memory use or
// hours of work.
inline constexpr std::uint64_t kMaxProgramBytes = 1ULL << 30U;
/// The maximum size of one file of the new build, in bytes.
inline constexpr std::uint64_t kMaxFileBytes = 8ULL << 30U;
/// The maximum total size of the old and the new bytes of one delta. The maximum window of zstd has
/// the same size.
inline constexpr std::uint64_t kMaxDeltaBytes = 1ULL << 30U;
/// The maximum number of loose files: `build.json`, and for each target a catalog and its
/// signature. Dictionaries are counted separately.
inline constexpr std::uint64_t kMaxLooseFiles = 5;
inline constexpr std::uint64_t kMaxDictionaries = 2 * dictionary::kMaxCount;

namespace header {
/// The offset of the version, which is followed by six zero bytes.
inline constexpr std::size_t kVersionAt = 8;
inline constexpr std::size_t kHashAt = 16;
inline constexpr std::size_t kHashedFrom = 32;
inline constexpr std::size_t kProgramPlainAt = 48;
inline constexpr std::size_t kBytes = 64;
}  // namespace header

/// The form of a bundle in a patch.
enum class BundleForm : std::uint8_t { whole, entries };
inline constexpr std::uint8_t kBundleForms = 2;

// The first byte of an entry.
enum class EntryOp : std::uint8_t { copy, delta, verbatim };
inline constexpr std::uint8_t kEntryOps = 3;
inline constexpr std::uint8_t kOpMask = 0x03;
inline constexpr std::uint8_t kIsNamed = 0x04;    ///< The guid, the local id and the kind follow.
inline constexpr std::uint8_t kHasSource = 0x08;  ///< The entry uses old content.
/// The location of the source follows. Without this bit, the source is the entry after the last
/// source.
inline constexpr std::uint8_t kIsPlaced = 0x10;
inline constexpr std::uint8_t kOpBits = 0x1F;

/// How a block of a verbatim entry is stored. The patch contains `stored_bytes * 4` plus one of
/// these numbers.
enum class BlockOp : std::uint8_t { stored, zstd, source };
inline constexpr std::uint8_t kBlockOps = 3;

}  // namespace muster::layout::patch
