// Decompresses zstd frames.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "registry/base/bytes.h"
#include "registry/base/result.h"
#include "runtime/bundle/dictionary.h"

namespace muster {

/// The working memory of decompression: make one per thread and keep it, so that reading bundles
/// allocates nothing in steady state. One thread at a time.
class Decompressor {
 public:
  Decompressor();
  ~Decompressor();
  Decompressor(Decompressor&&) noexcept;
  Decompressor& operator=(Decompressor&&) noexcept;

  /// Sets the dictionaries that frames may need; null means none.
  void use(std::shared_ptr<const DictionarySet> dictionaries);
  const std::shared_ptr<const DictionarySet>& dictionaries() const { return dictionaries_; }

  /// Decompresses exactly one frame into `plain`, with the dictionary of this id (0 means none).
  /// The frame must have its plain size, equal to `plain.size()`, and no checksum and no dictionary
  /// id. Fails with `not_found` if the dictionary is missing, and with `malformed` for anything
  /// else.
  Result<void> decompress(Bytes frame, std::span<std::byte> plain, std::uint32_t dictionary_id = 0);

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::shared_ptr<const DictionarySet> dictionaries_;
};

}  // namespace muster
