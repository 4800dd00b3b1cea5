#include "runtime/replication/receiving_plan.h"

#include <limits>
#include <optional>

#include "runtime/replication/members.h"

namespace muster {
namespace {

constexpr std::uint32_t kUnmatched = std::numeric_limits<std::uint32_t>::max();

}  // namespace

ReceivingPlan::ReceivingPlan(const ReplicationSchema& schema, const World& world) {
  // For each component of the schema: its index in `components_`, or `kUnmatched`.
  std::vector<std::uint32_t> indices;
  for (std::uint16_t i = 0; i < schema.components.size(); ++i) {
    const auto next = static_cast<std::uint32_t>(components_.size());
    const bool is_matched = match(schema.components[i], world);
    if (is_matched) components_.back().sent = SchemaComponent{i};
    indices.push_back(is_matched ? next : kUnmatched);
  }
  for (std::uint16_t i = 0; i < schema.types.size(); ++i) {
    Type& type = types_.emplace_back();
    type.id = schema.types[i].id;
    for (const SchemaComponent component : schema.types[i].components) {
      const std::uint32_t received = indices[schema_index(component)];
      if (received != kUnmatched) type.parts.push_back({received, type.value_count});
      type.value_count += schema.component(component).value_count();
    }
  }
}

bool ReceivingPlan::match(const ComponentSchema& sent, const World& world) {
  const std::optional<MemberComponent> of = member_component(sent.name);
  const std::optional<ComponentId> id =
      of && of->component != "PrefabLink" ? world.find_component(of->component) : std::nullopt;
  if (!id) {
    notes_.push_back("the server sends the unknown component '" + sent.name + "'");
    return false;
  }
  const ComponentDescription& description = world.storage(*id).description();
  ReceivedComponent received{.member = of->member, .component = *id, .fields = {}};
  std::uint32_t value = 0;
  for (const FieldSchema& field : sent.fields) {
    const std::uint32_t first_value = value;
    value += field.value_count;
    const FieldDescription* const here = description.find(field.name);
    std::string why = "this client has no such field";
    std::optional<FieldConversion> conversion;
    if (here != nullptr) conversion = FieldConversion::make(field, *here, why);
    if (!conversion) {
      notes_.push_back("the server sends '" + sent.name + "." + field.name +
                       "', which is ignored: " + why);
      continue;
    }
    received.fields.push_back({.conversion = std::move(*conversion),
                               .receivers = field.receivers,
                               .first_value = first_value,
                               .value_count = field.value_count});
  }
  if (received.fields.empty()) return false;
  components_.push_back(std::move(received));
  return true;
}

}  // namespace muster
