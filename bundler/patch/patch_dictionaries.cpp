#include "bundler/patch/patch_dictionaries.h"

#include <algorithm>
#include <cassert>

namespace muster {
namespace {

constexpr std::size_t kDigestsMax = 6;

}  // namespace

PatchDictionaries::PatchDictionaries(const BuildSide& before, const BuildSide& after) {
  auto set = std::make_shared<DictionarySet>();
  for (const LooseFile* file : after.dictionaries()) {
    const std::uint32_t id = dictionary_id(file->hash);
    // Both targets may have the same dictionary.
    if (set->add(file->hash, file->bytes)) content_.try_emplace(id, file->bytes);
  }
  // Skips a dictionary of the old build if a dictionary of the new build has the same id. If an
  // entry needs a skipped dictionary, the patch contains the whole entry.
  for (const LooseFile* file : before.dictionaries()) {
    (void)set->add(file->hash, file->bytes).has_value();
  }
  decompressing_ = std::move(set);
  for (const auto& [id, bytes] : content_) ids_.push_back(id);
}

const CompressionDictionary* PatchDictionaries::compressing(std::uint32_t id, int level) {
  const auto content = content_.find(id);
  if (id == 0 || content == content_.end()) return nullptr;
  const auto made = digested_.find({id, level});
  if (made != digested_.end()) return &made->second;
  if (!CompressionDictionary::is_usable(content->second)) return nullptr;
  // A patch may need each of its dictionaries at every level, and each prepared dictionary takes
  // megabytes of memory.
  if (digested_.size() >= kDigestsMax) digested_.clear();
  return &digested_.try_emplace({id, level}, content->second, level).first->second;
}

std::uint64_t PatchDictionaries::number_of(std::uint32_t id) const {
  const auto found = std::ranges::lower_bound(ids_, id);
  if (found == ids_.end() || *found != id) return 0;
  return static_cast<std::uint64_t>(found - ids_.begin()) + 1;
}

std::uint32_t PatchDictionaries::id_of(std::uint64_t number) const {
  assert(number <= ids_.size());
  return number == 0 ? 0 : ids_[static_cast<std::size_t>(number) - 1];
}

}  // namespace muster
