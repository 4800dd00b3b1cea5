// zstd, one way: frames back to plain bytes.
#pragma once

#include <memory>
#include <span>

#include "registry/vocabulary/bytes.h"
#include "registry/vocabulary/result.h"

namespace muster {

/// The working memory of decompression: make one per thread and keep it, so that reading bundles
/// allocates nothing in steady state. One thread at a time.
class Decompressor {
 public:
  Decompressor();
  ~Decompressor();
  Decompressor(Decompressor&&) noexcept;
  Decompressor& operator=(Decompressor&&) noexcept;

  /// Decompresses exactly one frame that says its plain size, has no checksum and no dictionary,
  /// and whose plain bytes fill `plain`. Fails with `malformed` for anything else.
  Result<void> decompress(Bytes frame, std::span<std::byte> plain);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster
