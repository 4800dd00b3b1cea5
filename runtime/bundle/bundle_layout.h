// The constants of BUNDLE_FORMAT.md: the layout of bundles, catalogs, cooked objects and prefabs.
// Readers (runtime/bundle) and writers (bundler/pack, bundler/cook) share only this header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace muster::layout {

/// The magic number at the start of a file: four letters, then CR LF SUB LF.
using Magic = std::array<std::uint8_t, 8>;

/// Means "no index" in every 32-bit index field.
inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

namespace bundle {

inline constexpr Magic kMagic = {0x4D, 0x42, 0x4E, 0x44, 0x0D, 0x0A, 0x1A, 0x0A};
inline constexpr std::uint16_t kVersion = 2;

// The limits. Each limit stops a malicious file of a few bytes from causing gigabytes of memory use
// or hours of work.
/// The largest known bundle has 3,000 entries.
inline constexpr std::uint32_t kMaxEntries = 1U << 20U;
inline constexpr std::uint32_t kMaxBlocks = 1U << 22U;
inline constexpr std::uint32_t kMinBlockPlainBytes = 1U << 12U;
inline constexpr std::uint32_t kMaxBlockPlainBytes = 1U << 20U;
inline constexpr std::uint64_t kMaxEntryPlainBytes = 1ULL << 32U;
/// The size of a file with the maximum number of blocks of maximum size. File sizes in catalogs are
/// checked against this limit.
inline constexpr std::uint64_t kMaxFileBytes = 1ULL << 43U;
/// The maximum ratio of plain to compressed bytes. zstd reaches 25,000 for one megabyte of zeros,
/// so a higher ratio is an attack.
inline constexpr std::uint64_t kMaxCompressionRatio = 32768;

/// The default block size: large enough to compress well, and small enough to decompress in less
/// than a millisecond.
inline constexpr std::uint32_t kDefaultBlockPlainBytes = 1U << 18U;

namespace header {
inline constexpr std::size_t kVersionAt = 8;
inline constexpr std::size_t kFlagsAt = 10;
inline constexpr std::size_t kReservedAt = 12;
inline constexpr std::size_t kHashAt = 16;
inline constexpr std::size_t kHashedFrom = 32;
inline constexpr std::size_t kFileBytesAt = 32;
inline constexpr std::size_t kEntryCountAt = 40;
inline constexpr std::size_t kBlockCountAt = 44;
inline constexpr std::size_t kBlockPlainBytesAt = 48;
inline constexpr std::size_t kReserved2At = 52;
inline constexpr std::size_t kPlainBytesAt = 56;
inline constexpr std::size_t kBytes = 64;
}  // namespace header

namespace entry {
inline constexpr std::size_t kGuidAt = 0;
inline constexpr std::size_t kLocalIdAt = 16;
inline constexpr std::size_t kPlainHashAt = 24;
inline constexpr std::size_t kPlainBytesAt = 40;
inline constexpr std::size_t kFirstBlockAt = 48;
inline constexpr std::size_t kKindAt = 52;
inline constexpr std::size_t kFlagsAt = 54;
inline constexpr std::size_t kDictionaryAt = 56;
inline constexpr std::size_t kReservedAt = 60;
inline constexpr std::size_t kBytes = 64;
}  // namespace entry

namespace block {
inline constexpr std::size_t kOffsetAt = 0;
inline constexpr std::size_t kStoredBytesAt = 8;
inline constexpr std::size_t kCodingAt = 12;
inline constexpr std::size_t kBytes = 16;
}  // namespace block

}  // namespace bundle

namespace dictionary {
/// The maximum size of a dictionary. The default size of zstd's trainer is 110 KiB. Small
/// dictionaries stay in the processor's cache.
inline constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;
/// The maximum number of dictionaries in one catalog.
inline constexpr std::uint32_t kMaxCount = 64;
}  // namespace dictionary

namespace catalog {

inline constexpr Magic kMagic = {0x4D, 0x43, 0x41, 0x54, 0x0D, 0x0A, 0x1A, 0x0A};
inline constexpr std::uint16_t kVersion = 4;

inline constexpr std::uint16_t kIsPreview = 1;  ///< A bit of the header's flags.
inline constexpr std::uint64_t kMaxFileBytes = 1ULL << 31U;
inline constexpr std::uint32_t kMaxRecords = 1U << 22U;
inline constexpr std::uint32_t kMaxTextBytes = 65535;
inline constexpr std::uint32_t kMaxDescribedBytes = 65536;
inline constexpr std::uint32_t kMaxAlignment = 4096;
inline constexpr std::uint32_t kMaxFields = 1024;
/// The maximum number of values and of axes. Checking a catalog compares each value with all
/// earlier values.
inline constexpr std::uint32_t kMaxVariantValues = 256;
inline constexpr std::uint32_t kMaxVariantAxes = 8;
inline constexpr std::size_t kSectionAlignment = 8;

namespace header {
inline constexpr std::size_t kVersionAt = 8;
inline constexpr std::size_t kFlagsAt = 10;
inline constexpr std::size_t kReservedAt = 12;
inline constexpr std::size_t kFingerprintAt = 16;
inline constexpr std::size_t kHashedFrom = 32;
inline constexpr std::size_t kFileBytesAt = 32;
inline constexpr std::size_t kTargetAt = 40;
inline constexpr std::size_t kReserved2At = 42;
inline constexpr std::size_t kSectionCountAt = 44;
inline constexpr std::size_t kAgreementAt = 48;
inline constexpr std::size_t kBytes = 64;
}  // namespace header

/// The sections in file order.
enum class Section : std::uint32_t {
  bundles,
  dependencies,
  assets,
  registries,
  entries,
  slots,
  effects,
  presentations,
  components,
  variant_values,
  alternatives,
  alternative_keys,
  text,
  descriptions,
  dictionaries,
};
inline constexpr std::size_t kSectionCount = 15;
/// The size of one record, by section.
inline constexpr std::array<std::uint32_t, kSectionCount> kRecordBytes = {
    56, 4, 32, 56, 56, 4, 32, 48, 40, 24, 16, 4, 1, 1, 24};

namespace directory {
inline constexpr std::size_t kOffsetAt = 0;
inline constexpr std::size_t kCountAt = 4;
inline constexpr std::size_t kRecordBytesAt = 8;
inline constexpr std::size_t kReservedAt = 12;
inline constexpr std::size_t kBytes = 16;
}  // namespace directory

namespace bundle_record {
inline constexpr std::size_t kNameAt = 0;
inline constexpr std::size_t kHashAt = 16;
inline constexpr std::size_t kFileBytesAt = 32;
inline constexpr std::size_t kFirstDependencyAt = 40;
inline constexpr std::size_t kDependencyCountAt = 44;
inline constexpr std::size_t kKindAt = 48;
inline constexpr std::size_t kReservedAt = 50;
}  // namespace bundle_record

namespace asset_record {
inline constexpr std::size_t kGuidAt = 0;
inline constexpr std::size_t kBundleAt = 16;
inline constexpr std::size_t kPathAt = 20;
inline constexpr std::size_t kReservedAt = 28;
}  // namespace asset_record

namespace registry_record {
inline constexpr std::size_t kGuidAt = 0;
inline constexpr std::size_t kClassNameAt = 16;
inline constexpr std::size_t kPathAt = 24;
inline constexpr std::size_t kFirstEntryAt = 32;
inline constexpr std::size_t kEntryCountAt = 36;
inline constexpr std::size_t kFirstSlotAt = 40;
inline constexpr std::size_t kSlotCountAt = 44;
inline constexpr std::size_t kReservedAt = 48;
}  // namespace registry_record

namespace entry_record {
inline constexpr std::size_t kTypeIdAt = 0;
inline constexpr std::size_t kBundleAt = 4;
inline constexpr std::size_t kGuidAt = 8;
inline constexpr std::size_t kOwnerAt = 24;
inline constexpr std::size_t kRoleAt = 40;
inline constexpr std::size_t kAssetAt = 48;
inline constexpr std::size_t kTargetsAt = 52;
inline constexpr std::size_t kFlagsAt = 53;
inline constexpr std::size_t kReservedAt = 54;
inline constexpr std::uint8_t kIsFactory = 1;
}  // namespace entry_record

namespace effect_record {
inline constexpr std::size_t kTypeIdAt = 0;
inline constexpr std::size_t kPoolSizeAt = 4;
inline constexpr std::size_t kPrefabAt = 8;
inline constexpr std::size_t kBundleAt = 24;
inline constexpr std::size_t kKindAt = 28;
inline constexpr std::size_t kReservedAt = 30;
}  // namespace effect_record

namespace presentation_record {
inline constexpr std::size_t kOwnerAt = 0;
inline constexpr std::size_t kPlatformsAt = 16;
inline constexpr std::size_t kVariationAt = 18;
inline constexpr std::size_t kTypeAt = 20;
inline constexpr std::size_t kPresentationAt = 24;
inline constexpr std::size_t kBundleAt = 40;
inline constexpr std::size_t kReservedAt = 44;
}  // namespace presentation_record

namespace component_record {
inline constexpr std::size_t kHashAt = 0;
inline constexpr std::size_t kNameAt = 16;
inline constexpr std::size_t kSizeBytesAt = 24;
inline constexpr std::size_t kAlignmentAt = 28;
inline constexpr std::size_t kDescriptionAt = 32;
inline constexpr std::size_t kDescriptionBytesAt = 36;
}  // namespace component_record

namespace variant_value_record {
inline constexpr std::size_t kAxisAt = 0;
inline constexpr std::size_t kValueAt = 8;
inline constexpr std::size_t kFlagsAt = 16;
inline constexpr std::size_t kReservedAt = 18;
inline constexpr std::uint16_t kIsDefault = 1;  ///< A bit of the flags.
inline constexpr std::uint16_t kIsBuiltIn = 2;
}  // namespace variant_value_record

namespace alternative_record {
inline constexpr std::size_t kBundleAt = 0;
inline constexpr std::size_t kAlternativeAt = 4;
inline constexpr std::size_t kFirstKeyAt = 8;
inline constexpr std::size_t kKeyCountAt = 12;
}  // namespace alternative_record

namespace dictionary_record {
inline constexpr std::size_t kHashAt = 0;
inline constexpr std::size_t kBytesAt = 16;
inline constexpr std::size_t kKindAt = 20;
inline constexpr std::size_t kReservedAt = 22;
}  // namespace dictionary_record

}  // namespace catalog

namespace object {

inline constexpr std::array<std::uint8_t, 4> kMagic = {0x4D, 0x4F, 0x42, 0x4A};
inline constexpr std::uint16_t kVersion = 2;

inline constexpr std::uint32_t kMaxDocuments = 1U << 22U;
/// The maximum nesting depth. Real files have less than 20 levels, and the YAML readers stop at
/// 200. Without the limit, a malicious file could exhaust the stack.
inline constexpr std::uint32_t kMaxDepth = 256;

namespace header {
inline constexpr std::size_t kVersionAt = 4;
inline constexpr std::size_t kFlagsAt = 6;
inline constexpr std::size_t kDocumentCountAt = 8;
inline constexpr std::size_t kTotalBytesAt = 12;
inline constexpr std::size_t kBytes = 16;
}  // namespace header

namespace document {
inline constexpr std::size_t kFileIdBytes = 8;
inline constexpr std::size_t kSizeBytes = 4;
inline constexpr std::size_t kMarkBytes = 4;
/// The number of documents per mark. To find a document, a reader adds at most this many sizes.
inline constexpr std::uint32_t kPerMark = 16;
inline constexpr std::uint8_t kIsStripped = 1;
inline constexpr std::uint64_t kNoTypeName = 0;
inline constexpr std::uint64_t kFirstKeyIsTypeName = 1;
/// The tag of any other type name is its length plus this value.
inline constexpr std::uint64_t kTypeNameBias = 2;
}  // namespace document

namespace value {
inline constexpr std::uint8_t kKindMask = 0x0F;
inline constexpr unsigned kFormShift = 4;
inline constexpr unsigned kKeyStyleBits = 2;
inline constexpr std::uint64_t kKeyStyleMask = 3;

// Forms of a mapping or sequence.
inline constexpr unsigned kIsSized = 1;
/// Content of at least this size, in bytes, is preceded by its size, so a reader can skip it. A
/// reader skips smaller content value by value.
inline constexpr std::uint64_t kSizedBytesMin = 256;

// Forms of a reference.
inline constexpr unsigned kByFileId = 0;
inline constexpr unsigned kToDocument = 1;
inline constexpr unsigned kExternal = 2;
}  // namespace value

}  // namespace object

namespace prefab {

inline constexpr std::array<std::uint8_t, 4> kMagic = {0x4D, 0x50, 0x46, 0x42};
inline constexpr std::uint16_t kVersion = 2;

/// The largest known scene has 60,000 entities.
inline constexpr std::uint32_t kMaxEntities = 1U << 20U;
inline constexpr std::uint32_t kMaxComponents = 1U << 22U;
inline constexpr std::uint32_t kMaxTypes = 1U << 16U;
inline constexpr std::uint32_t kMaxTextBytes = 65535;
inline constexpr std::uint32_t kMaxDescribedBytes = 65536;
inline constexpr std::size_t kDataAlignment = 8;
inline constexpr std::size_t kSourceIdBytes = 8;
inline constexpr std::size_t kHashBytes = 16;
/// The size of a field in all other columns. The column of flags has one byte per field.
inline constexpr std::size_t kFieldBytes = 4;
inline constexpr std::uint8_t kIsActive = 1;

namespace header {
inline constexpr std::size_t kVersionAt = 4;
inline constexpr std::size_t kFlagsAt = 6;
inline constexpr std::size_t kEntityCountAt = 8;
inline constexpr std::size_t kComponentCountAt = 12;
inline constexpr std::size_t kTypeCountAt = 16;
inline constexpr std::size_t kDescriptionCountAt = 20;
inline constexpr std::size_t kTextBytesAt = 24;
inline constexpr std::size_t kDataBytesAt = 28;
inline constexpr std::size_t kTotalBytesAt = 32;
inline constexpr std::size_t kReservedAt = 36;
inline constexpr std::size_t kReservedBytes = 4;
inline constexpr std::size_t kBytes = 40;
}  // namespace header

}  // namespace prefab
}  // namespace muster::layout

namespace muster {

/// The type of an entry's plain bytes. The numbers are part of the bundle format.
enum class EntryKind : std::uint16_t {
  object = 1,           ///< A YAML asset in the object form.
  prefab = 2,           ///< A flattened prefab.
  raw = 3,              ///< The bytes of the asset's file.
  import_settings = 4,  ///< The asset's `.meta`, in the object form.
  text = 5,             ///< The name of an asset that is not packed.
};

/// The parts of an asset with fixed local ids.
inline constexpr std::int64_t kMainPayload = 0;
inline constexpr std::int64_t kFlattenedPrefab = 1;
inline constexpr std::int64_t kImportSettings = 2;

/// The type of a bundle. The numbers are part of the catalog format.
enum class BundleKind : std::uint16_t {
  prefab = 0,   ///< One prefab and the assets that only this prefab needs. The bundle is named by
                ///< the prefab's guid.
  shared = 1,   ///< Assets that several prefabs need. The bundle is named by its content hash.
  variant = 2,  ///< Alternative content of one asset. The bundle is named by the asset's guid and
                ///< the variant's keys.
};

/// How an effect plays.
enum class EffectKind : std::uint16_t {
  spatial = 0,  ///< Plays at a point.
  hitscan = 1,  ///< Plays along a line.
};

/// The platforms of a presentation, as bits of a set.
inline constexpr std::uint16_t kPlatformServer = 1;
inline constexpr std::uint16_t kPlatformClient = 2;

/// The type of a value in the object form. The numbers are part of the format.
enum class ObjectKind : std::uint8_t {
  null = 0,
  integer = 1,
  real32 = 2,
  real64 = 3,
  text = 4,
  mapping = 5,
  sequence = 6,
  reference = 7,
  guid_text = 8,   ///< A guid written as 32 digits.
  guid_words = 9,  ///< A guid written as `val0..val3`.
};

/// How a text or key was written.
enum class TextStyle : std::uint8_t { plain = 0, single_quoted = 1, double_quoted = 2 };

/// How a block's bytes are stored.
enum class BlockCoding : std::uint32_t { stored = 0, zstd = 1 };

}  // namespace muster
