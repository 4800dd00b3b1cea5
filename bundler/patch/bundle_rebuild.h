// Makes a bundle of the new build from a patch. The format is PATCH_FORMAT.md, "Bundles".
#pragma once

#include <cstdint>

#include "bundler/pack/compressor.h"
#include "bundler/patch/bundle_assembly.h"
#include "bundler/patch/bundle_pool.h"
#include "bundler/patch/delta_codec.h"
#include "bundler/patch/patch_dictionaries.h"

namespace muster {

/// An entry of a bundle in the pool.
struct PoolEntry {
  std::size_t bundle = 0;
  std::uint32_t entry = 0;
  friend auto operator<=>(const PoolEntry&, const PoolEntry&) = default;
};

/// The two streams of a patch: the program and the data.
struct PatchStreams {
  ByteReader program;
  ByteReader data;
};

/// Makes bundles from the program of a patch, and owns the memory for this work. Use one object for
/// a whole patch. Programs are untrusted, so every number is checked against the available data
/// before use.
class BundleRebuild {
 public:
  /// `pool` and `dictionaries` must outlive this object. Makes no file larger than
  /// `max_file_bytes`.
  BundleRebuild(BundlePool& pool, PatchDictionaries& dictionaries, std::uint64_t max_file_bytes);

  /// The source of an entry whose program does not name a source.
  const PoolEntry& next() const { return next_; }
  void set_next(const PoolEntry& source) { next_ = source; }

  /// Reads the part of the streams for one bundle and returns the bytes of the bundle. The bytes
  /// are not verified, so the caller must compare their hash. Fails with `malformed` or
  /// `limit_exceeded`. If a bundle of the pool cannot be opened, fails with the code of that
  /// failure.
  Result<ByteVector> run(PatchStreams& streams);
  /// Whether `run` has compressed any block. The bytes of a compressed block depend on the release
  /// of zstd.
  bool has_recompressed() const { return has_recompressed_; }

 private:
  struct Op {
    std::uint8_t bits = 0;
    PoolEntry source{};  ///< The source; valid if `bits` has `kHasSource`.
  };
  Result<ByteVector> make_whole(PatchStreams& streams);
  Result<void> make_entry(PatchStreams& streams, std::uint32_t block_plain_bytes);
  Result<Op> read_op(ByteReader& program);
  Result<void> copy(const AssembledEntry& entry, const Op& op, std::uint32_t block_plain_bytes);
  Result<void> add_delta(AssembledEntry& entry, const Op& op, PatchStreams& streams,
                         std::uint32_t block_plain_bytes);
  Result<void> add_verbatim(AssembledEntry& entry, const Op& op, PatchStreams& streams,
                            std::uint32_t block_plain_bytes);
  Result<void> check_size(std::uint64_t more_bytes) const;
  Result<std::uint32_t> read_dictionary(ByteReader& program) const;
  void add_compressed(AssembledEntry& entry, int level, std::uint32_t block_plain_bytes);

  BundlePool* pool_;
  PatchDictionaries* dictionaries_;
  std::uint64_t max_file_bytes_;
  PoolEntry next_{};
  BundleAssembly assembly_;
  Compressor compressor_;
  Decompressor decompressor_;
  DeltaDecoder deltas_;
  ByteVector source_plain_;
  ByteVector plain_;
  ByteVector frame_;
  bool has_recompressed_ = false;
};

}  // namespace muster
