// Matches the components that a server sends with the components of this client.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "net/replication/replication_schema.h"
#include "net/replication/type_views.h"
#include "registry/base/type_id.h"
#include "runtime/replication/field_conversion.h"
#include "runtime/world/world.h"

namespace muster {

/// A field that both the server and the client have.
struct ReceivedField {
  FieldConversion conversion;
  Receivers receivers = Receivers::everyone;
  /// The index of the first value among the values of the component.
  std::uint32_t first_value = 0;
  std::uint32_t value_count = 0;
};

/// A component that both the server and the client have.
struct ReceivedComponent {
  SchemaComponent sent{};    ///< The component in the server's schema.
  std::uint32_t member = 0;  ///< The member that has the component; see `members.h`.
  ComponentId component;
  std::vector<ReceivedField> fields;
};

/// Matches a server's schema with the components of a world, by the names of components and fields.
/// Leaves out components and fields that exist on only one side or cannot be converted.
///
/// If the two versions of a field have different receivers, the receivers of the server's version
/// are used.
class ReceivingPlan {
 public:
  struct Part {
    std::uint32_t component = 0;  ///< The index of the component's `ReceivedComponent` in the plan.
    /// The index of the component's first value among all values of the entity.
    std::uint32_t first_value = 0;
  };

  /// The world must outlive this object. The schema is only used during the call.
  ReceivingPlan(const ReplicationSchema& schema, const World& world);

  /// The received parts of a type of the schema.
  std::span<const Part> parts(SchemaType type) const { return types_[schema_index(type)].parts; }
  ReceivedComponent& component(const Part& part) { return components_[part.component]; }
  const ReceivedComponent& component(const Part& part) const { return components_[part.component]; }
  TypeId type_id(SchemaType type) const { return types_[schema_index(type)].id; }
  std::uint32_t value_count(SchemaType type) const {
    return types_[schema_index(type)].value_count;
  }

  /// One line for each component and field of the server that this plan ignores, for the log.
  std::span<const std::string> notes() const { return notes_; }

 private:
  struct Type {
    TypeId id;
    std::uint32_t value_count = 0;
    std::vector<Part> parts;
  };
  bool match(const ComponentSchema& sent, const World& world);

  std::vector<ReceivedComponent> components_;
  std::vector<Type> types_;
  std::vector<std::string> notes_;
};

/// Whether the server sends a field to a client that sees the entity as `seen_by`.
constexpr bool is_received(Receivers receivers, SeenBy seen_by) {
  return receivers == Receivers::everyone ||
         (receivers == Receivers::owner) == (seen_by == SeenBy::owner);
}

}  // namespace muster
