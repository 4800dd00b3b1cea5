// If an old bundle has an equal entry, the entry is copied in compressed form. If an entry has
// changed, the old and the new entry are decompressed. The reason is that one changed plain byte
// changes most compressed bytes, so a delta between compressed bytes is never small. The program
// that applies the patch compresses the new plain bytes again, and gets equal bytes if its release
// of zstd is similar enough. The code in this file tries this with its own zstd: it compresses the
// new plain bytes and compares the result with the new entry. If the bytes differ, or if the patch
// must be portable, the patch contains the compressed blocks.
#include "bundler/patch/recipe_writer.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace muster {

using namespace layout::patch;  // NOLINT(google-build-using-namespace): this file writes that
                                // layout

namespace {

/// The maximum number of entries whose blocks no level reproduces. After this number, levels are
/// not tried any more, because the blocks probably come from another release of zstd.
constexpr int kFutileSearchesMax = 4;
/// The maximum number of entries with equal content that are examined, because some content (for
/// example an empty asset) occurs very often.
constexpr std::size_t kEqualEntriesMax = 16;

Bytes stored_block(const BundleReader& reader, const BundleEntry& entry, std::uint32_t index,
                   Bytes file, BlockCoding& coding) {
  const BundleBlock block = reader.block(entry, index);
  coding = block.coding;
  return file.subspan(static_cast<std::size_t>(block.offset_bytes), block.stored_bytes);
}

bool are_equal(Bytes a, Bytes b) { return std::ranges::equal(a, b); }

/// Whether the blocks of two entries at one index have the same bytes.
bool is_same_block(const BundlePool::Opened& old, const BundleEntry& old_entry,
                   const BundleReader& reader, const BundleEntry& entry, Bytes file,
                   std::uint32_t index) {
  if (index >= old_entry.block_count) return false;
  BlockCoding old_coding{};
  BlockCoding coding{};
  const Bytes before = stored_block(old.reader, old_entry, index, old.bytes, old_coding);
  const Bytes after = stored_block(reader, entry, index, file, coding);
  return old_coding == coding && are_equal(before, after) &&
         (coding == BlockCoding::stored || old_entry.dictionary_id == entry.dictionary_id) &&
         old.reader.block(old_entry, index).plain_bytes == reader.block(entry, index).plain_bytes;
}

}  // namespace

RecipeWriter::RecipeWriter(BundlePool& pool, PatchDictionaries& dictionaries,
                           const RecipeOptions& options)
    : pool_(&pool),
      dictionaries_(&dictionaries),
      options_(options),
      rebuild_(pool, dictionaries, kMaxFileBytes),
      last_level_(options.level) {
  decompressor_.use(dictionaries.decompressing());
}

void RecipeWriter::learn(std::size_t number, const BundleReader& reader) {
  for (std::uint32_t i = 0; i < reader.entry_count(); ++i) {
    const BundleEntry entry = reader.entry(i);
    auto& copies = by_content_[{entry.plain_hash, entry.plain_bytes}];
    if (copies.size() < kEqualEntriesMax) copies.push_back({number, i});
    by_name_[{entry.guid, entry.local_id}].push_back({number, i});
  }
}

Result<void> RecipeWriter::learn_base() {
  for (std::size_t number = 0; number < pool_->size(); ++number) {
    const auto opened = pool_->open(number);
    if (!opened) return fail(opened.error());
    learn(number, opened.value().reader);
  }
  return {};
}

Result<void> RecipeWriter::add(const AssetPath& path, const CatalogBundle& bundle, Bytes file) {
  const auto reader = BundleReader::open(file);
  if (!reader) return fail(reader.error().code, path.text() + ": " + reader.error().message);
  Draft draft{.program = {}, .data = {}, .next = next_};
  if (auto made = write_entries(path, reader.value(), file, draft); !made) return made;
  auto sound = is_sound(draft, file);
  if (!sound) return fail(sound.error());
  if (!sound.value()) {
    // The program cannot express this bundle, for example because it has flags of a later version
    // or another order of blocks.
    draft = {.program = {}, .data = {}, .next = next_};
    if (auto made = write_whole(path, file, draft); !made) return made;
    sound = is_sound(draft, file);
    if (!sound) return fail(sound.error());
    if (!sound.value()) {
      return fail(ErrorCode::malformed,
                  path.text() + ": the patch cannot create it again (a bug in muster)");
    }
  }
  program_.bytes(draft.program.view());
  data_.insert(data_.end(), draft.data.begin(), draft.data.end());
  next_ = draft.next;
  recompresses_ = recompresses_ || draft.recompresses;
  pool_->add(path, bundle);
  learn(pool_->size() - 1, reader.value());
  return {};
}

Result<bool> RecipeWriter::is_sound(const Draft& draft, Bytes file) {
  rebuild_.set_next(next_);
  PatchStreams streams{ByteReader(draft.program.view()), ByteReader(draft.data)};
  const auto made = rebuild_.run(streams);
  if (!made && made.error().code != ErrorCode::malformed) return fail(made.error());
  return made.has_value() && rebuild_.next() == draft.next && streams.program.remaining() == 0 &&
         streams.data.remaining() == 0 && are_equal(made.value(), file);
}

Result<void> RecipeWriter::write_whole(const AssetPath& path, Bytes file, Draft& draft) {
  std::size_t old = 0;
  while (old < pool_->size() && pool_->path(old) != path) ++old;
  Bytes prefix;
  if (old < pool_->size()) {
    const auto opened = pool_->open(old);
    if (!opened) return fail(opened.error());
    prefix = opened.value().bytes;
  }
  const bool has_prefix = !prefix.empty() && prefix.size() + file.size() <= kMaxDeltaBytes;
  const ByteVector frame = deltas_.encode(file, has_prefix ? prefix : Bytes());
  draft.program.u8(static_cast<std::uint8_t>(BundleForm::whole));
  draft.program.varint(has_prefix ? old + 1 : 0);
  draft.program.varint(file.size());
  draft.program.varint(frame.size());
  draft.data.insert(draft.data.end(), frame.begin(), frame.end());
  return {};
}

Result<void> RecipeWriter::write_entries(const AssetPath& path, const BundleReader& reader,
                                         Bytes file, Draft& draft) {
  draft.program.u8(static_cast<std::uint8_t>(BundleForm::entries));
  draft.program.varint(static_cast<std::uint64_t>(std::countr_zero(reader.block_plain_bytes())));
  draft.program.varint(reader.entry_count());
  // The number of the old bundle with the same name; the size of the pool if no such bundle exists.
  std::size_t before = 0;
  while (before < pool_->size() && pool_->path(before) != path) ++before;
  for (std::uint32_t i = 0; i < reader.entry_count(); ++i) {
    if (auto made = write_entry(reader, reader.entry(i), file, before, draft); !made) return made;
  }
  return {};
}

void RecipeWriter::begin_op(EntryOp op, const BundleEntry& entry, const PoolEntry* source,
                            bool is_named, Draft& draft) const {
  const bool is_next = source != nullptr && *source == draft.next;
  auto bits = static_cast<std::uint8_t>(op);
  if (is_named) bits |= kIsNamed;
  if (source != nullptr) bits |= kHasSource;
  if (source != nullptr && !is_next) bits |= kIsPlaced;
  draft.program.u8(bits);
  if (source != nullptr && !is_next) {
    draft.program.varint(source->bundle);
    draft.program.varint(source->entry);
  }
  if (source != nullptr) draft.next = {source->bundle, source->entry + 1};
  if (!is_named) return;
  draft.program.bytes(entry.guid.bytes());
  draft.program.signed_varint(entry.local_id);
  draft.program.varint(static_cast<std::uint64_t>(entry.kind));
}

Result<void> RecipeWriter::write_entry(const BundleReader& reader, const BundleEntry& entry,
                                       Bytes file, std::size_t before, Draft& draft) {
  const auto copied = try_copy(reader, entry, file, draft);
  if (!copied) return fail(copied.error());
  if (copied.value()) return {};
  const auto named = by_name_.find({entry.guid, entry.local_id});
  const PoolEntry* source = nullptr;
  if (named != by_name_.end()) {
    const auto here = std::ranges::find(named->second, before, &PoolEntry::bundle);
    source = here != named->second.end() ? &*here : &named->second.front();
  }
  return write_delta_or_verbatim(reader, entry, file, source, draft);
}

Result<bool> RecipeWriter::try_copy(const BundleReader& reader, const BundleEntry& entry,
                                    Bytes file, Draft& draft) {
  const auto found = by_content_.find({entry.plain_hash, entry.plain_bytes});
  if (found == by_content_.end()) return false;
  // A reference to the next entry needs one byte. A reference to any other entry needs a few
  // bytes if the old and the new entry have the same name, and about 20 bytes otherwise.
  std::optional<PoolEntry> best;
  int best_cost = 3;
  for (const PoolEntry& candidate : found->second) {
    const auto opened = pool_->open(candidate.bundle);
    if (!opened) return fail(opened.error());
    const BundleEntry old = opened.value().reader.entry(candidate.entry);
    const bool is_named =
        old.guid != entry.guid || old.local_id != entry.local_id || old.kind != entry.kind;
    const int cost = is_named ? 2 : static_cast<int>(candidate != draft.next);
    if (cost >= best_cost || old.block_count != entry.block_count ||
        old.dictionary_id != entry.dictionary_id ||
        opened.value().reader.block_plain_bytes() != reader.block_plain_bytes()) {
      continue;
    }
    bool is_same = true;
    for (std::uint32_t i = 0; i < entry.block_count && is_same; ++i) {
      is_same = is_same_block(opened.value(), old, reader, entry, file, i);
    }
    if (!is_same) continue;
    best = candidate;
    best_cost = cost;
    if (cost == 0) break;
  }
  if (!best) return false;
  begin_op(EntryOp::copy, entry, &*best, best_cost == 2, draft);
  return true;
}

bool RecipeWriter::gives(const BundleReader& reader, const BundleEntry& entry, Bytes plain,
                         Bytes file, int level, std::uint32_t block_count) {
  for (std::uint32_t i = 0; i < block_count; ++i) {
    const std::size_t at = std::size_t{i} * reader.block_plain_bytes();
    const Bytes block =
        plain.subspan(at, std::min<std::size_t>(reader.block_plain_bytes(), plain.size() - at));
    BlockCoding coding{};
    const Bytes stored = stored_block(reader, entry, i, file, coding);
    frame_.clear();
    const CompressionDictionary* const dictionary =
        level > 0 ? dictionaries_->compressing(entry.dictionary_id, level) : nullptr;
    const bool is_smaller = level > 0 && compressor_.compress(block, level, frame_, dictionary);
    if (is_smaller != (coding == BlockCoding::zstd)) return false;
    if (is_smaller && !are_equal(frame_, stored)) return false;
  }
  return true;
}

// The level that gives the same blocks as in the entry. The result is 0 if all blocks are stored
// without compression, and -1 if no level gives these blocks.
int RecipeWriter::find_level(const BundleReader& reader, const BundleEntry& entry, Bytes plain,
                             Bytes file) {
  if (gives(reader, entry, plain, file, 0, entry.block_count)) return 0;
  // Muster never writes such an entry.
  if (entry.dictionary_id != 0 && entry.block_count > 1) return -1;
  if (options_.is_portable) return -1;
  if (gives(reader, entry, plain, file, last_level_, entry.block_count)) return last_level_;
  if (futile_searches_ >= kFutileSearchesMax) return -1;
  for (int level = kMinLevel; level <= kMaxLevel; ++level) {
    if (!gives(reader, entry, plain, file, level, 1)) continue;
    if (!gives(reader, entry, plain, file, level, entry.block_count)) continue;
    last_level_ = level;
    return level;
  }
  ++futile_searches_;
  return -1;
}

Result<void> RecipeWriter::write_delta_or_verbatim(const BundleReader& reader,
                                                   const BundleEntry& entry, Bytes file,
                                                   const PoolEntry* source, Draft& draft) {
  const auto read = reader.read(entry, decompressor_, plain_);
  if (!read) return fail(read.error());
  const Bytes plain = read.value();
  BundleEntry old;
  Bytes prefix;
  std::optional<BundlePool::Opened> opened;
  if (source != nullptr) {
    auto pooled = pool_->open(source->bundle);
    if (!pooled) return fail(pooled.error());
    opened = pooled.value();
    old = opened->reader.entry(source->entry);
    const auto before = opened->reader.read(old, decompressor_, source_plain_);
    if (!before) return fail(before.error());
    prefix = before.value();
  }
  const bool is_named = source == nullptr || old.kind != entry.kind;
  std::uint64_t verbatim_bytes = entry.plain_hash.bytes.size();
  std::vector<bool> is_kept(entry.block_count);
  for (std::uint32_t i = 0; i < entry.block_count; ++i) {
    is_kept[i] = opened && is_same_block(*opened, old, reader, entry, file, i);
    verbatim_bytes += 1 + (is_kept[i] ? 0 : reader.block(entry, i).stored_bytes);
  }
  const int level =
      prefix.size() + plain.size() <= kMaxDeltaBytes ? find_level(reader, entry, plain, file) : -1;
  const ByteVector frame = level >= 0 ? deltas_.encode(plain, prefix) : ByteVector();
  if (level >= 0 && frame.size() < verbatim_bytes) {
    begin_op(EntryOp::delta, entry, source, is_named, draft);
    draft.program.varint(plain.size());
    draft.program.varint(static_cast<std::uint64_t>(level));
    draft.program.varint(dictionaries_->number_of(level > 0 ? entry.dictionary_id : 0));
    draft.program.varint(frame.size());
    draft.data.insert(draft.data.end(), frame.begin(), frame.end());
    draft.recompresses = draft.recompresses || level > 0;
    return {};
  }
  begin_op(EntryOp::verbatim, entry, source, is_named, draft);
  draft.program.varint(plain.size());
  draft.program.bytes(std::as_bytes(std::span(entry.plain_hash.bytes)));
  draft.program.varint(dictionaries_->number_of(entry.dictionary_id));
  for (std::uint32_t i = 0; i < entry.block_count; ++i) {
    BlockCoding coding{};
    const Bytes stored = stored_block(reader, entry, i, file, coding);
    const BlockOp op = is_kept[i]                    ? BlockOp::source
                       : coding == BlockCoding::zstd ? BlockOp::zstd
                                                     : BlockOp::stored;
    draft.program.varint((is_kept[i] ? 0 : std::uint64_t{stored.size()} << 2U) |
                         static_cast<std::uint64_t>(op));
    if (!is_kept[i]) draft.data.insert(draft.data.end(), stored.begin(), stored.end());
  }
  return {};
}

}  // namespace muster
