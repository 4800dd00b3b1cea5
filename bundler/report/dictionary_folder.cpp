#include "bundler/report/dictionary_folder.h"

#include "runtime/bundle/bundle_layout.h"

namespace muster {

std::shared_ptr<const DictionarySet> read_dictionaries(const FileReader& target) {
  auto set = std::make_shared<DictionarySet>();
  const AssetPath folder = AssetPath().child("dictionaries");
  const auto listed = target.list(folder);
  if (!listed) return set;
  for (const DirectoryEntry& entry : listed.value()) {
    ByteVector buffer;
    const auto bytes =
        read_whole(target, folder.child(entry.name), layout::dictionary::kMaxBytes, buffer);
    if (!bytes) continue;
    const ContentHash hash = hash_bytes(bytes.value());
    if (folder.child(entry.name).text() == dictionary_path(hash)) {
      (void)set->add(hash, bytes.value()).has_value();
    }
  }
  return set;
}

}  // namespace muster
