#include "net/replication/divergence_log.h"

namespace muster {

std::string to_line(const Divergence& divergence) {
  std::string entity = "entity " + std::to_string(wire_id(divergence.id));
  if (divergence.type) entity += " of type " + std::to_string(divergence.type->value());
  switch (divergence.kind) {
    case Divergence::Kind::missing:
      return entity + " is missing at a client";
    case Divergence::Kind::missing_component:
      return entity + " lacks its " + divergence.field + " at a client";
    case Divergence::Kind::values:
      break;
  }
  return entity + " is not the same at a client: " +
         (divergence.field.empty() ? "unknown field" : divergence.field);
}

}  // namespace muster
