// Stores names as numbers, so that components with names are plain data.
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

/// Stores each name once. A name that was added with `intern_kept` is never dropped. Other names
/// are dropped when there are many names and no entity uses them, so a game may give every
/// projectile its own name. The number of a dropped name is not used again.
class NameTable {
 public:
  NameTable() { intern_kept(""); }

  /// Returns the number of `name`. A new name gets a new number. Allocates only for a new name. The
  /// number is valid until `forget_unused` drops the name.
  NameId intern(std::string_view name);
  /// Does the same as `intern`, but the name is never dropped. Use this function if prefabs or code
  /// store the number of the name.
  NameId intern_kept(std::string_view name);

  /// The text of a name; empty if the name was dropped. The view is valid while the name is in the
  /// table. Requires: `id` is from this table.
  std::string_view text(NameId id) const;

  /// True if another call of `forget_unused` is useful, because the table has many new names.
  bool is_crowded() const { return texts_.size() >= crowd_; }
  /// Drops every name that was not added with `intern_kept` and is not in `used`. Requires: `used`
  /// is sorted.
  void forget_unused(std::span<const NameId> used);
  /// The number of names in the table.
  std::size_t size() const { return texts_.size(); }

  /// Makes this table a copy of `other`. Exception: if `other` is an earlier state of this table,
  /// names that were added later stay in the table, because callers may have stored their numbers.
  void become(const NameTable& other);

 private:
  /// The minimum number of names at which names are dropped.
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
