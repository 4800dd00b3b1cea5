// What small entries of a kind have in common. The format is BUNDLE_FORMAT.md, "Dictionaries".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "registry/base/bytes.h"
#include "registry/base/content_hash.h"
#include "registry/base/result.h"

struct ZSTD_DDict_s;

namespace muster {

/// What an entry calls its dictionary: the first four bytes of the dictionary's hash. 0 for none.
std::uint32_t dictionary_id(const ContentHash& hash);

/// `dictionaries/<hash>.mdict`, below a target's folder.
std::string dictionary_path(const ContentHash& hash);

/// A dictionary made ready for decompression, once for all threads. Immutable.
class Dictionary {
 public:
  /// Copies what it needs of the bytes. Fails with `limit_exceeded` or `malformed`.
  static Result<Dictionary> open(Bytes bytes);

  const ContentHash& hash() const { return hash_; }
  std::uint32_t id() const { return dictionary_id(hash_); }
  const ZSTD_DDict_s* digested() const { return digested_.get(); }

 private:
  struct Free {
    void operator()(ZSTD_DDict_s* dictionary) const;
  };
  Dictionary() = default;

  ContentHash hash_;
  std::unique_ptr<ZSTD_DDict_s, Free> digested_;
};

/// The dictionaries of a build, or of several, by id. Filled first, then only read: from any number
/// of threads.
class DictionarySet {
 public:
  /// Opens a dictionary that is to have this hash; nothing happens when it is there already. Fails
  /// as `Dictionary::open` does, with `hash_mismatch`, or with `already_exists` when another one of
  /// the same id is there.
  Result<void> add(const ContentHash& hash, Bytes bytes);
  /// Null when there is none.
  const Dictionary* find(std::uint32_t id) const;
  bool empty() const { return dictionaries_.empty(); }

 private:
  std::vector<Dictionary> dictionaries_;  ///< Sorted by id.
};

}  // namespace muster
