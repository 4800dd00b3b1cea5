// A dictionary is content that many small entries of one kind have in common. With a dictionary,
// their compressed size is smaller. The format is described in BUNDLE_FORMAT.md, "Dictionary".
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

/// The id of a dictionary in an entry: the first four bytes of the hash. The id 0 means that an
/// entry has no dictionary.
std::uint32_t dictionary_id(const ContentHash& hash);

/// The path of a dictionary below a target's folder: `dictionaries/<hash>.mdict`.
std::string dictionary_path(const ContentHash& hash);

/// A dictionary that is prepared for decompression. Immutable, so several threads may use it.
class Dictionary {
 public:
  /// Copies the needed bytes. Fails with `limit_exceeded` if the dictionary is too large, and with
  /// `malformed` if the bytes are invalid.
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

/// The dictionaries of one or several builds, by id. When all dictionaries are added, any number of
/// threads may read the set.
class DictionarySet {
 public:
  /// Opens a dictionary and adds it. Does nothing if a dictionary with this hash was already added.
  /// Fails if the dictionary cannot be opened, with the code of `Dictionary::open`. Fails with
  /// `hash_mismatch` if the bytes do not have this hash, and with `already_exists` if another
  /// dictionary has the same id.
  Result<void> add(const ContentHash& hash, Bytes bytes);
  /// The dictionary of an id; null if there is no such dictionary.
  const Dictionary* find(std::uint32_t id) const;
  bool empty() const { return dictionaries_.empty(); }

 private:
  std::vector<Dictionary> dictionaries_;  ///< The dictionaries, sorted by id.
};

}  // namespace muster
