#include "runtime/assets/memory_source.h"

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

}  // namespace

void MemorySource::put(std::string path, ByteVector bytes) {
  files_.insert_or_assign(std::move(path), std::move(bytes));
}

void MemorySource::remove(std::string_view path) {
  if (const auto found = files_.find(path); found != files_.end()) files_.erase(found);
}

Result<std::unique_ptr<HeldFile>> MemorySource::open(std::string_view path,
                                                     std::uint64_t max_bytes) const {
  const auto found = files_.find(path);
  if (found == files_.end()) {
    if (Result<AssetPath> below = AssetPath::parse(path); !below) return fail(below.error());
    return fail(ErrorCode::not_found, "'" + place_of(path) + "' does not exist");
  }
  if (found->second.size() > max_bytes) return fail_too_large(place_of(path), max_bytes);
  return std::make_unique<ViewedFile>(found->second);
}

std::unique_ptr<HeldFile> hold(ByteVector bytes) {
  return std::make_unique<OwnedFile>(std::move(bytes));
}

}  // namespace muster
