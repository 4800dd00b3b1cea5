// Writes the JSON Schema (2020-12) with which an editor checks a prefab.
#include <charconv>
#include <cmath>

#include "registry/base/json_text.h"
#include "registry/components/component.h"
#include "registry/components/lanes.h"

namespace muster {
namespace {

Json number_schema(const FieldDescription& field) {
  const bool is_whole = field.type <= FieldType::uint64 || field.type == FieldType::entity;
  Json json{{"type", is_whole ? "integer" : "number"}};
  if (!field.names.empty()) {
    json["minimum"] = 0;
    json["maximum"] = field.names.size() - 1;
  } else if (field.minimum != field.maximum) {
    json["minimum"] = field.minimum;
    json["maximum"] = field.maximum;
  } else if (is_whole) {
    with_lane_type(lane_type(field.type), [&]<typename T>(T) {
      json["minimum"] = std::numeric_limits<T>::lowest();
      if (sizeof(T) <= sizeof(std::uint32_t)) {
        json["maximum"] = std::numeric_limits<T>::max();
      } else {
        // Editors round numbers with more than 53 bits, but powers of two stay exact.
        json["exclusiveMaximum"] = std::ldexp(1.0, std::numeric_limits<T>::digits);
      }
    });
  }
  return json;
}

Json axes_schema(const FieldDescription& field, std::span<const char* const> axes) {
  Json json{{"type", Json::array({"object", "null"})},
            {"properties", Json::object()},
            {"additionalProperties", false}};
  for (const char* axis : axes) json["properties"][axis] = number_schema(field);
  const Json list{{"type", "array"}, {"items", number_schema(field)}, {"maxItems", axes.size()}};
  return {{"anyOf", {json, list}}};
}

// A strong or weak reference in any spelling, or an empty value.
Json asset_schema() {
  const Json guid{{"type", Json::array({"string", "null"})}, {"pattern", "^([0-9a-fA-F]{32})?$"}};
  const Json whole{{"type", "integer"}};
  return {{"anyOf",
           {{{"type", "object"},
             {"properties", {{"fileID", whole}, {"guid", guid}, {"type", whole}}},
             {"anyOf", {{{"required", {"fileID"}}}, {{"required", {"guid"}}}}}},
            {{"type", "object"}, {"required", {"val0", "val1", "val2", "val3"}}},
            guid}}};
}

Json element_schema(const FieldDescription& field) {
  constexpr std::array<const char*, 4> kAxes = {"x", "y", "z", "w"};
  const std::span<const char* const> axes(kAxes);
  switch (field.type) {
    case FieldType::boolean:
      return {{"enum", {true, false, 0, 1}}};
    case FieldType::vec2:
    case FieldType::vec3:
    case FieldType::quaternion:
      return axes_schema(field, axes.first(lane_count(field)));
    case FieldType::text:
      // A schema limits characters, not bytes, so a text with non-ASCII letters may still be too
      // long.
      return {{"type", Json::array({"string", "number", "boolean", "null"})},
              {"maxLength", field.element_bytes}};
    case FieldType::asset:
      return asset_schema();
    default:
      break;
  }
  if (field.names.empty()) return number_schema(field);
  return {{"anyOf", {{{"enum", field.names}}, number_schema(field)}}};
}

Json field_schema(const FieldDescription& field) {
  Json json = element_schema(field);
  if (field.count > 1) {
    json = Json{{"type", Json::array({"array", "null"})},
                {"items", std::move(json)},
                {"maxItems", field.count}};
  }
  if (!field.unit.empty()) json["description"] = "in " + field.unit;
  return json;
}

// Adds a field to the schema of the struct that contains it. For example, `slots[2].ammo` is a
// property of the items of `slots`.
void add_field(Json& object, std::string_view path, const FieldDescription& field) {
  const std::size_t dot = path.find('.');
  std::string name(path.substr(0, dot));
  if (dot == std::string_view::npos) {
    object["properties"][name] = field_schema(field);
    return;
  }
  const std::size_t bracket = name.find('[');
  const bool is_item = bracket != std::string::npos;
  const std::string_view index = path.substr(0, dot).substr(is_item ? bracket + 1 : dot);
  if (is_item) name.resize(bracket);
  Json& child = object["properties"][name];
  child["type"] = Json::array({is_item ? "array" : "object", "null"});
  if (is_item) {
    // Items are in order, so the last item determines the number of items.
    std::uint32_t last = 0;
    std::from_chars(index.data(), index.data() + index.size(), last);
    child["maxItems"] = last + 1;
  }
  Json& inner = is_item ? child["items"] : child;
  inner["type"] = Json::array({"object", "null"});
  inner["additionalProperties"] = false;
  add_field(inner, path.substr(dot + 1), field);
}

}  // namespace

std::string components_json_schema(std::span<const ComponentDescription> components) {
  Json definitions = Json::object();
  Json choices = Json::array();
  for (const ComponentDescription& component : components) {
    Json object{
        {"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
    for (const FieldDescription& field : component.fields) add_field(object, field.name, field);
    definitions[component.name] = std::move(object);
    choices.push_back(
        {{"type", "object"},
         {"required", {component.name}},
         {"properties", {{component.name, {{"$ref", "#/$defs/" + component.name}}}}}});
  }
  return Json{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", "Component of a prefab"},
              {"anyOf", std::move(choices)},
              {"$defs", std::move(definitions)}}
             .dump(2) +
         "\n";
}

}  // namespace muster
