// Names as numbers, so that components with names are plain data.
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

/// Stores each name once. Names that are interned with `intern_kept` stay; others are dropped when
/// there are many and no entity uses them, so that a game may name every projectile. The number of
/// a dropped name is not reused.
class NameTable {
 public:
  NameTable() { intern_kept(""); }

  /// Returns the number of `name`; a new name gets a new number. Allocates only then. The number is
  /// valid until `forget_unused` finds that it is not used.
  NameId intern(std::string_view name);
  /// The same for a name that is never dropped: for names of prefabs and code, whose numbers are
  /// stored.
  NameId intern_kept(std::string_view name);

  /// Empty if the name was dropped. The view is valid while the name is in the table. Requires: an
  /// id of this table.
  std::string_view text(NameId id) const;

  /// True when enough names were added since the last `forget_unused` to make a call worthwhile.
  bool is_crowded() const { return texts_.size() >= crowd_; }
  /// Drops names that are not kept and not in `used`, which is sorted.
  void forget_unused(std::span<const NameId> used);
  /// The number of names in the table.
  std::size_t size() const { return texts_.size(); }

  /// Becomes a copy of `other`. Exception: if `other` is an earlier state of this table, newer
  /// names stay known, for callers that store their numbers.
  void become(const NameTable& other);

 private:
  /// Below this number, names are never dropped.
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
