#include "runtime/world/name_table.h"

#include <utility>

namespace muster {

NameId NameTable::intern(std::string_view name) {
  const auto found = ids_.find(name);
  if (found != ids_.end()) return found->second;
  const auto id = static_cast<NameId>(next_++);
  texts_.emplace(id, Named{.text = std::string(name)});
  ids_.emplace(name, id);
  return id;
}

NameId NameTable::intern_kept(std::string_view name) {
  const NameId id = intern(name);
  texts_.find(id)->second.is_kept = true;
  return id;
}

std::string_view NameTable::text(NameId id) const {
  const auto found = texts_.find(id);
  return found != texts_.end() ? std::string_view(found->second.text) : std::string_view();
}

void NameTable::forget_unused(std::span<const NameId> used) {
  std::erase_if(texts_, [&](const auto& named) {
    const auto& [id, name] = named;
    if (name.is_kept || std::ranges::binary_search(used, id)) return false;
    const auto found = ids_.find(name.text);
    // Another number may have this text now, if the name was added again or an older table was
    // restored.
    if (found != ids_.end() && found->second == id) ids_.erase(found);
    return true;
  });
  crowd_ = kCrowdMin + 2 * texts_.size();
}

/// Whether `other` is an earlier state of this table. Names that were dropped here may still be in
/// `other`.
bool NameTable::was_once(const NameTable& other) const {
  if (other.next_ > next_) return false;
  return std::ranges::all_of(other.texts_, [&](const auto& named) {
    const auto found = texts_.find(named.first);
    return found == texts_.end() || found->second.text == named.second.text;
  });
}

void NameTable::become(const NameTable& other) {
  if (!was_once(other)) {
    *this = other;
    return;
  }
  for (const auto& [id, name] : other.texts_) {
    if (texts_.try_emplace(id, name).second) ids_.try_emplace(name.text, id);
  }
}

}  // namespace muster
