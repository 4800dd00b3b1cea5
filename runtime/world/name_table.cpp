#include "runtime/world/name_table.h"

#include <algorithm>
#include <utility>

namespace muster {

NameTable::NameTable() { intern(""); }

NameId NameTable::intern(std::string_view name) {
  const auto found = ids_.find(name);
  if (found != ids_.end()) return found->second;
  const auto id = static_cast<NameId>(texts_.size());
  texts_.emplace_back(name);
  ids_.emplace(name, id);
  return id;
}

void NameTable::become(NameTable other) {
  const bool was_once = other.texts_.size() <= texts_.size() &&
                        std::equal(other.texts_.begin(), other.texts_.end(), texts_.begin());
  if (!was_once) *this = std::move(other);
}

}  // namespace muster
