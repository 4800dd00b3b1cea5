#include "runtime/assets/memory_source.h"

#include <bit>
#include <functional>
#include <utility>

namespace muster {
namespace {

class OwnedFile final : public HeldFile {
 public:
  explicit OwnedFile(ByteVector bytes) : bytes_(std::move(bytes)) {}
  Bytes bytes() const override { return bytes_; }

 private:
  ByteVector bytes_;
};

class ViewedFile final : public HeldFile {
 public:
  explicit ViewedFile(Bytes bytes) : bytes_(bytes) {}
  Bytes bytes() const override { return bytes_; }

 private:
  Bytes bytes_;
};

std::uint64_t hash_of(std::string_view path) { return std::hash<std::string_view>()(path); }
std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32U); }

}  // namespace

// A path is looked for without reading another one's text, which lies somewhere else in memory: for
// a small bundle a standard map's chase takes a tenth of the time of decompressing it.
std::uint32_t MemorySource::find(std::string_view path) const {
  if (places_.empty()) return kNone;
  const std::uint64_t hash = hash_of(path);
  for (std::size_t at = hash & (places_.size() - 1);; at = (at + 1) & (places_.size() - 1)) {
    const Place& place = places_[at];
    if (place.file == kNone) return kNone;
    if (place.tag == tag_of(hash) && files_[place.file].path == path) return place.file;
  }
}

void MemorySource::note_place(std::uint32_t file) {
  const std::uint64_t hash = hash_of(files_[file].path);
  std::size_t at = hash & (places_.size() - 1);
  while (places_[at].file != kNone) at = (at + 1) & (places_.size() - 1);
  places_[at] = {.tag = tag_of(hash), .file = file};
}

// All of them, with room to come.
void MemorySource::note_places() {
  places_.assign(std::bit_ceil(4 * files_.size() + 1), Place());
  for (std::uint32_t file = 0; file < files_.size(); ++file) note_place(file);
}

void MemorySource::put(std::string path, ByteVector bytes) {
  if (const std::uint32_t file = find(path); file != kNone) {
    files_[file].bytes = std::move(bytes);
    return;
  }
  files_.push_back({std::move(path), std::move(bytes)});
  if (2 * files_.size() > places_.size()) return note_places();
  note_place(static_cast<std::uint32_t>(files_.size() - 1));
}

void MemorySource::remove(std::string_view path) {
  const std::uint32_t file = find(path);
  if (file == kNone) return;
  files_[file] = std::move(files_.back());
  files_.pop_back();
  note_places();
}

Result<std::unique_ptr<HeldFile>> MemorySource::open(std::string_view path,
                                                     std::uint64_t max_bytes) const {
  const std::uint32_t file = find(path);
  if (file == kNone) {
    if (Result<AssetPath> below = AssetPath::parse(path); !below) return fail(below.error());
    return fail(ErrorCode::not_found, "'" + place_of(path) + "' does not exist");
  }
  const ByteVector& bytes = files_[file].bytes;
  if (bytes.size() > max_bytes) return fail_too_large(place_of(path), max_bytes);
  return std::make_unique<ViewedFile>(bytes);
}

std::unique_ptr<HeldFile> hold(ByteVector bytes) {
  return std::make_unique<OwnedFile>(std::move(bytes));
}

}  // namespace muster
