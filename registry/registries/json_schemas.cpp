// A schema is laxer than `muster validate`: it sees one file, and says what that can mean at all.
// Where a file may hold keys of the game's own it allows them.
#include "registry/registries/json_schemas.h"

#include "registry/project/config_keys.h"
#include "registry/registries/plain_components.h"
#include "registry/registries/ready_made.h"
#include "registry/vocabulary/effect_pool.h"
#include "registry/vocabulary/json_text.h"

namespace muster {
namespace {

constexpr const char* kDialect = "https://json-schema.org/draft/2020-12/schema";
constexpr const char* kGuidPattern = "^[0-9a-f]{32}$";

Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

// YAML reads `404` as a number, `yes` as a truth value; the reader takes any single value as text.
Json any_text() { return {{"type", Json::array({"string", "number", "boolean"})}}; }

Json guid_text() { return {{"type", "string"}, {"pattern", kGuidPattern}}; }

std::string text_of(const Json& json) { return json_text(json); }

// ---- muster.yaml

Json part_reference(std::string_view name) { return {{"$ref", "#/$defs/" + std::string(name)}}; }

// An empty value under a key means that all of it is commented out.
Json or_null(Json schema) {
  schema["type"] = Json::array({schema["type"], "null"});
  return schema;
}

Json value_schema(ConfigValue value) {
  using enum ConfigValue;
  switch (value) {
    case version:
      return {{"const", 1}};
    case text:
    case path:
      return any_text();
    case texts:
    case paths:
      return list_of(any_text());
    case guid:
      return guid_text();
    case guids:
      return or_null(list_of(guid_text()));
    case zero_or_one:
      return {{"enum", {0, 1}}};
    case strength:
      return {{"enum", {"weak", "strong"}}};
    case role:
      return {{"enum", {"asset", "prefab", "factory"}}};
    case target:
      return {{"enum", {"client", "server"}}};
    case targets: {
      Json list = list_of(value_schema(target));
      list["minItems"] = 1;
      return list;
    }
    case text_or_texts:
      return {{"anyOf", {any_text(), list_of(any_text())}}};
    case byte_count:
      return {{"anyOf",
               {{{"type", "integer"}, {"minimum", 0}},
                {{"type", "string"}, {"pattern", "^[0-9]+ *(B|kB|KiB|MB|MiB|GB|GiB)?$"}}}}};
    case ready_made: {
      Json names = Json::array();
      for (const ReadyMadeClasses& one : ready_made_classes()) names.push_back(one.name);
      return list_of({{"enum", std::move(names)}});
    }
    case classes:
      return or_null({{"type", "object"}, {"additionalProperties", part_reference("class")}});
    case references:
      return list_of(part_reference("reference"));
    case prepare:
      return part_reference("prepare");
    case budgets:
      return or_null(list_of(part_reference("budget")));
    case variants:
      return or_null(
          {{"type", "object"}, {"additionalProperties", part_reference("variant_axis")}});
    case choose:
      return {{"enum", {"build", "runtime"}}};
    case truth:
      return {{"type", "boolean"}};
    case texts_or_none:
      return or_null(list_of(any_text()));
    case strip:
      return {{"anyOf", {part_reference("strip"), {{"type", "null"}}}}};
    case strip_target:
      return {{"anyOf", {part_reference("strip_target"), {{"type", "null"}}}}};
    case compression:
      return {{"anyOf", {part_reference("compression"), {{"type", "null"}}}}};
    case plain_level:
      return {{"type", "integer"}, {"minimum", 1}, {"maximum", 19}};
    case kinds:
      return {
          {"type", "object"},
          {"propertyNames", {{"pattern", "^[^./*]+$"}}},
          {"additionalProperties", {{"anyOf", {value_schema(plain_level), {{"const", "store"}}}}}}};
  }
  return {};
}

Json part_schema(ConfigPart part) {
  Json schema{{"type", "object"}, {"properties", Json::object()}};
  Json required = Json::array();
  for (const ConfigKey& key : config_keys(part)) {
    Json value = value_schema(key.value);
    value["description"] = key.help;
    schema["properties"][std::string(key.name)] = std::move(value);
    if (key.is_required) required.push_back(key.name);
  }
  schema["additionalProperties"] = false;
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

// ---- plain files

Json type_id_schema() { return {{"type", "integer"}, {"minimum", 0}, {"maximum", TypeId::kMax}}; }

// What the keys of an entry may hold, as far as one file shows it.
Json entry_schema(const ClassDeclaration& entry) {
  Json properties{{"type_id", type_id_schema()}};
  const auto add = [&](std::string path) {
    const std::size_t dot = path.find('.');
    const bool leads_on = dot != std::string::npos;
    path.resize(std::min(dot, path.size()));
    const bool is_list = path.ends_with("[]");
    if (is_list) path.resize(path.size() - 2);
    if (path.empty() || properties.contains(path)) return;
    // What leads on may be an inline mapping as well.
    Json value =
        leads_on ? Json{{"type", Json::array({"object", "null"})}} : part_reference("reference");
    properties[path] = is_list ? list_of(std::move(value)) : std::move(value);
  };
  // An exact path first: of `definition` and `definition.prefab` the former says more.
  for (const ReferenceRule& rule : entry.references) {
    if (rule.path.find('.') == std::string::npos) add(rule.path);
  }
  for (const ReferenceRule& rule : entry.references) add(rule.path);
  for (const std::string& key : entry.own_guid_keys) add(key);
  if (!entry.owner_path.empty()) add(entry.owner_path);
  if (!entry.pool_size_path.empty()) {
    properties[entry.pool_size_path] = {
        {"type", "integer"}, {"minimum", 1}, {"maximum", kMaxEffectPool}};
  }
  return {{"anyOf",
           {{{"type", "object"}, {"properties", std::move(properties)}},
            {{"type", "string"}, {"pattern", "^([0-9a-f]{32})?$"}},
            {{"type", "null"}}}}};
}

Json registry_schema(const ClassDeclaration& entry) {
  Json schema{{"type", "object"}, {"properties", {{"class", {{"const", entry.name}}}}}};
  Json& properties = schema["properties"];
  Json list = or_null(list_of(entry_schema(entry)));
  for (const std::string& name : entry.lists) {
    const bool is_key = name.find('.') == std::string::npos;
    if (is_key) properties[name] = list;
  }
  properties["retired"] = or_null(list_of(type_id_schema()));
  return schema;
}

Json root_schema() {
  return {{"type", "object"},
          {"properties",
           {{"class", {{"const", kRootClass}}},
            {"serverBuild", {{"enum", {0, 1, false, true}}}},
            {"assetRegistries", or_null(list_of(part_reference("reference")))}}},
          {"required", {"assetRegistries"}}};
}

// One or several of a weak reference's spellings, a strong one, or nothing.
Json reference_schema() {
  const Json word{{"type", "integer"}};
  return {{"anyOf",
           {{{"type", "object"},
             {"properties",
              {{"fileID", word},
               {"guid", {{"type", "string"}, {"pattern", "^([0-9a-f]{32})?$"}}},
               {"type", word},
               {"val0", word},
               {"val1", word},
               {"val2", word},
               {"val3", word}}},
             {"additionalProperties", false}},
            {{"type", "string"}, {"pattern", "^([0-9a-f]{32})?$"}},
            {{"type", "null"}}}}};
}

Json entity_schema() {
  return {{"type", "object"},
          {"properties",
           {{"name", any_text()},
            {"active", {{"enum", {0, 1, false, true}}}},
            {"prefab", part_reference("reference")},
            {"components", or_null(list_of(part_reference("component")))},
            {"removed", or_null(list_of(any_text()))},
            {"children", or_null(list_of(part_reference("entity")))}}},
          {"additionalProperties", false}};
}

Json prefab_schema() {
  return {{"type", "object"},
          {"properties",
           {{"class", any_text()},
            {"variant_of", part_reference("reference")},
            {"root", part_reference("entity")},
            {"components", or_null(list_of(part_reference("component")))},
            {"removed", or_null(list_of(any_text()))}}}};
}

// Lists components, or has fields named after them (`health` or `Health`). More is its script's.
Json factory_schema(const Json& described) {
  Json properties{{"guid", part_reference("reference")},
                  {"components", or_null(list_of(part_reference("component")))}};
  for (const auto& [name, schema] : described.at("$defs").items()) {
    std::string field = name;
    if (field.front() >= 'A' && field.front() <= 'Z') {
      field.front() = static_cast<char>(field.front() - 'A' + 'a');
    }
    // A field that is no mapping is no component.
    const Json component{{"if", {{"type", "object"}}},
                         {"then", part_reference("components/" + name)}};
    if (!properties.contains(field)) properties[field] = component;
    if (!properties.contains(name)) properties[name] = component;
  }
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

// `- Health: {current: 50}` or only `- Marker`. What a game does not describe, its engine may know.
Json component_schema(const Json& described) {
  Json properties = Json::object();
  for (const auto& [name, schema] : described.at("$defs").items()) {
    properties[name] = {{"anyOf", {part_reference("components/" + name), {{"type", "null"}}}}};
  }
  return {{"anyOf",
           {{{"type", "string"}},
            {{"type", "object"}, {"properties", std::move(properties)}, {"minProperties", 1}}}}};
}

void add_case(Json& schema, const std::string& class_name, std::string_view definition) {
  schema["properties"]["class"]["anyOf"][0]["enum"].push_back(class_name);
  Json condition{{"properties", {{"class", {{"const", class_name}}}}}, {"required", {"class"}}};
  schema["allOf"].push_back({{"if", std::move(condition)}, {"then", part_reference(definition)}});
}

}  // namespace

std::string config_json_schema() {
  Json schema{{"$schema", kDialect}, {"title", "muster.yaml"}};
  schema.update(part_schema(ConfigPart::top));
  schema["$defs"] = {{"class", part_schema(ConfigPart::registry_class)},
                     {"reference", part_schema(ConfigPart::reference)},
                     {"prepare", part_schema(ConfigPart::prepare)},
                     {"budget", part_schema(ConfigPart::budget)},
                     {"variant_axis", part_schema(ConfigPart::variant_axis)},
                     {"strip", part_schema(ConfigPart::strip)},
                     {"strip_target", part_schema(ConfigPart::strip_target)},
                     {"compression", part_schema(ConfigPart::compression)}};
  return text_of(schema);
}

std::string content_json_schema(std::span<const ClassDeclaration> classes,
                                std::span<const ComponentDescription> components) {
  const Json described = Json::parse(components_json_schema(components));
  // The names of classes are there to be completed; another one is the game's own.
  Json schema{
      {"$schema", kDialect},
      {"title", "A plain file of a project"},
      {"type", "object"},
      {"properties", {{"class", {{"anyOf", {{{"enum", Json::array()}}, {{"type", "string"}}}}}}}},
      {"allOf", Json::array()}};
  Json definitions{
      {"reference", reference_schema()},     {"entity", entity_schema()},
      {"prefab", prefab_schema()},           {"component", component_schema(described)},
      {"components", described.at("$defs")}, {"root", root_schema()},
      {"registries", Json::object()},        {"factory", factory_schema(described)}};
  add_case(schema, "Prefab", "prefab");
  add_case(schema, std::string(kFactoryClass), "factory");
  add_case(schema, std::string(kRootClass), "root");
  for (const ClassDeclaration& entry : classes) {
    definitions["registries"][entry.name] = registry_schema(entry);
    add_case(schema, entry.name, "registries/" + entry.name);
  }
  schema["$defs"] = std::move(definitions);
  return text_of(schema);
}

}  // namespace muster
