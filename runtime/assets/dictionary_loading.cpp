// If other programs can change the bytes of a file, the bytes are copied before they are hashed.
#include "runtime/assets/dictionary_loading.h"

#include <string>

namespace muster {
namespace {

Result<void> add(const BundleSource& source, const CatalogDictionary& record, DictionarySet& set) {
  const std::string path = dictionary_path(record.hash);
  const auto refuse = [&](ErrorCode code, const std::string& reason) {
    return fail(code, "dictionary " + path + " of '" + source.full_path(path) + "' " + reason);
  };
  const auto file = source.open(path, record.file_bytes);
  if (!file) {
    const Error why = why_not_opened(source, path, record.file_bytes, file.error());
    return refuse(why.code, why.message);
  }
  Bytes bytes = file.value()->bytes();
  ByteVector copy;
  if (file.value()->is_shared()) {
    copy.assign(bytes.begin(), bytes.end());
    if (file.value()->is_damaged()) return refuse(ErrorCode::io, "was truncated while it was read");
    bytes = copy;
  }
  if (bytes.size() != record.file_bytes) {
    return refuse(ErrorCode::hash_mismatch, "is damaged: it has " + std::to_string(bytes.size()) +
                                                " bytes, the catalog says " +
                                                std::to_string(record.file_bytes));
  }
  if (auto added = set.add(record.hash, bytes); !added) {
    return refuse(added.error().code, "is damaged: " + added.error().message);
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const DictionarySet>> load_dictionaries(const BundleSource& source,
                                                               const CatalogReader& catalog) {
  if (catalog.dictionary_count() == 0) return std::shared_ptr<const DictionarySet>();
  auto set = std::make_shared<DictionarySet>();
  for (std::uint32_t i = 0; i < catalog.dictionary_count(); ++i) {
    if (auto added = add(source, catalog.dictionary(i), *set); !added) return fail(added.error());
  }
  return std::shared_ptr<const DictionarySet>(std::move(set));
}

}  // namespace muster
