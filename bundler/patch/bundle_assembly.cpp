#include "bundler/patch/bundle_assembly.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "registry/base/content_hash.h"

namespace muster {

using namespace layout::bundle;  // NOLINT(google-build-using-namespace): uses the whole layout

void BundleAssembly::add_entry(const AssembledEntry& entry) {
  entries_.bytes(entry.guid.bytes());
  entries_.i64(entry.local_id);
  entries_.bytes(std::as_bytes(std::span(entry.plain_hash.bytes)));
  entries_.u64(entry.plain_bytes);
  entries_.u32(block_count_);
  entries_.u16(static_cast<std::uint16_t>(entry.kind));
  entries_.u16(0);  // flags
  entries_.u32(entry.dictionary_id);
  entries_.u32(0);  // reserved
  ++entry_count_;
  plain_bytes_ += entry.plain_bytes;
}

void BundleAssembly::add_block(Bytes stored, BlockCoding coding) {
  blocks_.u64(data_.size());
  blocks_.u32(static_cast<std::uint32_t>(stored.size()));
  blocks_.u32(static_cast<std::uint32_t>(coding));
  data_.insert(data_.end(), stored.begin(), stored.end());
  ++block_count_;
}

std::uint64_t BundleAssembly::file_bytes() const {
  return header::kBytes + entries_.size() + blocks_.size() + data_.size();
}

ByteVector BundleAssembly::finish(std::uint32_t block_plain_bytes) {
  const std::uint64_t size = file_bytes();
  const std::size_t block_table = header::kBytes + entries_.size();
  const std::uint64_t data_at = block_table + blocks_.size();
  ByteWriter out;
  out.bytes(std::as_bytes(std::span(kMagic)));
  out.u16(kVersion);
  out.u16(0);
  out.u32(0);
  out.u64(0);  // the hash, below
  out.u64(0);
  out.u64(size);
  out.u32(entry_count_);
  out.u32(block_count_);
  out.u32(block_plain_bytes);
  out.u32(0);
  out.u64(plain_bytes_);
  ByteVector file = out.release();
  file.reserve(static_cast<std::size_t>(size));
  for (const Bytes part : {entries_.view(), blocks_.view(), Bytes(data_)}) {
    file.insert(file.end(), part.begin(), part.end());
  }
  for (std::uint32_t i = 0; i < block_count_; ++i) {
    std::byte* const record = file.data() + block_table + std::size_t{i} * block::kBytes;
    std::uint64_t offset = 0;
    std::memcpy(&offset, record, sizeof offset);
    offset += data_at;
    std::memcpy(record, &offset, sizeof offset);
  }
  const ContentHash hash = hash_bytes(Bytes(file).subspan(header::kHashedFrom));
  std::memcpy(file.data() + header::kHashAt, hash.bytes.data(), hash.bytes.size());
  data_ = {};
  return file;
}

}  // namespace muster
