// Tests the files of recorded worlds. A file returns the world that was written, and a damaged file
// is refused.
#include "net/tools/training/trace.h"

#include <catch2/catch.hpp>

#include "tests/net/tools/training/made_trace.h"

namespace muster {
namespace {

constexpr std::string_view kHeader = R"({"name": "yard", "seed": 1, "tick_rate": 60, "ticks": 2,
  "entity_types": [{"id": 0, "name": "crate", "fields": [
    {"name": "place.x", "kind": "int", "bits": 8, "note": ""},
    {"name": "lid", "kind": "bool", "bits": 1, "note": ""}]}]})";

NetBytes yard() {
  TraceBytes out(kHeader);
  out.tick(0, {{.id = 4, .type = 0, .values = {-128, 0}}});
  out.tick(1, {{.id = 4, .type = 0, .values = {5, 1}}, {.id = 9, .type = 0, .values = {127, 1}}});
  return out.release();
}

std::string fault_of(const NetBytes& bytes, std::string_view scene = {}) {
  Trace trace;
  std::string error;
  return read_trace(bytes, scene, trace, error) ? std::string() : error;
}

TEST_CASE("A trace is read tick by tick") {
  Trace trace;
  std::string error;
  REQUIRE(read_trace(yard(), {}, trace, error));
  CHECK(trace.name == "yard");
  CHECK(trace.tick_rate == 60);
  REQUIRE(trace.types.size() == 1);
  CHECK(trace.types[0].lanes[0].is_of_vector);
  CHECK(trace.types[0].lanes[0].maximum == 255);
  CHECK(trace.types[0].lanes[1].kind == LaneKind::symbol);
  REQUIRE(trace.ticks.size() == 2);
  REQUIRE(trace.ticks[1].size() == 2);
  CHECK(trace.ticks[0][0].values[0] == 0);  // -128, the minimum of eight bits
  CHECK(trace.ticks[1][0].values[0] == 133);
  CHECK(trace.ticks[1][1].id == SliceId{9});
  CHECK(trace.ticks[1][1].values[1] == 1);
}

TEST_CASE("A scene describes the fields of a trace") {
  constexpr std::string_view kScene = R"({"send_rate": 30, "rules": [
    {"field": "place.*", "kind": "angle", "period": 200, "low": -128, "high": 127, "initial": 3},
    {"type": "barrel", "field": "lid", "kind": "number", "initial": 1}]})";
  Trace trace;
  std::string error;
  REQUIRE(read_trace(yard(), kScene, trace, error));
  CHECK(trace.send_rate == 30);
  CHECK(trace.types[0].lanes[0].kind == LaneKind::angle);
  CHECK(trace.types[0].lanes[0].period == 200);
  CHECK(trace.types[0].lanes[1].kind == LaneKind::symbol);
  CHECK(trace.initial_values == std::vector<std::vector<LaneValue>>{{131, 0}});
}

TEST_CASE("A trace without a scene has 0 as initial values") {
  Trace trace;
  std::string error;
  REQUIRE(read_trace(yard(), {}, trace, error));
  CHECK(trace.initial_values == std::vector<std::vector<LaneValue>>{{128, 0}});
}

TEST_CASE("A damaged trace is refused with a reason") {
  CHECK(fault_of({}) == "not a trace of the format MTRC1");
  NetBytes other = yard();
  other[4] = std::byte{'2'};
  CHECK(fault_of(other) == "not a trace of the format MTRC1");
  NetBytes cut = yard();
  cut.pop_back();
  CHECK(fault_of(cut) == "truncated in tick 1 of 2");
  TraceBytes odd(kHeader);
  odd.tick(0, {{.id = 4, .type = 1, .values = {0, 0}}});
  CHECK(fault_of(odd.release()) == "tick 0: entity 4: its type 1 has other fields");
  TraceBytes far(kHeader);
  far.tick(0, {{.id = 4, .type = 0, .values = {0, 2}}});
  CHECK(fault_of(far.release()) == "tick 0: entity 4: lid is 2, outside its range");
  CHECK_FALSE(fault_of(yard(), "{").empty());
  CHECK(fault_of(yard(), R"({"rules": [{"field": "lid", "initial": 2}]})") ==
        "lid: its initial value is outside its range");
  TraceBytes wide(R"({"name": "w", "tick_rate": 60, "ticks": 0, "entity_types": [
    {"name": "a", "fields": [{"name": "x", "kind": "uint", "bits": 33}]}]})");
  CHECK(fault_of(wide.release()) == "x: 1 to 32 bits");
}

TEST_CASE("A trace with invalid or falling ids is refused") {
  const auto fault_of_second = [](std::uint32_t first, std::uint32_t second) {
    TraceBytes out(kHeader);
    out.tick(0, {});
    out.tick(1, {{.id = first, .type = 0, .values = {0, 0}},
                 {.id = second, .type = 0, .values = {0, 0}}});
    return fault_of(out.release());
  };
  CHECK(fault_of_second(5, 2) == "tick 1: entity 2 follows entity 5: ids must rise");
  CHECK(fault_of_second(5, 5) == "tick 1: entity 5 is listed twice");
  CHECK(fault_of_second(5, 0xFFFF'FFFF) == "tick 1: entity 4294967295: ids must be less");
  CHECK(fault_of_second(5, 0xFFFF'FFFE).empty());
}

TEST_CASE("A trace with extra bytes is refused") {
  NetBytes tail = yard();
  tail.resize(tail.size() + 3);
  CHECK(fault_of(tail) == "3 bytes follow its last tick");
}

TEST_CASE("A header without names, or one that exceeds a model's limits, is refused") {
  const auto name_of = [](std::string_view header) {
    return trace_name(TraceBytes(header).release());
  };
  CHECK(name_of(R"({"name": "yard"})") == "yard");
  for (const std::string_view header : {R"({"name": 1})", R"({"name": null})", "[]", "{}", "{"}) {
    CAPTURE(header);
    CHECK(name_of(header).empty());
    CHECK_FALSE(fault_of(TraceBytes(header).release()).empty());
  }
  const auto with = [](std::string_view rate, std::string_view name, int fields) {
    std::string header = R"({"name": "w", "ticks": 0, "tick_rate": )" + std::string(rate) +
                         R"(, "entity_types": [{"name": ")" + std::string(name) +
                         R"(", "fields": [)";
    for (int i = 0; i < fields; ++i) {
      header += i > 0 ? "," : "";
      header += R"({"name": "x", "kind": "uint", "bits": 3})";
    }
    return fault_of(TraceBytes(header + "]}]}").release());
  };
  CHECK(with("60", "a", 1024).empty());
  CHECK(with("60", "a", 1025) == "a: 1025 fields are too many, a type has at most 1024");
  CHECK(with("60", std::string(256, 'a'), 1).empty());
  CHECK_FALSE(with("60", std::string(257, 'a'), 1).empty());
  for (const std::string_view rate : {"0", "-1", "65536", "1e99", "\"a\""}) {
    CAPTURE(rate);
    CHECK_FALSE(with(rate, "a", 1).empty());
  }
  CHECK(fault_of(yard(), R"({"rules": [{"field": "place.*", "kind": "angle"}]})") ==
        "crate: angles have a period, other lanes none");
}

TEST_CASE("Types that exceed a model's limits together are refused") {
  const EntitySchema wide{
      .name = "wide", .lanes = std::vector<LaneSchema>(1024, {.name = "x", .maximum = UINT32_MAX})};
  std::vector<EntitySchema> types;
  while (fault_of_types(types).empty() && types.size() < 4096) types.push_back(wide);
  CHECK(types.size() > 1);
  CHECK(fault_of_types(types).starts_with("its " + std::to_string(types.size()) + " types"));
  types.assign(4096, EntitySchema{.name = "bare", .lanes = {}});
  CHECK(fault_of_types(types).empty());
  types.push_back(types.front());
  CHECK(fault_of_types(types).starts_with("its 4097 types"));
}

TEST_CASE("Every truncated trace is refused") {
  const NetBytes whole = yard();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK_FALSE(fault_of(NetBytes(whole.begin(), whole.begin() + static_cast<long>(size))).empty());
  }
}

}  // namespace
}  // namespace muster
