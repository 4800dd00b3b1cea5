#include "registry/base/json_reader.h"

#include <string>

#include <catch2/catch.hpp>

#include "registry/components/component.h"

namespace muster {
namespace {

TEST_CASE("A text that is not JSON is refused with line, column and the text at that position",
          "[registry][json]") {
  const auto [text, location, hint] = GENERATE(table<std::string, std::string, std::string>({
      {"", "line 1, column 1", "empty"},
      {" \n\n", "line 3, column 1", "empty"},
      {"{", "line 1, column 2", "too early"},
      {"{\n  \"a\": [1, 2\n", "line 3, column 1", "too early"},
      {"{\"a\": 1,}", "line 1, column 9", "'}'"},
      {"{\n  \"a\": tru\n}", "line 2, column 11", "line ends too early"},
      {"{\n  \"a\": trux\n}", "line 2, column 8", "'trux'"},
      {"{\"a\" \"b\"}", "line 1, column 6", "'\"b\"}'"},
      {"{\"a\": \"x\ny\"}", "line 1, column 9", "line ends too early"},
      {"[1, 2] x", "line 1, column 8", "'x'"},
      {"{\"a\": 1e999}", "line 1, column", "digits"},
      {"{\"a\": '1'}", "line 1, column 7", "''1'}'"},
      {"// c\n{}", "line 1, column 1", "'// c'"},
      {"\xFF\xFE{\0", "line 1, column 1", "UTF-16"},
  }));
  CAPTURE(text);
  const auto read = read_json(text);
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().code == ErrorCode::malformed);
  CHECK(read.error().message.starts_with(location));
  CHECK(read.error().message.find(hint) != std::string::npos);
  CHECK(read.error().message.find("exception") == std::string::npos);
}

TEST_CASE("A repeated key of an object is refused unless the options allow it",
          "[registry][json]") {
  const std::string text = "{\n  \"a\": {\"b\": 1},\n  \"c\": {\"b\": 2, \"b\": 3}\n}";
  const auto read = read_json(text);
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().message == "line 3, column 17: 'b' is repeated here; remove one of the two");
  const auto lenient = read_json(text, {.may_repeat_keys = true});
  REQUIRE(lenient.has_value());
  CHECK(lenient.value()["c"]["b"] == 3);
}

TEST_CASE("Comments are skipped where they are allowed", "[registry][json]") {
  const auto read = read_json("{/* a */ \"b\": 1 // c\n}", {.has_comments = true});
  REQUIRE(read.has_value());
  CHECK(read.value()["b"] == 1);
}

TEST_CASE("The check of a key gets the key's depth", "[registry][json]") {
  const auto refuse_x = [](int depth, const std::string& key) {
    return depth == 3 && key == "x" ? std::string("no x") : std::string();
  };
  CHECK(read_json(R"({"x": [1, {"y": 2}]})", {.check_key = refuse_x}).has_value());
  const auto refused = read_json("{\"a\": [\n {\"x\": 1}]}", {.check_key = refuse_x});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message == "line 2, column 3: no x");
}

TEST_CASE("Errors in descriptions of components name the problem and the remedy",
          "[registry][json]") {
  const std::string head = R"({"components": [{"name": "A", "size": 4, "default": "00000000", )";
  const auto [text, message] = GENERATE_COPY(table<std::string, std::string>({
      {"[]", "expected an object in braces"},
      {"{}", "'components' is missing"},
      {R"({"componets": []})",
       "line 1, column 2: unknown key 'componets' of the file; did you "
       "mean 'components'?"},
      {R"({"components": {"a": 1}})", "'components' must be a list in brackets"},
      {R"({"components": [{"name": "A"}]})", "component 'A': 'size' is missing"},
      {R"({"components": [{"size": 4}]})", "component 1: 'name' is missing"},
      {R"({"components": [7]})", "component 1: expected an object in braces"},
      {head + R"("colour": 1, "fields": []}]})",
       "line 1, column 65: unknown key 'colour' of a component"},
      {head + R"("fields": [{"name": "f", "type": "int32", "offset": 0, "tolerence": 1}]}]})",
       "line 1, column 120: unknown key 'tolerence' of a field; did you mean 'tolerance'?"},
      {head + R"("fields": [{"name": "f", "type": "int32", "offset": -1}]}]})",
       "component 'A': field 'f': 'offset' must be a whole number from 0 to 4294967295"},
      {head + R"("fields": [{"name": "f", "type": "int32", "offset": 0, "unit": 3}]}]})",
       "component 'A': field 'f': 'unit' must be a text in quotes"},
      {head + R"("fields": [{"name": "f", "type": "int32", "offset": 0, "names": [1]}]}]})",
       "component 'A': field 'f': 'names' must be a list of texts"},
      {head + R"("fields": [{"name": "f", "type": "int32", "offset": 0, "receivers": "me"}]}]})",
       "component 'A': field 'f': 'receivers' must be one of 'everyone' 'owner' "
       "'all_but_owner'"},
  }));
  CAPTURE(text);
  const auto read = components_from_json(text);
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().message == message + "; let the game write its descriptions again");
}

}  // namespace
}  // namespace muster
