// zstd, one way: frames back to plain bytes.
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

  /// The dictionaries that frames may need from now on; null for none.
  void use(std::shared_ptr<const DictionarySet> dictionaries);
  const std::shared_ptr<const DictionarySet>& dictionaries() const { return dictionaries_; }

  /// Decompresses exactly one frame that says its plain size, has no checksum and no dictionary id
  /// of its own, and whose plain bytes fill `plain`, with the dictionary of this id (0: none).
  /// Fails with `not_found` when that is not there, and with `malformed` for anything else.
  Result<void> decompress(Bytes frame, std::span<std::byte> plain, std::uint32_t dictionary_id = 0);

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::shared_ptr<const DictionarySet> dictionaries_;
};

}  // namespace muster
