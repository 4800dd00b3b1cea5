// Names as numbers, so that what carries a name is plain data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace muster {

/// The number of a name in one table; zero is the empty name.
enum class NameId : std::uint32_t { empty = 0 };

/// Each name once. Names that are interned with `intern_kept` stay; others are forgotten when there
/// are many and no entity uses them, so that a game may name every projectile. The number of a
/// forgotten name is not given to another one.
class NameTable {
 public:
  NameTable() { intern_kept(""); }

  /// Returns the number of `name`, giving it one if it is new. Allocates only then. The number
  /// is valid until `forget_unused` finds that it is not used.
  NameId intern(std::string_view name);
  /// The same for a name that is never forgotten: of prefabs and code, whose number is held.
  NameId intern_kept(std::string_view name);

  /// Empty when the name was forgotten. The view lives as long as the name is in the table.
  /// Requires: an id of this table.
  std::string_view text(NameId id) const;

  /// Whether enough names were added since the last `forget_unused` to make it worth its time.
  bool is_crowded() const { return texts_.size() >= crowd_; }
  /// Forgets names that are not kept and not in `used`, which is sorted.
  void forget_unused(std::span<const NameId> used);
  /// Names in the table.
  std::size_t size() const { return texts_.size(); }

  /// Becomes `other`, unless that is what this was once: then names that came since stay known, for
  /// callers that hold their numbers.
  void become(const NameTable& other);

 private:
  /// Fewer names are not looked through.
  static constexpr std::size_t kCrowdMin = 4096;

  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard's name
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };
  struct Named {
    std::string text;
    bool is_kept = false;
  };

  bool was_once(const NameTable& other) const;

  std::unordered_map<NameId, Named> texts_;
  std::unordered_map<std::string, NameId, Hash, std::equal_to<>> ids_;
  std::uint32_t next_ = 0;  ///< The number of the next new name.
  std::size_t crowd_ = kCrowdMin;
};

}  // namespace muster
