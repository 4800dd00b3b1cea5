// A schema reports the same problems as `muster validate` for a project with only this file. A test
// compares the schema and `validate` on the same mutations of files.
#include "registry/model/json_schemas.h"

#include "registry/base/json_text.h"
#include "registry/base/near_name.h"
#include "registry/components/effect_pool.h"
#include "registry/model/plain_components.h"
#include "registry/model/plain_keys.h"
#include "registry/model/ready_made.h"
#include "registry/project/config_keys.h"

namespace muster {
namespace {

constexpr const char* kDialect = "https://json-schema.org/draft/2020-12/schema";
constexpr const char* kTypeName = "^[A-Za-z_]";
constexpr const char* kGuidPattern = "^[0-9a-f]{32}$";

Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

// YAML reads `404` as a number and `yes` as a boolean; the reader accepts any single value as text.
Json any_text() { return {{"type", Json::array({"string", "number", "boolean"})}}; }

Json guid_text() { return {{"type", "string"}, {"pattern", kGuidPattern}}; }

std::string text_of(const Json& json) { return json_text(json); }

// ---- muster.yaml

Json part_reference(std::string_view name) { return {{"$ref", "#/$defs/" + std::string(name)}}; }

// A key has an empty value (null) if its whole content is commented out.
Json or_null(Json schema) {
  schema["type"] = Json::array({schema["type"], "null"});
  return schema;
}

Json byte_count_schema() {
  return {{"anyOf",
           {{{"type", "integer"}, {"minimum", 0}},
            {{"type", "string"}, {"pattern", "^[0-9]+ *(B|kB|KiB|MB|MiB|GB|GiB)?$"}}}}};
}

// A mapping from rule ids to severities, or to mappings from path patterns to severities. A parser
// of YAML 1.1 reads `off` as false.
Json rules_schema() {
  const Json severity{{"enum", {"off", "note", "warning", "error", false}}};
  const Json by_path{{"type", "object"}, {"additionalProperties", severity}};
  return or_null({{"type", "object"}, {"additionalProperties", {{"anyOf", {severity, by_path}}}}});
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
      return byte_count_schema();
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
    case rules:
      return rules_schema();
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

// The value of a key for a definition: a reference, or the definition itself.
Json leading_schema() {
  return {{"anyOf",
           {part_reference("strong_or_unset"),
            {{"type", "object"},
             {"not", {{"anyOf", {{{"required", {"fileID"}}}, {{"required", {"guid"}}}}}}}},
            {{"type", "null"}}}}};
}

// The allowed keys of an entry and their values.
Json entry_schema(const ClassDeclaration& entry) {
  Json properties = Json::object();
  for (const std::string& key : entry_keys(entry)) properties[key] = Json::object();
  properties["type_id"] = type_id_schema();
  for (const EntryReferenceKey& key : entry_reference_keys(entry)) {
    Json value = key.may_be_inline ? leading_schema()
                 : key.is_strong   ? part_reference("strong_or_null")
                                   : part_reference("reference");
    properties[key.key] = key.is_list ? or_null(list_of(std::move(value))) : std::move(value);
  }
  if (!entry.pool_size_path.empty()) {
    properties[entry.pool_size_path] = {
        {"type", "integer"}, {"minimum", 1}, {"maximum", kMaxEffectPool}};
  }
  Json choices = Json::array({part_reference("strong_or_unset"), {{"type", "null"}}});
  if (are_entries_references(entry)) choices.push_back(part_reference("reference"));
  choices.push_back(
      {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}});
  return {{"anyOf", std::move(choices)}};
}

Json flag_schema() { return {{"enum", {0, 1, false, true}}}; }

Json registry_schema(const ClassDeclaration& entry) {
  Json schema{{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
  Json& properties = schema["properties"];
  for (const std::string& key : registry_keys(entry)) properties[key] = Json::object();
  properties["class"] = {{"const", entry.name}};
  Json list = or_null(list_of(entry_schema(entry)));
  Json lists = Json::array();
  for (const std::string& name : entry.lists) {
    const bool is_key = name.find('.') == std::string::npos;
    if (is_key) properties[name] = list;
    lists.push_back({{"required", {name.substr(0, name.find('.'))}}});
  }
  schema["anyOf"] = std::move(lists);
  properties["retired"] = or_null(list_of(type_id_schema()));
  if (!entry.provider_interface.empty()) properties["server"] = flag_schema();
  return schema;
}

Json root_schema() {
  return {{"type", "object"},
          {"properties",
           {{"class", {{"const", kRootClass}}},
            {"serverBuild", flag_schema()},
            {"assetRegistries", or_null(list_of(part_reference("strong")))}}},
          {"additionalProperties", false},
          {"required", {"assetRegistries"}}};
}

// A number, with or without quotes. A text of 19 digits is accepted even if the number is slightly
// too large.
Json whole_number(std::int64_t minimum, std::int64_t maximum, const char* digits) {
  return {{"anyOf",
           {{{"type", "integer"}, {"minimum", minimum}, {"maximum", maximum}},
            {{"type", "string"}, {"pattern", digits}}}}};
}

Json file_id_schema(bool may_be_unset) {
  Json schema = whole_number(INT64_MIN, INT64_MAX,
                             may_be_unset ? "^-?0*[0-9]{1,19}$" : "^-?0*[1-9][0-9]{0,18}$");
  if (!may_be_unset) schema["not"] = {{"const", 0}};
  return schema;
}

Json word_schema() { return whole_number(INT32_MIN, INT32_MAX, "^-?0*[0-9]{1,9}$"); }

// A strong reference `{fileID, guid}` with both keys. The reference must not be null, unless
// `may_be_unset`.
Json strong_schema(bool may_be_unset) {
  constexpr const char* kSetGuid = "^(?!0{32}$)[0-9a-fA-F]{32}$";
  constexpr const char* kAnyGuid = "^([0-9a-fA-F]{32})?$";
  Json schema{{"type", "object"},
              {"properties",
               {{"fileID", file_id_schema(may_be_unset)},
                {"guid",
                 {{"type", may_be_unset ? Json::array({"string", "null"}) : Json("string")},
                  {"pattern", may_be_unset ? kAnyGuid : kSetGuid}}},
                {"type", word_schema()}}},
              {"additionalProperties", false},
              {"required", {"fileID"}}};
  if (!may_be_unset) {
    schema["required"].push_back("guid");
  } else {
    // A file id without a guid refers to nothing, because a plain file has only one object.
    const Json zero{{"anyOf", {{{"const", 0}}, {{"type", "string"}, {"pattern", "^-?0+$"}}}}};
    schema["anyOf"] = {{{"properties", {{"fileID", zero}}}},
                       {{"properties", {{"guid", {{"type", "string"}, {"pattern", kSetGuid}}}}},
                        {"required", {"guid"}}}};
  }
  return schema;
}

// A reference in any spelling, or an empty value.
Json reference_schema() {
  const Json word = word_schema();
  const Json text{{"type", "string"}, {"pattern", "^([0-9a-fA-F]{32})?$"}};
  return {{"anyOf",
           {part_reference("strong_or_unset"),
            {{"type", "object"},
             {"properties", {{"guid", {{"anyOf", {text, {{"type", "null"}}}}}}}},
             {"additionalProperties", false},
             {"required", {"guid"}}},
            {{"type", "object"},
             {"properties", {{"val0", word}, {"val1", word}, {"val2", word}, {"val3", word}}},
             {"additionalProperties", false},
             {"required", {"val0", "val1", "val2", "val3"}}},
            text,
            {{"type", "null"}}}}};
}

Json names_schema() {
  return or_null(list_of({{"type", "string"}, {"allOf", {part_reference("component_name")}}}));
}

// Matches names that are similar to the name of a described component.
Json component_name_schema(const Json& described, const TargetStripRules& strip) {
  Json known = Json::array();
  Json slips = Json::array();
  for (const auto& [name, schema] : described.at("$defs").items()) {
    known.push_back(name);
    slips.push_back({{"pattern", type_slip_pattern(name)}});
  }
  Json schema{{"pattern", kTypeName}};
  if (slips.empty()) return schema;
  for (const std::string& name : engine_component_names(strip)) known.push_back(name);
  schema["anyOf"] = {{{"enum", std::move(known)}}, {{"not", {{"anyOf", std::move(slips)}}}}};
  return schema;
}

// The schema of an entity. If `may_have_prefab` is true, the entity may nest a prefab and remove
// parts of the prefab.
Json entity_schema(bool may_have_prefab) {
  Json schema{{"type", "object"},
              {"properties",
               {{"name", any_text()},
                {"active", flag_schema()},
                {"components", or_null(list_of(part_reference("component")))},
                {"children", or_null(list_of(part_reference("entity")))}}},
              {"additionalProperties", false}};
  if (!may_have_prefab) return schema;
  schema["properties"]["prefab"] = part_reference("strong");
  schema["properties"]["removed"] = names_schema();
  schema["dependentRequired"] = {{"removed", {"prefab"}}};
  return schema;
}

Json based_entity_schema() {
  Json schema = entity_schema(false);
  schema["properties"]["removed"] = names_schema();
  return schema;
}

Json prefab_schema() {
  const Json class_name = any_text();
  Json based{{"type", "object"},
             {"properties",
              {{"class", class_name},
               {"variant_of", part_reference("strong")},
               {"root", part_reference("based_root")}}},
             {"required", {"variant_of"}},
             {"additionalProperties", false}};
  Json fresh{{"type", "object"},
             {"properties", {{"class", class_name}, {"root", part_reference("root_entity")}}},
             {"required", {"root"}},
             {"additionalProperties", false}};
  Json bare{
      {"type", "object"},
      {"properties",
       {{"class", class_name}, {"components", or_null(list_of(part_reference("component")))}}},
      {"additionalProperties", false}};
  return {{"if", {{"required", {"variant_of"}}}},
          {"then", std::move(based)},
          {"else", {{"if", {{"required", {"root"}}}}, {"then", fresh}, {"else", bare}}}};
}

// A factory lists components, or has fields with names of components (`health` or `Health`). Other
// keys belong to the factory's script.
Json factory_schema(const Json& described) {
  Json properties{{"guid", part_reference("reference")},
                  {"components", or_null(list_of(part_reference("component")))}};
  for (const auto& [name, schema] : described.at("$defs").items()) {
    std::string field = name;
    if (field.front() >= 'A' && field.front() <= 'Z') {
      field.front() = static_cast<char>(field.front() - 'A' + 'a');
    }
    // A field is a component only if it is a mapping.
    const Json component{{"if", {{"type", "object"}}},
                         {"then", part_reference("components/" + name)}};
    if (!properties.contains(field)) properties[field] = component;
    if (!properties.contains(name)) properties[name] = component;
  }
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

// A component: `- Health: {current: 50}` or only `- Marker`. A component without a description is
// allowed, because it may belong to the engine.
Json component_schema(const Json& described) {
  Json properties = Json::object();
  for (const auto& [name, schema] : described.at("$defs").items()) {
    properties[name] = {{"anyOf", {part_reference("components/" + name), {{"type", "null"}}}}};
  }
  return {{"anyOf",
           {{{"type", "string"}, {"allOf", {part_reference("component_name")}}},
            {{"type", "object"},
             {"properties", std::move(properties)},
             {"propertyNames", part_reference("component_name")},
             {"minProperties", 1},
             {"maxProperties", 1}}}}};
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
                                std::span<const ComponentDescription> components,
                                const TargetStripRules& strip) {
  const Json described = Json::parse(components_json_schema(components));
  // Editors offer the class names for completion. Other names are allowed.
  Json schema{
      {"$schema", kDialect},
      {"title", "A plain file of a project"},
      {"type", "object"},
      {"properties", {{"class", {{"anyOf", {{{"enum", Json::array()}}, {{"type", "string"}}}}}}}},
      {"allOf", Json::array()}};
  Json definitions{
      {"reference", reference_schema()},
      {"strong", strong_schema(false)},
      {"strong_or_unset", strong_schema(true)},
      {"strong_or_null", {{"anyOf", {part_reference("strong_or_unset"), {{"type", "null"}}}}}},
      {"root_entity", entity_schema(false)},
      {"based_root", based_entity_schema()},
      {"entity", entity_schema(true)},
      {"prefab", prefab_schema()},
      {"component", component_schema(described)},
      {"component_name", component_name_schema(described, strip)},
      {"components", described.at("$defs")},
      {"root", root_schema()},
      {"registries", Json::object()},
      {"factory", factory_schema(described)}};
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
