// What a player's world holds, as text and as one number: so that worlds can be compared that never
// meet.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "net/replication/type_views.h"
#include "registry/base/content_hash.h"

namespace arena {

/// Collects the entities of one player's world, by ascending id.
class WorldValues {
 public:
  explicit WorldValues(const muster::ReplicationSchema& schema) : schema_(schema) {}

  /// Adds an entity; only what whoever looks at it so receives counts. `values` has all values of
  /// its type.
  void add(std::uint32_t id, std::uint16_t type, muster::SeenBy seen_by,
           std::span<const std::int64_t> values);

  /// A line per entity and per field: `7 type 3`, `  Health.current 500`.
  const std::string& text() const { return text_; }
  muster::ContentHash hash() const;
  std::uint32_t entity_count() const { return entity_count_; }

 private:
  const muster::ReplicationSchema& schema_;
  std::string text_;
  std::uint32_t entity_count_ = 0;
};

}  // namespace arena
