#include "tests/bench/load_build.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "bundler/pack/bundle_writer.h"
#include "bundler/pack/catalog_writer.h"
#include "registry/base/disk_file_system.h"
#include "tests/support/arena_build.h"
#include "tests/support/bundle_samples.h"

namespace muster {

ByteVector sample_game_bytes() {
  const DiskFileSystem project = DiskFileSystem::open(MUSTER_SOURCE_DIR "/content/arena").value();
  const MemoryFileSystem files = testing::build_to_memory(project, {.jobs = 2});
  const FileSystemSource source(files, AssetPath::parse("client").value());
  BundleStore store = BundleStore::open(source).value();
  ByteVector content;
  std::set<std::pair<Guid, std::int64_t>> seen;
  for (std::uint32_t i = 0; i < store.catalog().bundle_count(); ++i) {
    [[maybe_unused]] const Result<void> opened = store.open_bundle(i);
    assert(opened.has_value());
    const BundleReader& reader = store.reader(i);
    for (std::uint32_t n = 0; n < reader.entry_count(); ++n) {
      const BundleEntry entry = reader.entry(n);
      if (!seen.emplace(entry.guid, entry.local_id).second) continue;
      const Bytes plain = store.load_from(i, entry.guid, entry.local_id).value().bytes;
      content.insert(content.end(), plain.begin(), plain.end());
    }
  }
  return content;
}

std::shared_ptr<MemorySource> generate(const BundleShape& shape, Bytes content) {
  std::size_t content_at = 0;
  const auto next_piece = [&](std::size_t size) {
    ByteVector piece;
    while (piece.size() < size) {
      const Bytes rest = content.subspan(content_at);
      const Bytes part = rest.first(std::min(rest.size(), size - piece.size()));
      piece.insert(piece.end(), part.begin(), part.end());
      content_at = (content_at + part.size()) % content.size();
    }
    return piece;
  };
  auto source = std::make_shared<MemorySource>();
  CatalogData data;
  RegistryData& registry = data.registries.emplace_back();
  registry.class_name = "ReplicatedEntityRegistry";
  registry.guid = samples::guid(1);
  registry.path = "registry";
  Compressor compressor;
  for (std::size_t i = 0; i < shape.bundles; ++i) {
    const Guid guid = samples::guid(100 + i);
    const ByteVector plain = next_piece(shape.entry_bytes);
    const std::vector<PackEntry> entries = {{guid, kMainPayload, EntryKind::raw, plain}};
    ByteVector bytes = pack_bundle(entries, {}, {.compressors = std::span(&compressor, 1)}).value();
    const BundleName name = BundleName::of_prefab(guid);
    data.bundles.push_back(
        {name, BundleReader::open(bytes).value().bundle_hash(), bytes.size(), {}});
    data.assets.push_back({guid, "asset " + std::to_string(i), name});
    registry.entries.push_back(
        {TypeId(static_cast<std::uint32_t>(i)), guid, Guid(), "prefab", TargetSet::both(), false});
    source->put(name.path(), std::move(bytes));
  }
  source->put("catalog.mcat", encode_catalog(data).value());
  return source;
}

std::shared_ptr<MemorySource> in_memory_of(const BundleSource& source) {
  auto copy = std::make_shared<MemorySource>();
  const auto put = [&](const std::string& path, std::uint64_t max_bytes) {
    const auto file = source.open(path, max_bytes).value();
    copy->put(path, ByteVector(file->bytes().begin(), file->bytes().end()));
  };
  put(std::string(kCatalogFile), layout::catalog::kMaxFileBytes);
  const BundleStore store = BundleStore::open(source).value();
  for (std::uint32_t i = 0; i < store.catalog().bundle_count(); ++i) {
    const CatalogBundle record = store.catalog().bundle(i);
    put(record.name.path(), record.file_bytes);
  }
  for (std::uint32_t i = 0; i < store.catalog().dictionary_count(); ++i) {
    const CatalogDictionary record = store.catalog().dictionary(i);
    put(dictionary_path(record.hash), record.file_bytes);
  }
  return copy;
}

std::size_t load_bundle(BundleStore& store, std::uint32_t bundle) {
  [[maybe_unused]] const Result<void> opened = store.open_bundle(bundle);
  assert(opened.has_value());
  std::size_t bytes = 0;
  const BundleReader& reader = store.reader(bundle);
  for (std::uint32_t n = 0; n < reader.entry_count(); ++n) {
    const BundleEntry entry = reader.entry(n);
    const Result<LoadedEntry> loaded = store.load_from(bundle, entry.guid, entry.local_id);
    assert(loaded.has_value());
    bytes += loaded.value().bytes.size();
  }
  return bytes;
}

std::size_t load_one_by_one(BundleStore& store) {
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < store.catalog().bundle_count(); ++i) bytes += load_bundle(store, i);
  return bytes;
}

std::size_t load_all(BundleStore& store) {
  std::vector<std::uint32_t> bundles(store.catalog().bundle_count());
  std::iota(bundles.begin(), bundles.end(), 0U);
  const std::uint64_t before = store.counters().plain_bytes;
  [[maybe_unused]] const Result<void> loaded = store.load_bundles(bundles);
  assert(loaded.has_value());
  return static_cast<std::size_t>(store.counters().plain_bytes - before);
}

Frames frames_of(BundleStore& store, const BundleSource& source) {
  Frames result;
  load_all(store);
  result.dictionaries = store.dictionaries();
  for (std::uint32_t i = 0; i < store.catalog().bundle_count(); ++i) {
    const BundleReader& reader = store.reader(i);
    const CatalogBundle record = store.catalog().bundle(i);
    result.files.push_back(source.open(record.name.path(), record.file_bytes).value());
    const Bytes file = result.files.back()->bytes();
    result.first_frames.push_back(result.frames.size());
    result.first_stored.push_back(result.stored.size());
    for (std::uint32_t n = 0; n < reader.entry_count(); ++n) {
      const BundleEntry entry = reader.entry(n);
      for (std::uint32_t b = 0; b < entry.block_count; ++b) {
        const BundleBlock block = reader.block(entry, b);
        const Bytes bytes = file.subspan(block.offset_bytes, block.stored_bytes);
        if (block.coding != BlockCoding::zstd) {
          result.stored.push_back(bytes);
          result.stored_bytes += bytes.size();
          continue;
        }
        const bool is_plain = entry.dictionary_id == 0;
        result.frames.push_back(
            {bytes, block.plain_bytes,
             is_plain ? nullptr : result.dictionaries->find(entry.dictionary_id)->digested()});
        result.plain_bytes += block.plain_bytes;
      }
    }
  }
  result.first_frames.push_back(result.frames.size());
  result.first_stored.push_back(result.stored.size());
  return result;
}

}  // namespace muster
