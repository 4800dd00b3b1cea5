// Decompresses zstd frames.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "registry/base/bytes.h"
#include "registry/base/result.h"
#include "runtime/bundle/dictionary.h"

namespace muster {

/// Decompresses zstd frames and owns the memory for this. Make one object per thread and use it for
/// all frames, so that reading further bundles allocates nothing. Only one thread at a time may use
/// this object.
class Decompressor {
 public:
  Decompressor();
  ~Decompressor();
  Decompressor(Decompressor&&) noexcept;
  Decompressor& operator=(Decompressor&&) noexcept;

  /// Sets the dictionaries for later frames; null for no dictionaries.
  void use(std::shared_ptr<const DictionarySet> dictionaries);
  const std::shared_ptr<const DictionarySet>& dictionaries() const { return dictionaries_; }

  /// Decompresses exactly one frame into `plain`. `dictionary_id` is 0 for a frame without a
  /// dictionary. The header of the frame must have the plain size, which must be `plain.size()`,
  /// and must have no checksum and no dictionary id. Fails with `not_found` if the dictionary is
  /// missing, and with `malformed` for invalid bytes.
  Result<void> decompress(Bytes frame, std::span<std::byte> plain, std::uint32_t dictionary_id = 0);

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::shared_ptr<const DictionarySet> dictionaries_;
};

}  // namespace muster
