// Writes a replicated world as text, to compare the worlds of different programs.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "net/replication/type_views.h"

namespace muster {

/// Writes the entities that one player receives, by ascending id. Each entity has a line, for
/// example `7 type 3`. Each field has a line, for example `  Health.current 500`. Values are
/// integers, as on the wire.
class WorldText {
 public:
  explicit WorldText(const ReplicationSchema& schema) : schema_(schema) {}

  /// Adds an entity with the fields that the player receives. `values` must have all values of the
  /// entity's type.
  void add(NetworkId id, SchemaType type, SeenBy seen_by, std::span<const std::int64_t> values);
  const std::string& text() const { return text_; }

 private:
  const ReplicationSchema& schema_;
  std::string text_;
};

}  // namespace muster
