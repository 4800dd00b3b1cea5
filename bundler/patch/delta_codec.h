// Bytes as their difference from others: zstd with what is known already as its prefix.
#pragma once

#include <memory>
#include <span>

#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster {

/// The working memory of making deltas. One thread at a time.
class DeltaEncoder {
 public:
  DeltaEncoder();
  ~DeltaEncoder();
  DeltaEncoder(DeltaEncoder&&) noexcept;
  DeltaEncoder& operator=(DeltaEncoder&&) noexcept;

  /// One zstd frame that says its plain size and reaches into all of `prefix`, which may be empty.
  /// Requires: no more bytes in both than `kMaxDeltaBytes`, unless the prefix is empty.
  ByteVector encode(Bytes plain, Bytes prefix);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The way back.
class DeltaDecoder {
 public:
  DeltaDecoder();
  ~DeltaDecoder();
  DeltaDecoder(DeltaDecoder&&) noexcept;
  DeltaDecoder& operator=(DeltaDecoder&&) noexcept;

  /// Fills `plain` with what was encoded, or with anything when `prefix` is another than then: the
  /// caller compares a hash. Fails with `malformed` when it is not exactly one frame of that size.
  Result<void> decode(Bytes frame, Bytes prefix, std::span<std::byte> plain);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether a frame of so many bytes can hold so many: what zstd reaches at most. Asked before
/// anybody makes room.
bool can_hold(std::uint64_t frame_bytes, std::uint64_t plain_bytes);

}  // namespace muster
