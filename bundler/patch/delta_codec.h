// Encodes bytes as their difference from others: zstd with the known bytes as prefix.
#pragma once

#include <memory>
#include <span>

#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster {

/// The working memory for making deltas. One thread at a time.
class DeltaEncoder {
 public:
  DeltaEncoder();
  ~DeltaEncoder();
  DeltaEncoder(DeltaEncoder&&) noexcept;
  DeltaEncoder& operator=(DeltaEncoder&&) noexcept;

  /// One zstd frame that contains its plain size and refers to all of `prefix`, which may be empty.
  /// Requires: at most `kMaxDeltaBytes` bytes in both together, unless the prefix is empty.
  ByteVector encode(Bytes plain, Bytes prefix);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The inverse of `DeltaEncoder`.
class DeltaDecoder {
 public:
  DeltaDecoder();
  ~DeltaDecoder();
  DeltaDecoder(DeltaDecoder&&) noexcept;
  DeltaDecoder& operator=(DeltaDecoder&&) noexcept;

  /// Fills `plain` with the encoded bytes. If `prefix` differs from the prefix of encoding, the
  /// bytes are arbitrary, so the caller compares a hash. Fails with `malformed` if `frame` is not
  /// exactly one frame with as many plain bytes as `plain` has.
  Result<void> decode(Bytes frame, Bytes prefix, std::span<std::byte> plain);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether a frame of this size can contain this many plain bytes: zstd's maximum ratio. Checked
/// before memory is allocated.
bool can_hold(std::uint64_t frame_bytes, std::uint64_t plain_bytes);

}  // namespace muster
