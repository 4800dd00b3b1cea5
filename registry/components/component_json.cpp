// The one file that knows how descriptions look as JSON. nlohmann's exceptions end here.
#include <algorithm>

#include "registry/base/hex.h"
#include "registry/base/json_text.h"
#include "registry/components/component.h"

namespace muster {
namespace {

constexpr std::array<std::string_view, 3> kReceivers = {"everyone", "owner", "all_but_owner"};
constexpr std::array<std::string_view, 4> kInterpolations = {"step", "linear", "shortest_arc",
                                                             "angle"};
constexpr std::array<std::string_view, 2> kRollbacks = {"reconcilable", "confirmed_only"};
constexpr std::array<std::string_view, 3> kSamplings = {"latest", "largest", "sum"};
constexpr std::array<std::string_view, 3> kMissing = {"repeat", "neutral", "latch"};

template <typename Enum, std::size_t N>
Result<Enum> enum_from(const std::array<std::string_view, N>& names, const std::string& name) {
  const auto* const found = std::ranges::find(names, name);
  if (found == names.end()) return fail(ErrorCode::malformed, "unknown word '" + name + "'");
  return static_cast<Enum>(found - names.begin());
}

Json field_to_json(const FieldDescription& field) {
  Json json;
  json["name"] = field.name;
  json["type"] = to_string(field.type);
  json["offset"] = field.offset_bytes;
  json["count"] = field.count;
  json["element_bytes"] = field.element_bytes;
  json["unit"] = field.unit;
  json["minimum"] = field.minimum;
  json["maximum"] = field.maximum;
  json["resolution"] = field.resolution;
  json["tolerance"] = field.tolerance;
  json["receivers"] = kReceivers[static_cast<std::size_t>(field.receivers)];
  json["interpolation"] = kInterpolations[static_cast<std::size_t>(field.interpolation)];
  json["rollback"] = kRollbacks[static_cast<std::size_t>(field.rollback)];
  // Only fields of commands have others than these.
  if (field.sampled != Sampling::latest) {
    json["sampled"] = kSamplings[static_cast<std::size_t>(field.sampled)];
  }
  if (field.when_missing != Missing::repeat) {
    json["when_missing"] = kMissing[static_cast<std::size_t>(field.when_missing)];
  }
  if (!field.names.empty()) json["names"] = field.names;
  return json;
}

Result<FieldDescription> field_from_json(const Json& json) {
  FieldDescription field;
  field.name = json.at("name").get<std::string>();
  const auto type = field_type_from(json.at("type").get<std::string>());
  if (!type) return fail(type.error());
  field.type = type.value();
  field.offset_bytes = json.at("offset").get<std::uint32_t>();
  field.count = json.value("count", 1U);
  field.element_bytes = json.value("element_bytes", size_of(field.type));
  field.unit = json.value("unit", "");
  field.minimum = json.value("minimum", 0.0);
  field.maximum = json.value("maximum", 0.0);
  field.resolution = json.value("resolution", 0.0);
  field.tolerance = json.value("tolerance", 0.0);
  const auto receivers = enum_from<Receivers>(kReceivers, json.value("receivers", "everyone"));
  const auto interpolation =
      enum_from<Interpolation>(kInterpolations, json.value("interpolation", "step"));
  const auto rollback =
      enum_from<RollbackClass>(kRollbacks, json.value("rollback", "reconcilable"));
  if (!receivers) return fail(receivers.error());
  if (!interpolation) return fail(interpolation.error());
  if (!rollback) return fail(rollback.error());
  const auto sampled = enum_from<Sampling>(kSamplings, json.value("sampled", "latest"));
  const auto missing = enum_from<Missing>(kMissing, json.value("when_missing", "repeat"));
  if (!sampled) return fail(sampled.error());
  if (!missing) return fail(missing.error());
  field.sampled = sampled.value();
  field.when_missing = missing.value();
  field.receivers = receivers.value();
  field.interpolation = interpolation.value();
  field.rollback = rollback.value();
  field.names = json.value("names", std::vector<std::string>());
  return field;
}

Result<ComponentDescription> component_from_json(const Json& json) {
  ComponentDescription component;
  component.name = json.at("name").get<std::string>();
  component.size_bytes = json.at("size").get<std::uint32_t>();
  component.alignment_bytes = json.value("alignment", 1U);
  const auto digits = json.at("default").get<std::string>();
  component.default_value.resize(digits.size() / 2);
  if (!parse_hex(digits, component.default_value)) {
    return fail(ErrorCode::malformed, "component '" + component.name +
                                          "': 'default' is not two hexadecimal digits per byte");
  }
  for (const Json& entry : json.at("fields")) {
    auto field = field_from_json(entry);
    if (!field) {
      return fail(ErrorCode::malformed,
                  "component '" + component.name + "': " + field.error().message);
    }
    component.fields.push_back(std::move(field).value());
  }
  if (auto good = check(component); !good) return fail(good.error());
  return component;
}

}  // namespace

std::string components_to_json(std::span<const ComponentDescription> components) {
  std::vector<const ComponentDescription*> sorted;
  for (const ComponentDescription& component : components) sorted.push_back(&component);
  std::ranges::sort(sorted, {}, &ComponentDescription::name);
  Json list = Json::array();
  for (const ComponentDescription* component : sorted) {
    Json json;
    json["name"] = component->name;
    json["size"] = component->size_bytes;
    json["alignment"] = component->alignment_bytes;
    json["default"] = hex_text(component->default_value);
    json["hash"] = component->hash().to_string();
    json["fields"] = Json::array();
    for (const FieldDescription& field : component->fields) {
      json["fields"].push_back(field_to_json(field));
    }
    list.push_back(std::move(json));
  }
  return Json{{"components", std::move(list)}}.dump(2) + "\n";
}

Result<std::vector<ComponentDescription>> components_from_json(std::string_view text) {
  try {
    std::vector<ComponentDescription> components;
    // Named, because a range-for does not keep the temporary alive that `at` points into.
    const Json document = Json::parse(text);
    for (const Json& entry : document.at("components")) {
      auto component = component_from_json(entry);
      if (!component) return fail(component.error());
      if (std::ranges::find(components, component.value().name, &ComponentDescription::name) !=
          components.end()) {
        return fail(ErrorCode::malformed,
                    "two components are called '" + component.value().name + "'");
      }
      components.push_back(std::move(component).value());
    }
    return components;
  } catch (const nlohmann::json::exception& problem) {
    return fail(ErrorCode::malformed, std::string("components.json: ") + problem.what());
  }
}

}  // namespace muster
