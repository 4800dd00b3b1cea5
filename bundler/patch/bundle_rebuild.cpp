#include "bundler/patch/bundle_rebuild.h"

#include <algorithm>
#include <utility>

#include "bundler/patch/patch_layout.h"

namespace muster {

using namespace layout::patch;  // NOLINT(google-build-using-namespace): this file reads that layout

namespace {

constexpr unsigned kMinBlockLog = 12;
constexpr unsigned kMaxBlockLog = 20;

tl::unexpected<Error> malformed(const char* what) {
  return fail(ErrorCode::malformed, std::string("the patch is invalid: ") + what);
}

bool is_kind(std::uint64_t kind) {
  return kind >= static_cast<std::uint64_t>(EntryKind::object) &&
         kind <= static_cast<std::uint64_t>(EntryKind::text);
}

}  // namespace

BundleRebuild::BundleRebuild(BundlePool& pool, PatchDictionaries& dictionaries,
                             std::uint64_t max_file_bytes)
    : pool_(&pool), dictionaries_(&dictionaries), max_file_bytes_(max_file_bytes) {
  decompressor_.use(dictionaries.decompressing());
}

Result<std::uint32_t> BundleRebuild::read_dictionary(ByteReader& program) const {
  const std::uint64_t number = program.varint();
  if (program.failed() || number > dictionaries_->count()) return malformed("a dictionary");
  return dictionaries_->id_of(number);
}

Result<void> BundleRebuild::check_size(std::uint64_t more_bytes) const {
  const std::uint64_t has = assembly_.file_bytes();
  if (has <= max_file_bytes_ && more_bytes <= max_file_bytes_ - has) return {};
  return fail(ErrorCode::limit_exceeded, "the patch requires a file of more than " +
                                             std::to_string(max_file_bytes_) + " bytes");
}

Result<ByteVector> BundleRebuild::run(PatchStreams& streams) {
  assembly_ = {};
  const std::uint8_t form = streams.program.u8();
  if (streams.program.failed() || form >= kBundleForms) return malformed("a bundle's form");
  if (BundleForm{form} == BundleForm::whole) return make_whole(streams);
  const std::uint64_t block_log = streams.program.varint();
  const std::uint64_t entry_count = streams.program.varint();
  if (block_log < kMinBlockLog || block_log > kMaxBlockLog) return malformed("a block's size");
  // Every entry has at least one byte in the program.
  if (entry_count >
      std::min<std::uint64_t>(streams.program.remaining(), layout::bundle::kMaxEntries)) {
    return malformed("a bundle's number of entries");
  }
  const auto block_plain_bytes = std::uint32_t{1} << static_cast<unsigned>(block_log);
  for (std::uint64_t i = 0; i < entry_count; ++i) {
    if (auto made = make_entry(streams, block_plain_bytes); !made) return fail(made.error());
  }
  return assembly_.finish(block_plain_bytes);
}

Result<ByteVector> BundleRebuild::make_whole(PatchStreams& streams) {
  const std::uint64_t prefix_number = streams.program.varint();  // 0: none
  const std::uint64_t plain_bytes = streams.program.varint();
  const std::uint64_t frame_bytes = streams.program.varint();
  if (streams.program.failed() || prefix_number > pool_->size() ||
      frame_bytes > streams.data.remaining() || !can_hold(frame_bytes, plain_bytes)) {
    return malformed("a whole bundle");
  }
  if (auto fits = check_size(plain_bytes); !fits) return fail(fits.error());
  const Bytes frame = streams.data.bytes(static_cast<std::size_t>(frame_bytes));
  Bytes prefix;
  if (prefix_number > 0) {
    const auto opened = pool_->open(static_cast<std::size_t>(prefix_number) - 1);
    if (!opened) return fail(opened.error());
    prefix = opened.value().bytes;
  }
  ByteVector file(static_cast<std::size_t>(plain_bytes));
  if (auto decoded = deltas_.decode(frame, prefix, file); !decoded) return fail(decoded.error());
  return file;
}

Result<BundleRebuild::Op> BundleRebuild::read_op(ByteReader& program) {
  Op op{.bits = program.u8(), .source = next_};
  if ((op.bits & ~kOpBits) != 0 || (op.bits & kOpMask) >= kEntryOps) {
    return malformed("the operation of an entry");
  }
  const bool has_source = (op.bits & kHasSource) != 0;
  const bool is_copy = EntryOp(op.bits & kOpMask) == EntryOp::copy;
  if (!has_source && (is_copy || (op.bits & kIsPlaced) != 0 || (op.bits & kIsNamed) == 0)) {
    return malformed("an entry without a source");
  }
  if ((op.bits & kIsPlaced) != 0) {
    const std::uint64_t bundle = program.varint();
    const std::uint64_t entry = program.varint();
    if (bundle >= pool_->size() || entry >= layout::bundle::kMaxEntries) {
      return malformed("an entry's source");
    }
    op.source = {static_cast<std::size_t>(bundle), static_cast<std::uint32_t>(entry)};
  }
  if (has_source) {
    if (op.source.bundle >= pool_->size()) return malformed("an entry's source");
    next_ = {op.source.bundle, op.source.entry + 1};
  }
  return op;
}

Result<void> BundleRebuild::make_entry(PatchStreams& streams, std::uint32_t block_plain_bytes) {
  const auto op = read_op(streams.program);
  if (!op) return fail(op.error());
  AssembledEntry entry;
  if ((op.value().bits & kHasSource) != 0) {
    const PoolEntry& source = op.value().source;
    const auto opened = pool_->open(source.bundle);
    if (!opened) return fail(opened.error());
    if (source.entry >= opened.value().reader.entry_count()) return malformed("an entry's source");
    const BundleEntry old = opened.value().reader.entry(source.entry);
    entry = {old.guid, old.local_id, old.kind, old.plain_bytes, old.plain_hash, old.dictionary_id};
  }
  if ((op.value().bits & kIsNamed) != 0) {
    const Bytes guid = streams.program.bytes(Guid().bytes().size());
    entry.local_id = streams.program.signed_varint();
    const std::uint64_t kind = streams.program.varint();
    if (streams.program.failed() || !is_kind(kind)) return malformed("an entry's name");
    entry.guid = Guid::from_bytes(guid);
    entry.kind = static_cast<EntryKind>(kind);
  }
  switch (EntryOp(op.value().bits & kOpMask)) {
    case EntryOp::copy:
      return copy(entry, op.value(), block_plain_bytes);
    case EntryOp::delta:
      return add_delta(entry, op.value(), streams, block_plain_bytes);
    case EntryOp::verbatim:
      return add_verbatim(entry, op.value(), streams, block_plain_bytes);
  }
  return malformed("the operation of an entry");
}

Result<void> BundleRebuild::copy(const AssembledEntry& entry, const Op& op,
                                 std::uint32_t block_plain_bytes) {
  const auto opened = pool_->open(op.source.bundle);
  if (!opened) return fail(opened.error());
  const auto& [reader, bytes] = opened.value();
  if (reader.block_plain_bytes() != block_plain_bytes) return malformed("blocks of another size");
  const BundleEntry old = reader.entry(op.source.entry);
  assembly_.add_entry(entry);
  for (std::uint32_t i = 0; i < old.block_count; ++i) {
    const BundleBlock block = reader.block(old, i);
    if (auto fits = check_size(block.stored_bytes); !fits) return fits;
    assembly_.add_block(
        bytes.subspan(static_cast<std::size_t>(block.offset_bytes), block.stored_bytes),
        block.coding);
  }
  return {};
}

Result<void> BundleRebuild::add_delta(AssembledEntry& entry, const Op& op, PatchStreams& streams,
                                      std::uint32_t block_plain_bytes) {
  const std::uint64_t plain_bytes = streams.program.varint();
  const std::uint64_t level = streams.program.varint();  // 0: stored
  const auto dictionary = read_dictionary(streams.program);
  if (!dictionary) return fail(dictionary.error());
  const std::uint64_t frame_bytes = streams.program.varint();
  if (streams.program.failed() || level > static_cast<std::uint64_t>(kMaxLevel) ||
      frame_bytes > streams.data.remaining() || !can_hold(frame_bytes, plain_bytes) ||
      plain_bytes > layout::bundle::kMaxEntryPlainBytes ||
      (dictionary.value() != 0 && (level == 0 || plain_bytes > block_plain_bytes))) {
    return malformed("a delta");
  }
  if (auto fits = check_size(plain_bytes); !fits) return fits;
  const Bytes frame = streams.data.bytes(static_cast<std::size_t>(frame_bytes));
  Bytes prefix;
  if ((op.bits & kHasSource) != 0) {
    const auto opened = pool_->open(op.source.bundle);
    if (!opened) return fail(opened.error());
    const auto& reader = opened.value().reader;
    const auto old = reader.read(reader.entry(op.source.entry), decompressor_, source_plain_);
    if (!old) return fail(old.error());
    prefix = old.value();
  }
  plain_.resize(static_cast<std::size_t>(plain_bytes));
  if (auto decoded = deltas_.decode(frame, prefix, plain_); !decoded) return decoded;
  entry.plain_bytes = plain_bytes;
  entry.plain_hash = hash_bytes(plain_);
  entry.dictionary_id = dictionary.value();
  add_compressed(entry, static_cast<int>(level), block_plain_bytes);
  return {};
}

void BundleRebuild::add_compressed(AssembledEntry& entry, int level,
                                   std::uint32_t block_plain_bytes) {
  const CompressionDictionary* const dictionary =
      dictionaries_->compressing(entry.dictionary_id, level);
  has_recompressed_ = has_recompressed_ || level > 0;
  if (dictionary != nullptr) {
    frame_.clear();
    const bool is_smaller = compressor_.compress(plain_, level, frame_, dictionary);
    if (!is_smaller) entry.dictionary_id = 0;
    assembly_.add_entry(entry);
    if (plain_.empty()) return;
    assembly_.add_block(is_smaller ? Bytes(frame_) : Bytes(plain_),
                        is_smaller ? BlockCoding::zstd : BlockCoding::stored);
    return;
  }
  assembly_.add_entry(entry);
  for (std::size_t at = 0; at < plain_.size(); at += block_plain_bytes) {
    const Bytes block =
        Bytes(plain_).subspan(at, std::min<std::size_t>(block_plain_bytes, plain_.size() - at));
    frame_.clear();
    const bool is_smaller = level > 0 && compressor_.compress(block, level, frame_);
    assembly_.add_block(is_smaller ? Bytes(frame_) : block,
                        is_smaller ? BlockCoding::zstd : BlockCoding::stored);
  }
}

Result<void> BundleRebuild::add_verbatim(AssembledEntry& entry, const Op& op, PatchStreams& streams,
                                         std::uint32_t block_plain_bytes) {
  entry.plain_bytes = streams.program.varint();
  const Bytes hash = streams.program.bytes(entry.plain_hash.bytes.size());
  const auto dictionary = read_dictionary(streams.program);
  if (!dictionary) return fail(dictionary.error());
  entry.dictionary_id = dictionary.value();
  if (streams.program.failed() || entry.plain_bytes > layout::bundle::kMaxEntryPlainBytes) {
    return malformed("a verbatim entry");
  }
  std::ranges::transform(hash, entry.plain_hash.bytes.begin(),
                         [](std::byte b) { return std::to_integer<std::uint8_t>(b); });
  assembly_.add_entry(entry);
  const std::uint64_t block_count = (entry.plain_bytes + block_plain_bytes - 1) / block_plain_bytes;
  for (std::uint64_t i = 0; i < block_count; ++i) {
    const std::uint64_t word = streams.program.varint();
    const std::uint64_t stored_bytes = word >> 2U;
    const auto what = static_cast<std::uint8_t>(word & 3U);
    if (streams.program.failed() || what >= kBlockOps) return malformed("a block");
    if (BlockOp{what} == BlockOp::source) {
      if (stored_bytes != 0 || (op.bits & kHasSource) == 0) return malformed("a block's source");
      const auto opened = pool_->open(op.source.bundle);
      if (!opened) return fail(opened.error());
      const auto& [reader, bytes] = opened.value();
      const BundleEntry old = reader.entry(op.source.entry);
      if (i >= old.block_count) return malformed("a block's source");
      const BundleBlock block = reader.block(old, static_cast<std::uint32_t>(i));
      if (auto fits = check_size(block.stored_bytes); !fits) return fits;
      assembly_.add_block(
          bytes.subspan(static_cast<std::size_t>(block.offset_bytes), block.stored_bytes),
          block.coding);
      continue;
    }
    if (stored_bytes > streams.data.remaining()) return malformed("a block's bytes");
    assembly_.add_block(streams.data.bytes(static_cast<std::size_t>(stored_bytes)),
                        BlockOp{what} == BlockOp::zstd ? BlockCoding::zstd : BlockCoding::stored);
  }
  return {};
}

}  // namespace muster
