// A replicated world as text, so that worlds of different programs can be compared.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "net/replication/type_views.h"

namespace muster {

/// Collects the entities of one player's world, by ascending id. There is a line per entity (`7
/// type 3`) and a line per field (`  Health.current 500`). Values are the integers of the wire.
class WorldText {
 public:
  explicit WorldText(const ReplicationSchema& schema) : schema_(schema) {}

  /// Adds an entity with the fields that this player receives. `values` has all values of the
  /// entity's type.
  void add(NetworkId id, SchemaType type, SeenBy seen_by, std::span<const std::int64_t> values);
  const std::string& text() const { return text_; }

 private:
  const ReplicationSchema& schema_;
  std::string text_;
};

}  // namespace muster
