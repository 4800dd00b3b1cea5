// Seeded worlds over links that lose, delay and reorder snapshots.
#include "tests/net/snapshot/snapshot_stage.h"

namespace muster {
namespace {

/// A random link and world, from calm to extreme.
StageSettings random_settings(Random& random) {
  StageSettings settings;
  settings.loss = random.below(3) * random.below(30);
  settings.ack_loss = random.below(3) * random.below(30);
  settings.delay_ticks_max = random.below(3) * random.below(4);
  settings.ack_delay_max = random.below(12);
  settings.spawns = random.below(60);
  settings.despawns = random.below(2) * random.below(20);
  settings.reuse = random.below(100);
  settings.deferrals = random.below(2) * random.below(60);
  settings.changes = random.below(100);
  settings.entity_max = 1 + random.below(120);
  settings.id_bound = random.below(2) == 0 ? 300 : codec_id(kEveryId);
  settings.datagram_bytes = random.below(3) == 0 ? 1200 : 60 + random.below(241);
  settings.tick_step_max = 1 + random.below(3);
  return settings;
}

TEST_CASE("Every complete snapshot equals the world that was sent", "[net][snapshot]") {
  const bool is_disturbed = GENERATE(false, true);
  std::uint32_t complete = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(is_disturbed, seed);
    SnapshotStage stage(seed, is_disturbed);
    for (int turn = 0; turn < 3; ++turn) {
      stage.settings = random_settings(stage.random());
      for (int i = 0; i < 40; ++i) stage.tick();
      if (stage.random().below(2) == 0) stage.settle();
    }
    stage.settle();
    complete += stage.complete_count();
  }
  CHECK(complete > 150U * 40);
}

TEST_CASE("Every complete snapshot equals the world that was sent, for every coder",
          "[net][snapshot][sys-43]") {
  const SnapshotCoder coder = GENERATE(SnapshotCoder::mix, SnapshotCoder::huffman,
                                       SnapshotCoder::raw, SnapshotCoder::reference);
  const bool is_disturbed = GENERATE(false, true);
  std::uint32_t complete = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(coder, is_disturbed, seed);
    SnapshotStage stage(seed, is_disturbed, 3, coder);
    for (int turn = 0; turn < 3; ++turn) {
      stage.settings = random_settings(stage.random());
      for (int i = 0; i < 40; ++i) stage.tick();
      if (stage.random().below(2) == 0) stage.settle();
    }
    stage.settle();
    complete += stage.complete_count();
  }
  CHECK(complete > 30U * 40);
}

TEST_CASE("A long outage is recovered after any number of lost snapshots", "[net][snapshot]") {
  const int silence = GENERATE(1, 30, 31, 32, 33, 127, 128, 129, 200, 255, 256, 257, 700);
  const bool from_the_beginning = GENERATE(false, true);
  CAPTURE(silence, from_the_beginning);
  SnapshotStage stage(7);
  stage.settings = {.spawns = 80, .despawns = 5};
  for (int i = 0; i < 20 && !from_the_beginning; ++i) stage.tick();
  stage.settings.loss = 100;
  for (int i = 0; i < silence; ++i) stage.tick();
  stage.settings.loss = 0;
  for (int i = 0; i < 5; ++i) stage.tick();
  const std::uint32_t complete = stage.complete_count();
  stage.settle();
  CHECK(complete >= (from_the_beginning ? 5U : 25U));
}

TEST_CASE("Snapshot numbers wrap", "[net][snapshot]") {
  SnapshotStage stage(3, false, 1);
  stage.settings = {.loss = 3, .spawns = 1, .entity_max = 1, .tick_step_max = 1};
  for (int i = 0; i < 66'000; ++i) {
    stage.tick();
  }
  CHECK(stage.writer().last_number() < 1000);
  stage.settle();
}

TEST_CASE("A world much larger than a datagram arrives in parts", "[net][snapshot]") {
  const std::size_t datagram_bytes = GENERATE(200U, 300U, 1200U);
  const std::uint64_t loss = GENERATE(0U, 30U);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(datagram_bytes, loss, seed);
    SnapshotStage stage(seed);
    for (std::uint32_t i = 0; i < 400; ++i) {
      stage.spawn(static_cast<std::uint32_t>(stage.random().below(codec_id(kEveryId))),
                  {.type = CodecType{1}});
    }
    stage.settings = {.loss = loss,
                      .ack_delay_max = 3,
                      .spawns = 50,
                      .despawns = 1,
                      .changes = 5,
                      .entity_max = 500,
                      .id_bound = codec_id(kEveryId),
                      .datagram_bytes = datagram_bytes};
    for (int i = 0; i < 12; ++i) stage.tick();
    stage.settle();
  }
}

}  // namespace
}  // namespace muster
