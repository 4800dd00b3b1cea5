// Tests changes that break released games, and other changes. tests/cli/cases/validate-against.case
// compares projects, builds and revisions.
#include <algorithm>

#include <catch2/catch.hpp>

#include "registry/rules/contract.h"

namespace muster {
namespace {

Guid guid(int number) {
  std::string text = "0123456789abcdef0123456789abcd00";
  text[30] = static_cast<char>('0' + number / 10);
  text[31] = static_cast<char>('0' + number % 10);
  return Guid::parse(text).value();
}

ContractRow row(std::uint32_t id, int asset, TargetSet targets = TargetSet::both(),
                std::string class_name = "Things") {
  return {std::move(class_name),
          TypeId(id),
          guid(asset),
          targets,
          "asset" + std::to_string(asset),
          {AssetPath::parse("registry.yaml").value(), {id + 1, 1}}};
}

Contract contract(std::vector<ContractRow> rows, TargetSet covered = TargetSet::both()) {
  Contract result;
  result.name = "old";
  result.covered = covered;
  for (const ContractRow& one : rows) {
    result.registries.try_emplace(one.class_name, Location{one.location.path, {}});
  }
  result.rows = std::move(rows);
  return result;
}

// "RULE:LINE" for each finding, sorted.
std::vector<std::string> broken(const Contract& shipped, const Contract& now) {
  Findings findings;
  check_breaking(shipped, now, findings);
  std::vector<std::string> lines;
  for (const Finding& finding : findings.drain_sorted()) {
    lines.push_back(std::string(finding.rule.substr(9)) + ":" +
                    std::to_string(finding.location.position.line));
    CHECK(is_breaking_rule(finding.rule));
  }
  std::ranges::sort(lines);
  return lines;
}

using Lines = std::vector<std::string>;

TEST_CASE("An addition breaks nothing", "[registry][breaking]") {
  const Contract shipped = contract({row(1, 1), row(2, 2)});
  CHECK(broken(shipped, shipped).empty());
  CHECK(broken(shipped, contract({row(1, 1), row(2, 2), row(3, 3), row(2, 4)})).empty());
  CHECK(
      broken(shipped, contract({row(1, 1), row(2, 2), row(1, 1, Target::client, "More")})).empty());
  CHECK(broken(contract({}), shipped).empty());
}

TEST_CASE("Each kind of broken id has its own rule", "[registry][breaking]") {
  const Contract shipped = contract({row(1, 1), row(2, 2), row(3, 3)});
  CHECK(broken(shipped, contract({row(1, 1), row(2, 2), row(7, 3)})) == Lines{"renumbered:8"});
  CHECK(broken(shipped, contract({row(1, 1), row(2, 2), row(3, 9)})) == Lines{"reused:4"});
  CHECK(broken(shipped, contract({row(1, 1), row(2, 2)})) == Lines{"removed:0"});
  CHECK(broken(shipped, contract({})) == Lines{"removed:0", "removed:0", "removed:0"});
  CHECK(broken(shipped, contract({row(1, 2), row(2, 1), row(3, 3)})) ==
        Lines{"renumbered:2", "renumbered:3", "reused:2", "reused:3"});
  // The same number in another class is a different id.
  CHECK(broken(shipped, contract({row(1, 1), row(2, 2), row(3, 3, TargetSet::both(), "Other")})) ==
        Lines{"removed:0"});
}

TEST_CASE("If one side loses an id, a change of sides is reported", "[registry][breaking]") {
  const Contract shipped = contract({row(1, 1), row(2, 2)});
  CHECK(broken(shipped, contract({row(1, 1), row(2, 2, Target::server)})) == Lines{"sides:3"});
  // A new id on one side, although both sides had the same ids.
  CHECK(broken(shipped, contract({row(1, 1), row(2, 2), row(3, 3, Target::client)})) ==
        Lines{"sides:4"});
  // Not reported if the sides had different ids before.
  const Contract unlike = contract({row(1, 1), row(2, 2, Target::client)});
  CHECK(broken(unlike, contract({row(1, 1), row(2, 2, Target::client), row(3, 3, Target::client)}))
            .empty());
  // One id that has a different prefab on each side.
  const Contract pair = contract({row(1, 1, Target::client), row(1, 2, Target::server)});
  CHECK(broken(pair, pair).empty());
  CHECK(broken(pair, contract({row(1, 1, Target::client)})) == Lines{"sides:2"});
}

TEST_CASE("A side that one of the contracts does not cover is not compared",
          "[registry][breaking]") {
  const Contract client = contract({row(1, 1, Target::client)}, Target::client);
  CHECK(broken(client, contract({row(1, 1)})).empty());
  CHECK(broken(contract({row(1, 1)}), client).empty());
  CHECK(broken(client, contract({row(1, 2)})) == Lines{"reused:2"});
  CHECK(broken(client, contract({row(1, 2, Target::server)}, Target::server)).empty());
}

TEST_CASE("A field may change in properties that only the game itself uses",
          "[registry][breaking]") {
  FieldDescription field;
  field.name = "speed";
  field.type = FieldType::float32;
  field.element_bytes = 4;
  field.unit = "m/s";
  field.minimum = 0;
  field.maximum = 10;
  field.resolution = 0.01;
  field.names = {};
  FieldDescription same = field;
  same.offset_bytes = 8;
  same.tolerance = 0.5;
  same.interpolation = Interpolation::linear;
  same.rollback = RollbackClass::confirmed_only;
  CHECK(incompatibility(field, same).empty());
  const auto change = GENERATE(
      as<std::function<void(FieldDescription&)>>(),
      [](FieldDescription& it) { it.type = FieldType::float64; },
      [](FieldDescription& it) { it.count = 2; },
      [](FieldDescription& it) { it.element_bytes = 8; },
      [](FieldDescription& it) { it.minimum = -1; }, [](FieldDescription& it) { it.maximum = 20; },
      [](FieldDescription& it) { it.resolution = 0.1; },
      [](FieldDescription& it) { it.unit = "km/h"; }, [](FieldDescription& it) { it.unit = ""; },
      [](FieldDescription& it) { it.receivers = Receivers::owner; });
  FieldDescription other = field;
  change(other);
  CHECK_FALSE(incompatibility(field, other).empty());
}

TEST_CASE("An enumeration may grow at its end", "[registry][breaking]") {
  FieldDescription field;
  field.names = {"idle", "walk"};
  FieldDescription longer = field;
  longer.names = {"idle", "walk", "run"};
  CHECK(incompatibility(field, longer).empty());
  CHECK(incompatibility(longer, field) == "its value 'run' no longer exists");
  FieldDescription moved = field;
  moved.names = {"walk", "idle"};
  CHECK(incompatibility(field, moved) == "its value 0 was 'idle' and is 'walk'");
}

TEST_CASE("A component's findings have the position of its description", "[registry][breaking]") {
  ComponentDescription health{"Health", 4, 4, {}, {}};
  health.fields.push_back({});
  health.fields.back().name = "points";
  health.fields.back().type = FieldType::int32;
  Contract shipped = contract({});
  Contract now = contract({});
  shipped.components = std::vector{health};
  CHECK(broken(shipped, now).empty());
  now.components = std::vector{health};
  now.components_path = AssetPath::parse("components.json").value();
  now.components_text =
      "{\"components\": [\n{\"name\": \"Health\",\n\"fields\": [{\n"
      "\"name\": \"points\"}]}]}";
  now.components->front().fields.push_back({});
  now.components->front().fields.back().name = "armour";
  CHECK(broken(shipped, now).empty());
  now.components->front().fields.front().type = FieldType::uint32;
  CHECK(broken(shipped, now) == Lines{"component:4"});
  now.components->front().fields.erase(now.components->front().fields.begin());
  CHECK(broken(shipped, now) == Lines{"component:2"});
  now.components->clear();
  CHECK(broken(shipped, now) == Lines{"component:0"});
}

}  // namespace
}  // namespace muster
