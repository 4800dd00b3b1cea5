// A replicated world as text, so that worlds of different programs can be compared.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "net/replication/type_views.h"

namespace muster {

/// Collects the entities of one player's world, by ascending id: a line per entity and per field,
/// as in `7 type 3` and `  Health.current 500`, in the wire's integers.
class WorldText {
 public:
  explicit WorldText(const ReplicationSchema& schema) : schema_(schema) {}

  /// Adds an entity with the fields that this player receives. `values` has all values of its type.
  void add(NetworkId id, SchemaType type, SeenBy seen_by, std::span<const std::int64_t> values);
  const std::string& text() const { return text_; }

 private:
  const ReplicationSchema& schema_;
  std::string text_;
};

}  // namespace muster
