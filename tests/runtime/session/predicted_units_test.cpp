// Small units of prediction: the ledger of cues, the encoding of cues, and the history of
// mispredictions.
#include <cmath>
#include <cstring>
#include <limits>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "runtime/session/cue_codec.h"
#include "runtime/session/misprediction_log.h"
#include "runtime/session/shown_offsets.h"
#include "runtime/session/spawn_report.h"
#include "runtime/sync/cue_ledger.h"

namespace muster {
namespace {

TEST_CASE("A cue plays in the first run of a command and in no replay", "[sync][cues][sys-56]") {
  CueLedger ledger;
  const PredictedKey key{.command = CommandNumber(7), .system = 1, .order = 0};
  CHECK(ledger.predict(key, {}, 0, false));
  for (std::uint32_t replay = 1; replay < 10; ++replay) {
    CHECK_FALSE(ledger.predict(key, {}, replay, true));
  }
  CHECK_FALSE(ledger.confirm(key));
  CHECK(ledger.counters().played == 1);
  CHECK(ledger.counters().repeated == 10);
  CHECK(ledger.predict({.command = CommandNumber(7), .system = 1, .order = 1}, {}, 9, true));
  CHECK(ledger.counters().late == 1);
}

TEST_CASE("A cue that a replay omits, or the server never sends, is undone once",
          "[sync][cues][sys-56]") {
  CueLedger ledger;
  std::vector<EntityId> undone;
  const EntityId cause(3, 1);
  CHECK(ledger.predict({.command = CommandNumber(20), .system = 0, .order = 0}, cause, 0, false));
  ledger.settle(CommandNumber(10), std::nullopt, Tick(100), 8, undone);
  CHECK(undone.empty());  // No command was replayed.
  ledger.settle(CommandNumber(10), 1U, Tick(103), 8, undone);
  CHECK(undone == std::vector{cause});
  ledger.settle(CommandNumber(10), 2U, Tick(106), 8, undone);
  CHECK(undone.size() == 1);
  // The cue plays again.
  CHECK(ledger.predict({.command = CommandNumber(20), .system = 0, .order = 0}, cause, 3, true));

  undone.clear();
  CHECK(ledger.predict({.command = CommandNumber(21), .system = 0, .order = 0}, cause, 3, false));
  for (std::uint32_t tick = 110; tick < 118; ++tick)
    ledger.settle(CommandNumber(30), 3U, Tick(tick), 8, undone);
  CHECK(undone.empty());
  ledger.settle(CommandNumber(30), 3U, Tick(118), 8, undone);
  CHECK(undone.size() == 2);
}

TEST_CASE("A cue from the server that was not predicted plays once, and not again in a replay",
          "[sync][cues]") {
  CueLedger ledger;
  const PredictedKey key{.command = CommandNumber(7), .system = 2, .order = 0};
  CHECK(ledger.confirm(key));
  CHECK_FALSE(ledger.confirm(key));
  CHECK_FALSE(ledger.predict(key, {}, 1, true));
  CHECK(ledger.counters().foreign == 1);
}

TEST_CASE("The memory of a ledger is limited, and old commands are removed", "[sync][cues]") {
  CueLedger ledger;
  for (std::uint32_t command = 1; command < 4 * CueLedger::kKept; ++command) {
    ledger.predict({.command = CommandNumber(command), .system = 0, .order = 0}, {}, 0, false);
    ledger.confirm({.command = CommandNumber(command), .system = 0, .order = 0});
  }
  CHECK(ledger.size() == CueLedger::kKept);
  ledger.forget_before(CommandNumber(4 * CueLedger::kKept - 10));
  CHECK(ledger.size() == 10);
}

TEST_CASE("For any replays, played cues minus undone cues equal the server's cues",
          "[sync][cues][sys-56]") {
  const auto seed = GENERATE(range(1U, 60U));
  CAPTURE(seed);
  Random random(seed);
  CueLedger ledger;
  std::vector<EntityId> undone;
  int shown = 0;
  int server = 0;
  // The server causes a cue for some commands. The client predicts the cues with errors. The errors
  // disappear when the earlier commands are confirmed.
  constexpr std::uint32_t kCommands = 300;
  std::vector<bool> truth;
  for (std::uint32_t i = 0; i <= kCommands; ++i) truth.push_back(random.below(3) == 0);
  std::uint32_t received = 0;
  std::uint32_t replay = 0;
  const auto run = [&](std::uint32_t command, bool is_replaying) {
    const bool is_wrong = random.below(6) == 0;
    if (truth[command] == is_wrong) return;
    shown += ledger.predict({.command = CommandNumber(command), .system = 0, .order = 0}, {},
                            replay, is_replaying)
                 ? 1
                 : 0;
  };
  for (std::uint32_t newest = 1; newest <= kCommands + 60; ++newest) {
    if (newest <= kCommands) run(newest, false);
    if (newest < 20) continue;
    for (; received < std::min(newest - 12, kCommands); ++received) {
      const std::uint32_t command = received + 1;
      if (!truth[command]) continue;
      ++server;
      shown += ledger.confirm({.command = CommandNumber(command), .system = 0, .order = 0}) ? 1 : 0;
    }
    const bool is_replayed = random.below(2) == 0;
    if (is_replayed) {
      ++replay;
      for (std::uint32_t c = received + 1; c <= std::min(newest, kCommands); ++c) run(c, true);
    }
    ledger.settle(CommandNumber(received), is_replayed ? std::optional(replay) : std::nullopt,
                  Tick(newest), 8, undone);
  }
  CHECK(server > 60);
  CHECK(shown > server);
  CHECK(shown - static_cast<int>(undone.size()) == server);
}

TEST_CASE("A cue is unchanged after encoding and decoding, and a truncated cue is refused",
          "[session][cues]") {
  const auto kind = GENERATE(range(0, 16));
  SentCue cue{.key = {}, .cause = {17}, .effect = {}, .options = {}, .message = {}};
  const std::string name = "muzzle_flash";
  if ((kind & 1) != 0) cue.key = {.command = CommandNumber(0xFFFFFFF0), .system = 3, .order = 200};
  cue.effect = (kind & 2) != 0 ? EffectType(std::string_view(name)) : EffectType(TypeId(9));
  cue.options.position = {1, -2.5F, 3};
  if ((kind & 4) != 0) cue.options.rotation = {0, 1, 0, 0};
  if ((kind & 8) != 0) cue.options.line_end = Vec3{4, 5, 6};
  std::vector<std::byte> bytes;
  REQUIRE(encode_cue(cue, bytes));
  const auto read = decode_cue(bytes);
  REQUIRE(read);
  CHECK(read->key == cue.key);
  CHECK(read->cause == cue.cause);
  CHECK(read->effect->id() == cue.effect->id());
  CHECK(read->effect->name() == cue.effect->name());
  CHECK(read->options.position == cue.options.position);
  CHECK(read->options.rotation == cue.options.rotation);
  CHECK(read->options.line_end == cue.options.line_end);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK_FALSE(decode_cue(std::span(bytes).first(size)));
  }
  bytes.push_back(std::byte{0});
  CHECK_FALSE(decode_cue(bytes));
}

TEST_CASE("A cue with an invalid position or a long name is refused", "[session][cues]") {
  SentCue cue{
      .key = {}, .cause = {}, .effect = EffectType(TypeId(1)), .options = {}, .message = {}};
  cue.options.position.y = std::numeric_limits<float>::quiet_NaN();
  std::vector<std::byte> bytes;
  REQUIRE(encode_cue(cue, bytes));
  CHECK_FALSE(decode_cue(bytes));
  const std::string name(kEffectNameMax + 1, 'x');
  cue.effect = EffectType(std::string_view(name));
  CHECK_FALSE(encode_cue(cue, bytes));
}

TEST_CASE("An offset begins when prediction is switched on or off, and decreases to zero",
          "[session][sys-59]") {
  ShownOffsets offsets;
  const EntityId bolt(2, 1);
  const Time start = Time() + std::chrono::seconds(5);
  const auto at = [&](int ms) { return start + std::chrono::milliseconds(ms); };
  offsets.begin(bolt, {1, 0, 0}, start, std::chrono::milliseconds(100));
  CHECK(offsets.shown(bolt, {10, 0, 0}, true, at(50)).x == Approx(10.5F));
  CHECK(offsets.shown(bolt, {12, 0, 0}, true, at(100)).x == Approx(12));
  // The computed position jumps from 12 to 15, and the shown position continues from 12.
  CHECK(offsets.shown(bolt, {15, 0, 0}, false, at(110)).x == Approx(12));
  CHECK(offsets.shown(bolt, {15, 0, 0}, false, at(310)).x == Approx(13.5F));
  CHECK(offsets.shown(bolt, {15, 0, 0}, false, at(510)).x == Approx(15));
  offsets.forget(bolt);
  CHECK(offsets.shown(bolt, {20, 0, 0}, true, at(520)).x == Approx(20));
}

TEST_CASE("A report contains the result of each spawn of the commands that it covers",
          "[session][sys-58]") {
  SpawnReport server;
  const auto key = [](std::uint32_t command, std::uint8_t order) {
    return PredictedKey{.command = CommandNumber(command), .system = 1, .order = order};
  };
  for (std::uint32_t command = 70'000; command <= 70'040; ++command) {
    if (command % 10 == 0) server.add(key(command, 0), SpawnRefusal::none);
    if (command % 10 == 0) server.add(key(command, 1), SpawnRefusal::no_network_id);
    server.end_command(CommandNumber(command));
  }
  std::vector<std::byte> bytes;
  server.encode(bytes);
  SpawnReport client;
  REQUIRE(client.decode(bytes, CommandNumber(70'055)));
  CHECK(client.find(key(70'040, 0)) == SpawnRefusal::none);
  CHECK(client.find(key(70'040, 1)) == SpawnRefusal::no_network_id);
  // The press of one of the last commands may still arrive late.
  CHECK_FALSE(client.find(key(70'040, 2)));
  CHECK(client.find(key(70'024, 0)) == SpawnRefusal::not_spawned);
  CHECK_FALSE(client.find(key(70'041, 0)));  // The command has not run.
  CHECK_FALSE(client.find(key(70'000, 0)));  // The command is too old.
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const bool is_whole = size >= 3 && (size - 3) % 4 == 0;
    CHECK(SpawnReport().decode(std::span(bytes).first(size), CommandNumber(70'055)) == is_whole);
  }
}

TEST_CASE("A report of many spawns covers fewer commands", "[session][sys-58]") {
  SpawnReport server;
  std::uint32_t command = 0;
  for (; command < 20; ++command) {
    for (std::uint8_t order = 0; order < 5; ++order) {
      server.add({.command = CommandNumber(command + 1), .system = 0, .order = order},
                 SpawnRefusal::none);
    }
    server.end_command(CommandNumber(command + 1));
  }
  std::vector<std::byte> bytes;
  server.encode(bytes);
  CHECK(bytes.size() <= 3 + 4 * SpawnReport::kSpawnsMax);
  SpawnReport client;
  REQUIRE(client.decode(bytes, CommandNumber(command)));
  for (std::uint32_t each = 1; each <= command; ++each) {
    for (std::uint8_t order = 0; order < 5; ++order) {
      const auto found = client.find({.command = CommandNumber(each), .system = 0, .order = order});
      if (each > 14) CHECK(found == SpawnRefusal::none);
      CHECK(found.value_or(SpawnRefusal::none) == SpawnRefusal::none);
    }
  }
}

TEST_CASE("A command with more spawns than a report holds is not covered", "[session][sys-58]") {
  SpawnReport server;
  server.end_command(CommandNumber(1));
  for (std::uint8_t order = 0; order < 40; ++order) {
    server.add({.command = CommandNumber(2), .system = 0, .order = order}, SpawnRefusal::none);
  }
  server.end_command(CommandNumber(2));
  CHECK_FALSE(server.find({.command = CommandNumber(2), .system = 0, .order = 0}));
  CHECK_FALSE(server.find({.command = CommandNumber(1), .system = 0, .order = 0}));
  for (std::uint32_t command = 3; command <= 20; ++command)
    server.end_command(CommandNumber(command));
  CHECK(server.find({.command = CommandNumber(3), .system = 0, .order = 0}) ==
        SpawnRefusal::not_spawned);
  CHECK_FALSE(server.find({.command = CommandNumber(2), .system = 0, .order = 0}));
}

TEST_CASE("The history keeps the last mispredictions, as lines and as rows", "[session][sys-57]") {
  MispredictionLog log;
  for (std::uint32_t i = 0; i < MispredictionLog::kKept + 10; ++i) {
    log.add({.tick = Tick(i),
             .command_tick = Tick(i),
             .entity = EntityId(7, 1),
             .component = "Transform",
             .field = "position",
             .difference = 0.25,
             .tolerance = 0.01,
             .system = "steer",
             .replayed_ticks = 5});
  }
  CHECK(log.size() == MispredictionLog::kKept);
  CHECK(log.total() == MispredictionLog::kKept + 10);
  CHECK(log[0].tick == Tick(10));
  CHECK(log[log.size() - 1].tick == Tick(MispredictionLog::kKept + 9));
  CHECK(to_line(log[0]) ==
        "tick 10, entity 7: Transform.position differs by 0.25 (tolerance 0.01), last written by "
        "steer");
  CHECK(to_csv(log[0]) == "10,10,7,Transform,position,0.25,0.01,steer,5");
}

}  // namespace
}  // namespace muster
