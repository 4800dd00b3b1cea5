#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "registry/components/component.h"
#include "tests/support/described_samples.h"

namespace muster {
namespace {

using Json = nlohmann::json;

Json schema() {
  const std::vector<ComponentDescription> components = {description_of<samples::Everything>(),
                                                        description_of<samples::Recoil>()};
  return Json::parse(components_json_schema(components));
}

TEST_CASE("A schema for editors contains every component and nothing else",
          "[registry][component]") {
  const Json json = schema();
  CHECK(json["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  CHECK(json["$defs"].size() == 2);
  CHECK(json["anyOf"] == Json::parse(R"([
      {"type": "object", "required": ["Everything"],
       "properties": {"Everything": {"$ref": "#/$defs/Everything"}}},
      {"type": "object", "required": ["Recoil"],
       "properties": {"Recoil": {"$ref": "#/$defs/Recoil"}}}])"));
  CHECK(json["$defs"]["Recoil"]["additionalProperties"] == false);
  // Only the first level of nested structs is a property.
  CHECK(json["$defs"]["Everything"]["properties"].size() == 24);
}

TEST_CASE("A schema for editors gives the allowed values of each field", "[registry][component]") {
  const auto [name, expected] = GENERATE(table<std::string, std::string>({
      {"flag", R"({"enum": [true, false, 0, 1]})"},
      {"i8", R"({"type": "integer", "minimum": -128, "maximum": 127})"},
      {"i32", R"({"type": "integer", "minimum": -1000, "maximum": 1000})"},
      {"u32", R"({"type": "integer", "minimum": 0, "maximum": 4294967295,
                   "description": "in tick"})"},
      {"exact", R"({"type": "number"})"},
      {"wide", R"({"type": "number", "minimum": -1, "maximum": 4})"},
      {"v2", R"({"anyOf": [{"type": ["object", "null"], "additionalProperties": false,
                            "properties": {"x": {"type": "number"}, "y": {"type": "number"}}},
                           {"type": "array", "maxItems": 2, "items": {"type": "number"}}]})"},
      {"v3", R"({"description": "in m",
                 "anyOf": [{"type": ["object", "null"], "additionalProperties": false,
                            "properties": {"x": {"type": "number", "minimum": -2048,
                                                 "maximum": 2048},
                                           "y": {"type": "number", "minimum": -2048,
                                                 "maximum": 2048},
                                           "z": {"type": "number", "minimum": -2048,
                                                 "maximum": 2048}}},
                           {"type": "array", "maxItems": 3,
                            "items": {"type": "number", "minimum": -2048, "maximum": 2048}}]})"},
      {"label", R"({"type": ["string", "number", "boolean", "null"], "maxLength": 12})"},
      {"target", R"({"type": "integer", "minimum": -2147483648, "maximum": 2147483647})"},
      {"model", R"({"anyOf": [
          {"type": "object", "anyOf": [{"required": ["fileID"]}, {"required": ["guid"]}],
           "properties": {"fileID": {"type": "integer"},
                          "guid": {"type": ["string", "null"], "pattern": "^([0-9a-fA-F]{32})?$"},
                          "type": {"type": "integer"}}},
          {"type": "object", "required": ["val0", "val1", "val2", "val3"]},
          {"type": ["string", "null"], "pattern": "^([0-9a-fA-F]{32})?$"}]})"},
      {"stance", R"({"anyOf": [{"enum": ["standing", "crouching", "prone"]},
                               {"type": "integer", "minimum": 0, "maximum": 2}]})"},
      {"blob", R"({"type": ["array", "null"],
                   "items": {"type": "integer", "minimum": 0, "maximum": 255}, "maxItems": 4})"},
      {"recoil", R"({"type": ["object", "null"], "additionalProperties": false,
                     "properties": {"angle": {"type": "number", "minimum": 0, "maximum": 90,
                                              "description": "in deg"},
                                    "kicks": {"type": "integer", "minimum": -16,
                                              "maximum": 15}}})"},
  }));
  CAPTURE(name);
  CHECK(schema()["$defs"]["Everything"]["properties"][name] == Json::parse(expected));
}

TEST_CASE("A schema for editors accepts enumerators by name and by number",
          "[registry][component]") {
  ComponentDescription component = description_of<samples::Recoil>();
  FieldDescription& field = component.fields.back();
  field.minimum = 0;
  field.maximum = 7;
  field.names = {"low", "high"};
  const Json json = Json::parse(components_json_schema(std::span(&component, 1)));
  CHECK(json["$defs"]["Recoil"]["properties"][field.name]["anyOf"] == Json::parse(R"(
      [{"enum": ["low", "high"]}, {"type": "integer", "minimum": 0, "maximum": 1}])"));
}

TEST_CASE("A schema for editors has the exact limits of 64-bit integers", "[registry][component]") {
  ComponentDescription component = description_of<samples::Recoil>();
  FieldDescription& field = component.fields.back();
  field.minimum = field.maximum = 0;
  const auto bounds = [&](FieldType type) {
    field.type = type;
    const Json json = Json::parse(components_json_schema(std::span(&component, 1)));
    return json["$defs"]["Recoil"]["properties"][field.name];
  };
  const Json of_signed = bounds(FieldType::int64);
  CHECK(of_signed["minimum"] == std::numeric_limits<std::int64_t>::min());
  CHECK(of_signed["exclusiveMaximum"] == 0x1p63);
  const Json of_unsigned = bounds(FieldType::uint64);
  CHECK(of_unsigned["minimum"] == 0);
  CHECK(of_unsigned["exclusiveMaximum"] == 0x1p64);
}

TEST_CASE("A schema for editors limits the length of a list of structs", "[registry][component]") {
  const Json slots = schema()["$defs"]["Everything"]["properties"]["slots"];
  CHECK(slots["type"] == Json::parse(R"(["array", "null"])"));
  CHECK(slots["maxItems"] == 2);
  CHECK(slots["items"]["additionalProperties"] == false);
  CHECK(slots["items"]["properties"]["ammo"]["type"] == "integer");
  CHECK(slots["items"]["properties"]["recoil"]["properties"].contains("angle"));
}

}  // namespace
}  // namespace muster
