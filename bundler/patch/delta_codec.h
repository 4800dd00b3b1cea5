// Encodes new bytes as their difference from old bytes: zstd compresses the new bytes with the old
// bytes as a prefix.
#pragma once

#include <memory>
#include <span>

#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster {

/// Makes deltas, and owns the memory for this work. One thread may use the object at a time.
class DeltaEncoder {
 public:
  DeltaEncoder();
  ~DeltaEncoder();
  DeltaEncoder(DeltaEncoder&&) noexcept;
  DeltaEncoder& operator=(DeltaEncoder&&) noexcept;

  /// Encodes `plain` as one zstd frame that contains its plain size and can refer to all bytes of
  /// `prefix`. The prefix may be empty. Requires: `plain` and `prefix` together have at most
  /// `kMaxDeltaBytes`, unless the prefix is empty.
  ByteVector encode(Bytes plain, Bytes prefix);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Decodes the results of `DeltaEncoder`. One thread may use this object at a time.
class DeltaDecoder {
 public:
  DeltaDecoder();
  ~DeltaDecoder();
  DeltaDecoder(DeltaDecoder&&) noexcept;
  DeltaDecoder& operator=(DeltaDecoder&&) noexcept;

  /// Fills `plain` with the decoded bytes. If `prefix` is not the prefix that was used for
  /// encoding, the bytes are wrong, so the caller must compare a hash. Fails with `malformed` if
  /// `frame` is not exactly one frame whose plain size is the size of `plain`.
  Result<void> decode(Bytes frame, Bytes prefix, std::span<std::byte> plain);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether the decompressed content of a frame of `frame_bytes` can have `plain_bytes`. The maximum
/// compression ratio of zstd is the limit. Call this function before allocating memory.
bool can_hold(std::uint64_t frame_bytes, std::uint64_t plain_bytes);

}  // namespace muster
