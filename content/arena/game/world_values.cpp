#include "content/arena/game/world_values.h"

#include "registry/base/bytes.h"
#include "runtime/replication/receiving_plan.h"

namespace arena {

using namespace muster;  // NOLINT(google-build-using-namespace): a game speaks muster

void WorldValues::add(std::uint32_t id, std::uint16_t type, SeenBy seen_by,
                      std::span<const std::int64_t> values) {
  ++entity_count_;
  text_ += std::to_string(id) + " type " + std::to_string(schema_.types[type].id) +
           (seen_by == SeenBy::owner ? " own\n" : "\n");
  for (const std::uint16_t index : schema_.types[type].components) {
    const ComponentSchema& component = schema_.components[index];
    for (const FieldSchema& field : component.fields) {
      if (is_received(field.receivers, seen_by)) {
        text_ += "  " + component.name + "." + field.name;
        for (const std::int64_t value : values.first(field.value_count)) {
          text_ += " " + std::to_string(value);
        }
        text_ += "\n";
      }
      values = values.subspan(field.value_count);
    }
  }
}

ContentHash WorldValues::hash() const { return hash_bytes(as_bytes(text_)); }

}  // namespace arena
