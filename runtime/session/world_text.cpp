#include "runtime/session/world_text.h"

#include <string_view>

#include "registry/base/bytes.h"
#include "runtime/replication/receiving_plan.h"

namespace muster {
namespace {

/// A field of `Replicated` that the text leaves out. The field changes with each command, so server
/// and client never have equal values.
constexpr std::string_view kCommandNumber = "commandNumber";

}  // namespace

void WorldText::add(NetworkId id, SchemaType type, SeenBy seen_by,
                    std::span<const std::int64_t> values) {
  text_ +=
      std::to_string(wire_id(id)) + " type " + std::to_string(schema_.type(type).id.value()) + "\n";
  for (const SchemaComponent index : schema_.type(type).components) {
    const ComponentSchema& component = schema_.component(index);
    for (const FieldSchema& field : component.fields) {
      if (is_received(field.receivers, seen_by) && field.name != kCommandNumber) {
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

}  // namespace muster
