// Names as numbers, so that what carries a name is plain data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace muster {

/// The number of a name in one table; zero is the empty name.
enum class NameId : std::uint32_t { empty = 0 };

/// Each name once. It only grows: names come from prefabs and code, not from the network.
class NameTable {
 public:
  NameTable();

  /// Returns the number of `name`, giving it one if it is new. Allocates only then.
  NameId intern(std::string_view name);

  /// The view lives until the next name is added. Requires: an id of this table.
  std::string_view text(NameId id) const { return texts_[static_cast<std::uint32_t>(id)]; }

  /// Becomes `other`, unless that is what this was once: then what came since stays known, for
  /// whoever holds its numbers.
  void become(NameTable other);

 private:
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard's name
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::vector<std::string> texts_;
  std::unordered_map<std::string, NameId, Hash, std::equal_to<>> ids_;
};

}  // namespace muster
