// zstd, the other way: plain bytes to frames.
#pragma once

#include <memory>
#include <string_view>

#include "registry/vocabulary/bytes.h"

namespace muster {

/// Compression levels that a bundle may be packed with.
inline constexpr int kMinLevel = 1;
inline constexpr int kMaxLevel = 19;
/// Close to the best size per second on prefabs and textures.
inline constexpr int kDefaultLevel = 6;

/// The release of zstd that compresses: another one may give other bytes.
std::string_view compressor_version();

/// The working memory of compression: make one per thread and keep it. One thread at a time.
class Compressor {
 public:
  Compressor();
  ~Compressor();
  Compressor(Compressor&&) noexcept;
  Compressor& operator=(Compressor&&) noexcept;

  /// Appends `plain` to `out` as one zstd frame with its content size, without checksum and
  /// dictionary, and returns true; or leaves `out` alone and returns false when the frame would not
  /// be smaller than `plain`. Equal input gives equal bytes. Requires: a level in range, and no
  /// more plain bytes than a block may have.
  bool compress(Bytes plain, int level, ByteVector& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster
