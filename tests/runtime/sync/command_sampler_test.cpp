// Sampling of input at any frame rate.
#include "runtime/sync/command_sampler.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "runtime/bundle/component_codec.h"
#include "tests/runtime/sync/command_stage.h"

namespace muster {
namespace {

using command_stage::Act;
using command_stage::act_of;
using command_stage::bytes_of;

struct Sampled {
  std::vector<ComponentDescription> types = {description_of<Act>()};
  CommandSampler sampler{types};
  void set(const Act& act) { sampler.set(StructType{0}, bytes_of(act)); }
  const Act& end_tick() {
    sampler.end_tick();
    return act_of(sampler.last());
  }
};

TEST_CASE("A press that is shorter than a tick is sent, and two presses in one tick count as two",
          "[sync][commands][sys-51]") {
  Sampled sampled;
  sampled.set({.fire = {.is_held = true}});
  sampled.set({});
  sampled.set({.fire = {.is_held = true}});
  sampled.set({});
  const Act& two = sampled.end_tick();
  CHECK(two.fire.press_count == 2);
  CHECK_FALSE(two.fire.is_held);
  CHECK(sampled.end_tick().fire.press_count == 0);
}

TEST_CASE("A button that stays down for several ticks is one press", "[sync][commands]") {
  Sampled sampled;
  int presses = 0;
  for (int tick = 0; tick < 10; ++tick) {
    sampled.set({.fire = {.is_held = true}});
    const Act& act = sampled.end_tick();
    CHECK(act.fire.is_held);
    presses += act.fire.press_count;
  }
  CHECK(presses == 1);
}

TEST_CASE(
    "A tick has the stick's largest deflection in its frames, or the last one if it has no frame",
    "[sync][commands]") {
  Sampled sampled;
  sampled.set({.stick = {0.2F, 0}});
  sampled.set({.stick = {0, -1}});
  sampled.set({.stick = {0.1F, 0}});
  CHECK(sampled.end_tick().stick.y == Approx(-1));
  CHECK(sampled.end_tick().stick.x == Approx(0.1).margin(0.005));
  // The first frame of a tick replaces the value of the last tick.
  sampled.set({});
  CHECK(sampled.end_tick().stick.x == Approx(0).margin(0.001));
}

TEST_CASE("The part of a turn that rounding and the range cut off is added to the next tick",
          "[sync][commands]") {
  Sampled sampled;
  Random random(3);
  double turned = 0;
  double sent = 0;
  for (int tick = 0; tick < 500; ++tick) {
    for (int frame = 0; frame < 3; ++frame) {
      const float turn = static_cast<float>(random.below(1000)) / 3000.0F - 0.1F;
      turned += static_cast<double>(turn);
      sampled.set({.turn = turn});
    }
    sent += static_cast<double>(sampled.end_tick().turn);
    REQUIRE(std::abs(turned - sent) <= 0.26);  // Half a step, and rounding of floats.
  }
  sampled.set({.turn = 500});
  CHECK(sampled.end_tick().turn == 180);
  CHECK(sampled.end_tick().turn == 180);
  CHECK(sampled.end_tick().turn == Approx(140).margin(0.5));
}

TEST_CASE("Each clamped field of a tick is listed", "[sync][commands]") {
  Sampled sampled;
  const auto clamped = [&] {
    std::vector<std::string> fields;
    for (const ClampedStructField& field : sampled.sampler.clamped())
      fields.emplace_back(field.field);
    return fields;
  };
  sampled.set({.stick = {5, 0}, .turn = std::numeric_limits<float>::infinity(), .weapon = 10});
  sampled.set({.stick = {5, 0}, .turn = std::numeric_limits<float>::quiet_NaN(), .weapon = 10});
  sampled.end_tick();
  CHECK(clamped() == std::vector<std::string>{"turn", "stick", "weapon"});
  sampled.set({.turn = 500, .yaw = 700});  // The next ticks get the rest of the sum.
  sampled.end_tick();
  CHECK(clamped().empty());
}

TEST_CASE("Each press and the whole turn are sampled at every frame rate", "[sync][commands]") {
  const auto rate = GENERATE(15.0, 30.0, 59.94, 60.0, 144.0, 1000.0);
  CAPTURE(rate);
  Sampled sampled;
  Random random(17);
  double next_frame = 0;
  int pressed = 0;
  int run = 0;
  double turned = 0;
  double sent = 0;
  bool was_down = false;
  for (int tick = 0; tick < 1200; ++tick) {
    for (; next_frame < tick + 1; next_frame += 60 / rate) {
      const bool is_down = random.below(3) == 0;
      pressed += is_down && !was_down ? 1 : 0;
      was_down = is_down;
      turned += 0.25;
      sampled.set({.fire = {.is_held = is_down}, .turn = 0.25F});
    }
    const Act& act = sampled.end_tick();
    run += act.fire.press_count;
    sent += static_cast<double>(act.turn);
  }
  // If a tick has more than 7 presses, the next ticks send the remaining presses.
  for (int tick = 0; tick < 600; ++tick) run += sampled.end_tick().fire.press_count;
  CHECK(pressed > 50);
  CHECK(run == pressed);
  CHECK(sent == Approx(turned).margin(0.5));
}

TEST_CASE("A sum is never repeated, and the hash covers sampling but not the server's rules",
          "[sync][commands]") {
  const ComponentDescription act = description_of<Act>();
  CHECK(act.find("turn")->when_missing == Missing::neutral);
  CHECK(act.find("fire.pressCount")->sampled == Sampling::sum);
  CHECK(act.find("fire.isHeld")->when_missing == Missing::repeat);
  ComponentDescription other = act;
  for (FieldDescription& field : other.fields) {
    if (field.name == "stance") field.when_missing = Missing::latch;
  }
  CHECK(other.hash() == act.hash());
  for (FieldDescription& field : other.fields) {
    if (field.name == "stick") field.sampled = Sampling::latest;
  }
  CHECK_FALSE(other.hash() == act.hash());
  for (FieldDescription& field : other.fields) {
    if (field.name == "turn") field.when_missing = Missing::repeat;
  }
  CHECK_FALSE(check(other));
}

TEST_CASE("Sampling and missing values of a description are kept in JSON and in bundles",
          "[sync][commands]") {
  const ComponentDescription act = description_of<Act>();
  const auto read = components_from_json(components_to_json(std::span(&act, 1)));
  REQUIRE(read);
  ByteWriter writer;
  encode_component(act, writer);
  const auto decoded = decode_component(
      writer.view(),
      {.name = act.name, .size_bytes = act.size_bytes, .alignment_bytes = act.alignment_bytes});
  REQUIRE(decoded);
  for (std::size_t i = 0; i < act.fields.size(); ++i) {
    CHECK(read.value().front().fields[i].sampled == act.fields[i].sampled);
    CHECK(read.value().front().fields[i].when_missing == act.fields[i].when_missing);
    CHECK(decoded.value().fields[i].sampled == act.fields[i].sampled);
    CHECK(decoded.value().fields[i].when_missing == act.fields[i].when_missing);
  }
}

}  // namespace
}  // namespace muster
