#include "runtime/assets/memory_source.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <utility>

namespace muster {
namespace {

// The address need not be valid.
void prefetch(const void* address) { __builtin_prefetch(address); }

class OwnedFile final : public BundleFile {
 public:
  explicit OwnedFile(ByteVector bytes) : bytes_(std::move(bytes)) {}
  Bytes bytes() const override { return bytes_; }

 private:
  ByteVector bytes_;
};

class ViewedFile final : public BundleFile {
 public:
  explicit ViewedFile(Bytes bytes) : bytes_(bytes) {}
  Bytes bytes() const override { return bytes_; }

 private:
  Bytes bytes_;
};

std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32U); }

}  // namespace

std::uint64_t MemorySource::hash_of(std::string_view path) {
  return std::hash<std::string_view>()(path);
}

// The lookup compares tags, so it rarely reads the text of another path. For a small bundle, a
// lookup in a standard map would take a tenth of the decompression time.
std::uint32_t MemorySource::find(std::string_view path, std::uint64_t hash) const {
  if (buckets_.empty()) return kNone;
  for (std::size_t at = hash & (buckets_.size() - 1);; at = (at + 1) & (buckets_.size() - 1)) {
    const Bucket& bucket = buckets_[at];
    if (bucket.file == kNone) return kNone;
    if (bucket.tag == tag_of(hash) && files_[bucket.file].path == path) return bucket.file;
  }
}

void MemorySource::index_file(std::uint32_t file) {
  const std::uint64_t hash = hash_of(files_[file].path);
  std::size_t at = hash & (buckets_.size() - 1);
  while (buckets_[at].file != kNone) at = (at + 1) & (buckets_.size() - 1);
  buckets_[at] = {.tag = tag_of(hash), .file = file};
}

// Rebuilds the hash table with room for more files.
void MemorySource::index_files() {
  buckets_.assign(std::bit_ceil(4 * files_.size() + 1), Bucket());
  for (std::uint32_t file = 0; file < files_.size(); ++file) index_file(file);
}

void MemorySource::put(std::string path, ByteVector bytes) {
  if (const std::uint32_t file = find(path); file != kNone) {
    files_[file].bytes = std::move(bytes);
    return;
  }
  files_.push_back({std::move(path), std::move(bytes)});
  if (2 * files_.size() > buckets_.size()) return index_files();
  index_file(static_cast<std::uint32_t>(files_.size() - 1));
}

void MemorySource::remove(std::string_view path) {
  const std::uint32_t file = find(path);
  if (file == kNone) return;
  files_[file] = std::move(files_.back());
  files_.pop_back();
  index_files();
}

Result<std::unique_ptr<BundleFile>> MemorySource::open(std::string_view path,
                                                       std::uint64_t max_bytes) const {
  return view(find(path), {.path = path, .max_bytes = max_bytes});
}

std::optional<std::uint64_t> MemorySource::file_bytes(std::string_view path) const {
  const std::uint32_t file = find(path);
  if (file == kNone) return std::nullopt;
  return files_[file].bytes.size();
}

Result<std::unique_ptr<BundleFile>> MemorySource::view(std::uint32_t file,
                                                       const OpenRequest& request) const {
  const auto& [path, max_bytes] = request;
  if (file == kNone) {
    if (Result<AssetPath> below = AssetPath::parse(path); !below) return fail(below.error());
    return fail(ErrorCode::not_found, "'" + full_path(path) + "' does not exist");
  }
  const ByteVector& bytes = files_[file].bytes;
  if (bytes.size() > max_bytes) return fail_too_large(full_path(path), max_bytes);
  return std::make_unique<ViewedFile>(bytes);
}

// Prefetches the memory of several lookups together: the bucket, the file that the bucket most
// likely has, its path and its first bytes.
std::vector<Result<std::unique_ptr<BundleFile>>> MemorySource::open_all(
    std::span<const OpenRequest> requests) const {
  constexpr std::size_t kTogether = 16;
  std::vector<Result<std::unique_ptr<BundleFile>>> results;
  results.reserve(requests.size());
  while (!requests.empty()) {
    std::array<std::uint64_t, kTogether> hashes{};
    const std::span<const OpenRequest> now = requests.first(std::min(kTogether, requests.size()));
    std::ranges::transform(now, hashes.begin(), hash_of, &OpenRequest::path);
    if (!buckets_.empty()) prefetch_files(std::span(hashes).first(now.size()));
    for (std::size_t i = 0; i < now.size(); ++i) {
      results.push_back(view(find(now[i].path, hashes[i]), now[i]));
    }
    requests = requests.subspan(now.size());
  }
  return results;
}

void MemorySource::prefetch_files(std::span<const std::uint64_t> hashes) const {
  constexpr std::size_t kLineBytes = 64;
  constexpr std::size_t kFirstBytes = 4 * kLineBytes;  // The size of the tables of a small bundle.
  const auto likely = [this](std::uint64_t hash) {
    const std::uint32_t file = buckets_[hash & (buckets_.size() - 1)].file;
    return file == kNone ? nullptr : &files_[file];
  };
  for (const std::uint64_t hash : hashes) prefetch(&buckets_[hash & (buckets_.size() - 1)]);
  for (const std::uint64_t hash : hashes) prefetch(likely(hash));
  for (const std::uint64_t hash : hashes) {
    const File* const file = likely(hash);
    if (file == nullptr) continue;
    prefetch(file->path.data());
    const std::size_t first_bytes = std::min(file->bytes.size(), kFirstBytes);
    for (std::size_t at = 0; at < first_bytes; at += kLineBytes) prefetch(&file->bytes[at]);
  }
}

std::unique_ptr<BundleFile> make_owned_file(ByteVector bytes) {
  return std::make_unique<OwnedFile>(std::move(bytes));
}

}  // namespace muster
