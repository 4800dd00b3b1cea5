// The common content of small entries of a kind. The format is BUNDLE_FORMAT.md, "Dictionary".
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

/// The id of a dictionary in an entry: the first four bytes of its hash. 0 means none.
std::uint32_t dictionary_id(const ContentHash& hash);

/// `dictionaries/<hash>.mdict`, below a target's folder.
std::string dictionary_path(const ContentHash& hash);

/// A dictionary, prepared for decompression once for all threads. Immutable.
class Dictionary {
 public:
  /// Copies the needed bytes. Fails with `limit_exceeded` or `malformed`.
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

/// The dictionaries of one or several builds, by id. Fill it first; then any number of threads may
/// read it.
class DictionarySet {
 public:
  /// Opens a dictionary that must have this hash; does nothing if it was already added. Fails like
  /// `Dictionary::open`, with `hash_mismatch`, or with `already_exists` if another one has the same
  /// id.
  Result<void> add(const ContentHash& hash, Bytes bytes);
  /// Null if it is missing.
  const Dictionary* find(std::uint32_t id) const;
  bool empty() const { return dictionaries_.empty(); }

 private:
  std::vector<Dictionary> dictionaries_;  ///< Sorted by id.
};

}  // namespace muster
