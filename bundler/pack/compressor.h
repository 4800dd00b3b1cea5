// Compresses plain bytes into zstd frames.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "registry/base/bytes.h"
#include "registry/base/content_hash.h"
#include "runtime/bundle/dictionary.h"

namespace muster {

/// The valid range of compression levels.
inline constexpr int kMinLevel = 1;
inline constexpr int kMaxLevel = 19;
/// The default level, which is a good compromise between size and time for prefabs and textures.
inline constexpr int kDefaultLevel = 6;

/// The release of zstd that compresses. Another release may give different bytes.
std::string_view compressor_version();

/// A dictionary that is prepared for compression at one level. The object is immutable, so several
/// threads may use this object.
class CompressionDictionary {
 public:
  /// Whether the bytes of a `Dictionary` can be used for compression. zstd has more conditions for
  /// compression than for decompression.
  static bool is_usable(Bytes bytes);

  /// Requires: `is_usable(bytes)` is true, and `level` is in range.
  CompressionDictionary(ByteVector bytes, int level);
  ~CompressionDictionary();
  CompressionDictionary(CompressionDictionary&&) noexcept;
  CompressionDictionary& operator=(CompressionDictionary&&) noexcept;

  Bytes bytes() const { return bytes_; }
  const ContentHash& hash() const { return hash_; }
  std::uint32_t id() const { return dictionary_id(hash_); }
  int level() const { return level_; }

 private:
  friend class Compressor;
  struct Digest;

  ByteVector bytes_;
  ContentHash hash_;
  int level_;
  std::unique_ptr<Digest> digest_;
};

/// Compresses blocks, and owns the memory for compression. Create one object per thread, and use it
/// for many blocks. One thread may use the object at a time.
class Compressor {
 public:
  Compressor();
  ~Compressor();
  Compressor(Compressor&&) noexcept;
  Compressor& operator=(Compressor&&) noexcept;

  /// Appends `plain` to `out` as one zstd frame with its content size, without checksum and
  /// dictionary id, and returns true. If the frame would not be smaller than `plain`, leaves `out`
  /// unchanged and returns false. Equal input gives equal bytes. `dictionary` may be null.
  /// Requires: `level` is in range and is the level of the dictionary, if there is a dictionary.
  /// `plain` has at most the maximum size of a block.
  bool compress(Bytes plain, int level, ByteVector& out,
                const CompressionDictionary* dictionary = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster
