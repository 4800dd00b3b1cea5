#include "registry/components/comparison.h"

#include <cstring>
#include <limits>

#include <catch2/catch.hpp>

#include "tests/support/described_samples.h"

using namespace muster;
using samples::bytes_of;
using samples::Everything;

namespace {

const ComponentDescription& description() {
  static const ComponentDescription everything = description_of<Everything>();
  return everything;
}

}  // namespace

TEST_CASE("A comparison reports the first field that differs, and the difference",
          "[registry][compare][sys-57][sys-78]") {
  struct Row {
    const char* reason;
    void (*change)(Everything&);
    const char* text;  // The expected text; empty if the states are equal.
  };
  using E = Everything;
  const auto row = GENERATE(
      Row{"nothing", [](E&) {}, ""}, Row{"within tolerance", [](E& e) { e.v3.x += 0.009F; }, ""},
      Row{"beyond the tolerance", [](E& e) { e.v3.y += 0.25F; },
          "v3: differs by 0.25 m (tolerance 0.01)"},
      Row{"two fields", [](E& e) { e.slots[1].ammo = 5, e.u8 = 9; },
          "u8: differs by 1 (tolerance 0)"},
      Row{"an array item", [](E& e) { e.blob[2] = 9; }, "blob[2]: differs by 6 (tolerance 0)"},
      Row{"a struct's", [](E& e) { e.slots[1].ammo = 5; },
          "slots[1].ammo: differs by 25 (tolerance 0)"},
      Row{"integers' ends", [](E& e) { e.i8 = 127; }, "i8: differs by 135 (tolerance 0)"},
      Row{"text", [](E& e) { e.label.bytes[0] = 'x'; }, "label: differs by 1 (tolerance 0)"},
      Row{"after the end of a text", [](E& e) { e.label.bytes[9] = 'x'; }, ""},
      Row{"reference", [](E& e) { e.model.guid[9] = 1; }, "model: differs by 1 (tolerance 0)"},
      Row{"around the circle", [](E& e) { e.heading = -10; }, ""},
      Row{"around it and on", [](E& e) { e.heading = -9; },
          "heading: differs by 1 deg (tolerance 0.5)"},
      Row{"the opposite sign",
          [](E& e) {
            e.rotation = {0, 0, 0, -1};
          },
          ""},
      Row{"zero's sign", [](E& e) { e.path[0].x = -0.0F; }, ""},
      Row{"a step that a tolerance allows", [](E& e) { e.recoil.angle = 6; }, ""});
  CAPTURE(row.reason);
  const Everything left;
  Everything right;
  row.change(right);
  const auto difference = first_difference(description(), bytes_of(left), bytes_of(right));
  CHECK((difference ? difference->to_string() : "") == row.text);
}

TEST_CASE("A NaN equals itself and nothing else", "[registry][compare]") {
  Everything left;
  Everything right;
  left.v3.x = right.v3.x = std::numeric_limits<float>::quiet_NaN();
  right.u8 = left.u8;
  CHECK_FALSE(first_difference(description(), bytes_of(left), bytes_of(right)));
  right.v3.x = 0;
  CHECK(first_difference(description(), bytes_of(left), bytes_of(right))->amount ==
        std::numeric_limits<double>::infinity());
}
