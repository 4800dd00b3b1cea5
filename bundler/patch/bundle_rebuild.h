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
struct EntryPlace {
  std::size_t bundle = 0;
  std::uint32_t entry = 0;
  friend auto operator<=>(const EntryPlace&, const EntryPlace&) = default;
};

/// The two streams of a patch: the program, and its data.
struct PatchStreams {
  ByteReader program;
  ByteReader data;
};

/// The working memory for making bundles; one for a whole patch. Programs are untrusted: every
/// number is checked against the available data before use.
class BundleRebuild {
 public:
  /// Requires: both outlive this object. Makes no file larger than `max_file_bytes`.
  BundleRebuild(BundlePool& pool, PatchDictionaries& dictionaries, std::uint64_t max_file_bytes);

  /// The source entry if a program does not name one.
  const EntryPlace& next() const { return next_; }
  void set_next(const EntryPlace& place) { next_ = place; }

  /// Reads one bundle's part of the streams and returns its bytes. They are unverified: the caller
  /// compares their hash. Fails with `malformed`, with `limit_exceeded`, or with the errors of
  /// opening the pool's bundles.
  Result<ByteVector> run(PatchStreams& streams);
  /// Whether it has compressed anything so far; then another zstd may give other bytes.
  bool has_recompressed() const { return has_recompressed_; }

 private:
  struct Op {
    std::uint8_t bits = 0;
    EntryPlace source{};  ///< Valid with `kHasSource`.
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
  EntryPlace next_{};
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
