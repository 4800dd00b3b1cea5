// Matches the components that a server sends with those of this end.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "net/replication/replication_schema.h"
#include "net/replication/type_views.h"
#include "runtime/replication/field_conversion.h"
#include "runtime/world/world.h"

namespace muster {

/// A field that both ends have.
struct ReceivedField {
  FieldConversion conversion;
  SchemaReceivers receivers = SchemaReceivers::everyone;
  std::uint32_t first_value = 0;  ///< Index among the values of the component.
  std::uint32_t value_count = 0;
};

/// A component that both ends have.
struct ReceivedComponent {
  std::uint16_t sent = 0;    ///< Its index in the server's schema.
  std::uint32_t member = 0;  ///< The member that has it; see `members.h`.
  ComponentId component;
  std::vector<ReceivedField> fields;
};

/// Matches a server's schema with the components of a world, by the names of components and fields.
/// Components and fields that only one of them has, or that cannot be converted, are left out.
///
/// If the two versions of a field have different receivers, the server's version applies.
class ReceivingPlan {
 public:
  struct Part {
    std::uint32_t component = 0;    ///< Index of a `ReceivedComponent`.
    std::uint32_t first_value = 0;  ///< Index among the values of the entity.
  };

  /// The world must outlive this object; the schema need not.
  ReceivingPlan(const ReplicationSchema& schema, const World& world);

  /// The received parts of a type of the schema.
  std::span<const Part> parts(SchemaType type) const { return types_[schema_index(type)].parts; }
  ReceivedComponent& component(const Part& part) { return components_[part.component]; }
  const ReceivedComponent& component(const Part& part) const { return components_[part.component]; }
  std::uint32_t type_id(SchemaType type) const { return types_[schema_index(type)].id; }
  std::uint32_t value_count(SchemaType type) const {
    return types_[schema_index(type)].value_count;
  }

  /// The components and fields of the server that are ignored, one line each, for the log.
  std::span<const std::string> notes() const { return notes_; }

 private:
  struct Type {
    std::uint32_t id = 0;
    std::uint32_t value_count = 0;
    std::vector<Part> parts;
  };
  bool match(const ComponentSchema& sent, const World& world);

  std::vector<ReceivedComponent> components_;
  std::vector<Type> types_;
  std::vector<std::string> notes_;
};

/// Whether a field is sent to a client that sees the entity in this way.
constexpr bool is_received(SchemaReceivers receivers, SeenBy seen_by) {
  return receivers == SchemaReceivers::everyone ||
         (receivers == SchemaReceivers::owner) == (seen_by == SeenBy::owner);
}

}  // namespace muster
