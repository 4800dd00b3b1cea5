// The encoding of commands.
#include "runtime/sync/command_coding.h"

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "runtime/sync/command_sender.h"
#include "tests/runtime/sync/command_stage.h"

namespace muster {
namespace {

using command_stage::Act;
using command_stage::Stage;

struct Wide {
  std::int64_t signed_wide = 0;
  std::uint64_t unsigned_wide = 0;
  std::int64_t wide_sum = 0;
  float exact = 0;
  double exact_sum = 0;
  FixedText<6> text{};
  std::array<bool, 3> flags{};
  std::int8_t narrow_sum = 0;
};
consteval auto describe(Type<Wide>) {
  return Describe<Wide>("Wide")
      .field<&Wide::signed_wide>("signedWide")
      .field<&Wide::unsigned_wide>("unsignedWide")
      .field<&Wide::wide_sum>("wideSum", {.sampled = Sampling::sum})
      .field<&Wide::exact>("exact")
      .field<&Wide::exact_sum>("exactSum", {.sampled = Sampling::sum})
      .field<&Wide::text>("text")
      .field<&Wide::flags>("flags")
      .field<&Wide::narrow_sum>("narrowSum",
                                {.minimum = -3, .maximum = 90, .sampled = Sampling::sum});
}

TEST_CASE("The lanes of fields are derived from their descriptions", "[sync][commands][sys-49]") {
  using enum CommandLaneKind;
  const Stage stage;
  const std::vector<CommandLane> lanes = stage.encoder.command_lanes();
  std::vector<CommandLaneKind> kinds;
  for (const CommandLane& lane : lanes) kinds.push_back(lane.kind);
  CHECK(kinds == std::vector{level, flag, press, level, level, amount, level, level, level});
  CHECK(lanes[3].zero == 127);  // The middle of the stick's steps.
  CHECK(lanes[5].zero == 360);
}

TEST_CASE("Any values are transmitted, with any ranges", "[sync][commands]") {
  const std::vector<ComponentDescription> types = {description_of<Wide>(), description_of<Act>()};
  const std::vector<CommandLane> lanes = StructEncoder(types, {}).command_lanes();
  Random random(5);
  std::vector<std::byte> buffer(8192);
  std::vector<std::vector<std::int64_t>> sets(3);
  for (auto& set : sets) {
    for (const CommandLane& lane : lanes) set.push_back(lane.zero);
  }
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::int64_t>& now = sets[2];
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const auto span =
          static_cast<std::uint64_t>(lanes[i].high) - static_cast<std::uint64_t>(lanes[i].low);
      const std::uint64_t step =
          span == ~std::uint64_t{0} ? random.next() : random.next() % (span + 1);
      if (random.below(3) == 0) {
        now[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(lanes[i].low) + step);
      }
      if (random.below(8) == 0) now[i] = random.below(2) == 0 ? lanes[i].low : lanes[i].high;
      if (random.below(8) == 0) now[i] = lanes[i].zero;
    }
    const CommandContext context{static_cast<CommandGap>(random.below(3)), sets[1], sets[0]};
    CommandBitsOut out(buffer);
    std::vector<std::int64_t> copy = now;
    REQUIRE(code_command(out, lanes, context, copy));
    const auto bytes = out.finish();
    CommandBitsIn in(bytes);
    std::vector<std::int64_t> decoded(lanes.size());
    REQUIRE(code_command(in, lanes, context, decoded));
    REQUIRE(in.is_finished());
    REQUIRE(decoded == now);
    std::swap(sets[0], sets[1]);
    std::swap(sets[1], sets[2]);
    sets[2] = sets[1];
  }
}

TEST_CASE("Repeats depend on the loss, on unacknowledged commands and on overdue reports",
          "[sync][commands]") {
  CHECK(commands_per_packet(0, 6, 6) == 2);
  CHECK(commands_per_packet(0.05, 6, 6) == 3);
  CHECK(commands_per_packet(0.25, 6, 6) == 6);
  CHECK(commands_per_packet(0.9, 6, 12) == kCommandsPerPacketMax);
  CHECK(commands_per_packet(0.05, 6, 1) == 1);
  CHECK(commands_per_packet(0.05, 6, 0) == 1);
  CHECK(commands_per_packet(0, 6, 100) == kCommandsPerPacketMax);
  for (double loss = 0; loss < 1; loss += 0.01) {
    CHECK(commands_per_packet(loss, 6, 8) <= commands_per_packet(loss + 0.01, 6, 8));
  }
}

TEST_CASE("A decoded report equals the encoded report, and other lengths are refused",
          "[sync][commands]") {
  const auto gaps = GENERATE(0U, 0x8000'0010U);
  const CommandReport report{.newest = CommandNumber(0xFFFF'FFF0),
                             .received = 0xA5A5'0001'8000'0003,
                             .measured = CommandNumber(0xFFFF'FFE1),
                             .earliness_min = -127.5F,
                             .earliness_last = 3.25F,
                             .waiting = 7,
                             .loss = 0.25F,
                             .starved = 900,
                             .gaps = gaps,
                             .block = static_cast<std::uint8_t>(gaps != 0 ? 31 : 0),
                             .block_received = gaps != 0 ? 0x1234'5678'9ABC'DEF0U : 0};
  const EncodedCommandReport encoded = report.encode();
  const std::span<const std::byte> bytes = encoded;
  const CommandReport read = CommandReport::decode(bytes).value();
  CHECK(read.newest == report.newest);
  CHECK(read.received == report.received);
  CHECK(read.earliness_min == report.earliness_min);
  CHECK(read.earliness_last == report.earliness_last);
  CHECK(read.waiting == 7);
  CHECK(read.loss == 0.25F);
  CHECK(read.measured == report.measured);
  CHECK(read.starved == 900);
  CHECK(read.gaps == gaps);
  CHECK(read.block == report.block);
  CHECK(read.block_received == report.block_received);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK_FALSE(CommandReport::decode(bytes.first(size)));
  }
}

TEST_CASE("Command numbers wrap without a lost or duplicated command", "[sync][commands]") {
  Stage stage;
  stage.command = 0xFFFF'FFF0;
  int run = 0;
  int pressed = 0;
  for (int i = 0; i < 100; ++i) {
    if (stage.command == 0xFFFF'FFFF) stage.command = 0;  // 0 is no command's number.
    const bool is_down = i % 3 == 0;
    pressed += is_down ? 1 : 0;
    stage.set({.number = i, .fire = {.is_held = is_down}});
    stage.receive(stage.packet());
    stage.begin_tick();
    stage.report();
    run += stage.current().fire.press_count;
  }
  for (int i = 0; i < 4; ++i) {
    stage.begin_tick();
    run += stage.current().fire.press_count;
  }
  CHECK(run == pressed);
  CHECK(stage.current().number == 99);
}

}  // namespace
}  // namespace muster
