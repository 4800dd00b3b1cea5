// A cache in memory that fails or damages data on request.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "bundler/cache/blob_store.h"

namespace muster {

class MemoryBlobs final : public BlobStore {
 public:
  Result<std::optional<ByteVector>> get(const BlobKey& key, std::uint64_t max_bytes,
                                        const std::stop_token&) override {
    const std::lock_guard lock(mutex_);
    ++gets;
    if (fails) return fail(ErrorCode::io, "it does not answer");
    const auto found = blobs.find(name_of(key));
    if (found == blobs.end()) return std::optional<ByteVector>();
    if (found->second.size() > max_bytes) return fail(ErrorCode::limit_exceeded, "too long");
    return std::optional<ByteVector>(found->second);
  }
  Result<void> put(const BlobKey& key, Bytes bytes) override {
    const std::lock_guard lock(mutex_);
    ++puts;
    if (fails) return fail(ErrorCode::no_space, "it is full");
    blobs[name_of(key)].assign(bytes.begin(), bytes.end());
    return {};
  }
  void remove(const BlobKey& key) override { blobs.erase(name_of(key)); }

  static std::string name_of(const BlobKey& key) {
    return std::string(folder_of(key.space)) + "/" + key.hash.to_string();
  }

  std::map<std::string, ByteVector> blobs;
  bool fails = false;
  int gets = 0;
  int puts = 0;

 private:
  std::mutex mutex_;
};

}  // namespace muster
