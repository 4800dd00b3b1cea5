#include "runtime/world/name_table.h"

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

}  // namespace muster
