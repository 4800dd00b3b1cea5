// zstd would accept any bytes as a dictionary ("raw content"). This code accepts only dictionaries
// in zstd's dictionary format, because zstd checks their tables.
#include "runtime/bundle/dictionary.h"

#include <algorithm>
#include <new>

#include <zstd.h>

#include "runtime/bundle/bundle_layout.h"

namespace muster {

std::uint32_t dictionary_id(const ContentHash& hash) {
  // The id is big-endian, so that sorting by hash also sorts by id.
  return std::uint32_t{hash.bytes[0]} << 24U | std::uint32_t{hash.bytes[1]} << 16U |
         std::uint32_t{hash.bytes[2]} << 8U | std::uint32_t{hash.bytes[3]};
}

std::string dictionary_path(const ContentHash& hash) {
  return "dictionaries/" + hash.to_string() + ".mdict";
}

void Dictionary::Free::operator()(ZSTD_DDict_s* dictionary) const { ZSTD_freeDDict(dictionary); }

Result<Dictionary> Dictionary::open(Bytes bytes) {
  if (bytes.size() > layout::dictionary::kMaxBytes) {
    return fail(ErrorCode::limit_exceeded,
                "a dictionary has at most 1048576 bytes, not " + std::to_string(bytes.size()));
  }
  if (ZSTD_getDictID_fromDict(bytes.data(), bytes.size()) == 0) {
    return fail(ErrorCode::malformed, "it is not a zstd dictionary");
  }
  Dictionary dictionary;
  dictionary.hash_ = hash_bytes(bytes);
  dictionary.digested_.reset(ZSTD_createDDict(bytes.data(), bytes.size()));
  if (!dictionary.digested_) {
    return fail(ErrorCode::malformed, "the tables of the dictionary are damaged");
  }
  return dictionary;
}

Result<void> DictionarySet::add(const ContentHash& hash, Bytes bytes) {
  const std::uint32_t id = dictionary_id(hash);
  const auto found = std::ranges::lower_bound(dictionaries_, id, {}, &Dictionary::id);
  if (found != dictionaries_.end() && found->id() == id) {
    if (found->hash() == hash) return {};
    return fail(ErrorCode::already_exists,
                "another dictionary begins with the same four bytes of its hash");
  }
  auto opened = Dictionary::open(bytes);
  if (!opened) return fail(opened.error());
  if (opened.value().hash() != hash) {
    return fail(ErrorCode::hash_mismatch,
                "its bytes have the hash " + opened.value().hash().to_string());
  }
  dictionaries_.insert(found, std::move(opened).value());
  return {};
}

const Dictionary* DictionarySet::find(std::uint32_t id) const {
  const auto found = std::ranges::lower_bound(dictionaries_, id, {}, &Dictionary::id);
  return found != dictionaries_.end() && found->id() == id ? &*found : nullptr;
}

}  // namespace muster
