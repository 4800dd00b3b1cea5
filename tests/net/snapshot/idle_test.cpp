// Idle entities cost no work, and a writer with idle entities writes the same bytes as a writer
// that checks all entities.
#include <deque>
#include <optional>
#include <vector>

#include <catch2/catch.hpp>

#include "net/snapshot/snapshot_reader.h"
#include "net/snapshot/snapshot_writer.h"
#include "tests/support/net_bytes.h"
#include "tests/support/snapshot_samples.h"

namespace muster {
namespace {

/// The number of ticks from an entity's last change until the entity is idle. Then every snapshot
/// of the window contains the entity as unchanged.
constexpr int kTicksToIdle = static_cast<int>(kSnapshotWindow) + 10;

/// The settings of a world and its link. Probabilities are in 1/1000 per tick; the probability of
/// changes is per entity.
struct IdleSettings {
  std::uint32_t entities = 400;
  std::uint64_t changes = 1;
  std::uint64_t spawns = 0;
  std::uint64_t despawns = 0;
  std::uint64_t deferrals = 0;
  std::uint64_t loss = 0;
  std::uint64_t small_datagrams = 0;
  std::uint64_t tick_step_max = 1;
};

/// Three writers of one world. The first gets the changed entities of each tick, the second gets
/// all entities at each tick, and the third checks every entity for every datagram. All three must
/// write the same bytes.
class IdleStage {
 public:
  IdleStage(std::uint64_t seed, const IdleSettings& given, SnapshotCoder coder)
      : settings(given), random_(seed), model_(model_of(random_)) {
    for (auto* writer : {&notified_, &compares_, &checks_}) writer->emplace(model_, options(coder));
    reader_.emplace(model_, ReaderLimits{}, options(coder));
    for (std::uint32_t i = 0; i < settings.entities; ++i) spawn(2 * i);
  }

  IdleSettings settings;
  SnapshotWriter& writer() { return *notified_; }
  const SnapshotReader& reader() const { return *reader_; }
  const std::vector<EntityState>& world() const { return world_; }

  void tick() {
    now_ += static_cast<std::uint32_t>(1 + random_.below(settings.tick_step_max));
    for (EntityState& state : world_) state.is_deferred = false;
    for (const std::uint32_t i : awaited_) change(i);
    awaited_.clear();
    for (std::uint32_t i = 0; i < world_.size(); ++i) {
      if (happens(settings.changes)) change(i);
    }
    if (happens(settings.spawns)) {
      spawn(static_cast<std::uint32_t>(random_.below(3 * settings.entities)));
    }
    if (happens(settings.despawns) && !world_.empty()) despawn(random_.below(world_.size()));
    send();
  }
  void change_next(std::uint32_t i) { awaited_.push_back(i); }
  void change(std::uint32_t i) {
    EntityState& state = world_[i];
    const auto& lanes = model_.types[codec_index(state.kind.type)].schema.lanes;
    std::vector<LaneValue>& row = rows_.emplace_back(state.values, state.values + lanes.size());
    row[0] = row[0] == 0 ? 1 : row[0] - 1;
    state.values = row.data();
    state.since = Tick(now_);
    state.is_deferred = happens(settings.deferrals);
    changed_.push_back(i);
  }
  void despawn(std::size_t i) {
    world_.erase(world_.begin() + static_cast<std::ptrdiff_t>(i));
    has_same_entities_ = false;
  }
  void spawn(std::uint32_t id) {
    const auto at = std::ranges::lower_bound(world_, SliceId{id}, {}, &EntityState::id);
    if (at != world_.end() && at->id == SliceId{id}) return;
    const auto type = static_cast<CodecType>(random_.below(model_.types.size()));
    std::vector<LaneValue>& row = rows_.emplace_back();
    for (const LaneSchema& lane : model_.types[codec_index(type)].schema.lanes) {
      row.push_back(random_value(random_, lane));
    }
    world_.insert(at, {.id = SliceId{id},
                       .kind = {.type = type, .generation = generations_++},
                       .values = row.data()});
    has_same_entities_ = false;
  }
  /// True when the reader has every entity that is not deferred.
  bool is_world_read() const {
    const auto seen = reader_->entities();
    return std::ranges::equal(seen, world_, [&](const SeenEntity& a, const EntityState& b) {
      return a.id == b.id && a.kind == b.kind &&
             std::equal(a.values, a.values + lanes_of(b), b.values);
    });
  }

 private:
  static SnapshotOptions options(SnapshotCoder coder) { return {.coder = coder}; }
  static SnapshotModel model_of(Random& random) {
    std::vector<EntitySchema> schemas;
    for (int i = 0; i < 3; ++i) {
      schemas.push_back(random_schema(random, 4));
      schemas.back().lanes.insert(schemas.back().lanes.begin(), {.name = "first", .maximum = 999});
    }
    return untrained_model(std::move(schemas));
  }
  std::size_t lanes_of(const EntityState& state) const {
    return model_.types[codec_index(state.kind.type)].lanes.size();
  }
  bool happens(std::uint64_t chance) { return random_.below(1000) < chance; }

  void send() {
    if (has_same_entities_) {
      notified_->begin(Tick(now_), world_, changed_);
    } else {
      notified_->begin(Tick(now_), world_);
    }
    compares_->begin(Tick(now_), world_);
    checks_->begin(Tick(now_), world_);
    changed_.clear();
    has_same_entities_ = true;
    const bool is_small = happens(settings.small_datagrams);
    std::vector<std::byte> memory(is_small ? 60 + random_.below(300) : 60'000);
    std::vector<std::byte> other(memory.size());
    while (!notified_->is_done()) {
      const auto bytes = notified_->write(memory);
      REQUIRE_FALSE(bytes.empty());
      REQUIRE(std::ranges::equal(bytes, compares_->write(other)));
      checks_->check_all();
      REQUIRE(std::ranges::equal(bytes, checks_->write(other)));
      REQUIRE(notified_->end_id() == checks_->end_id());
      if (happens(settings.loss)) continue;
      REQUIRE(reader_->read(bytes) == SnapshotVerdict::applied);
      if (happens(settings.loss)) continue;
      acks_.push_back(
          {now_ + static_cast<std::uint32_t>(random_.below(8)), notified_->last_number()});
    }
    REQUIRE(checks_->is_done());
    std::erase_if(acks_, [&](const auto& ack) {
      if (ack.first > now_) return false;
      for (auto* writer : {&notified_, &compares_, &checks_}) (*writer)->acknowledge(ack.second);
      return true;
    });
  }

  Random random_;
  SnapshotModel model_;
  std::optional<SnapshotWriter> notified_;
  std::optional<SnapshotWriter> compares_;
  std::optional<SnapshotWriter> checks_;
  std::optional<SnapshotReader> reader_;
  std::uint32_t now_ = 1;
  std::uint32_t generations_ = 0;
  std::vector<EntityState> world_;
  std::vector<std::uint32_t> awaited_;
  std::vector<std::uint32_t> changed_;
  /// True if no entity was added or removed since the last update of the writers.
  bool has_same_entities_ = false;
  std::deque<std::vector<LaneValue>> rows_;
  std::vector<std::pair<std::uint32_t, SnapshotNumber>> acks_;
};

TEST_CASE("A writer that checks only changed entities writes the same bytes", "[net][snapshot]") {
  const SnapshotCoder coder =
      GENERATE(SnapshotCoder::range, SnapshotCoder::mix, SnapshotCoder::raw);
  std::size_t idle_max = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(coder, seed);
    Random random(seed);
    IdleStage stage(seed, {.entities = static_cast<std::uint32_t>(1 + random.below(500))}, coder);
    for (int turn = 0; turn < 4; ++turn) {
      IdleSettings& settings = stage.settings;
      settings.changes = random.below(2) * random.below(8);
      settings.spawns = random.below(2) * random.below(300);
      settings.despawns = random.below(2) * random.below(300);
      settings.deferrals = random.below(2) * random.below(600);
      settings.loss = random.below(2) * random.below(400);
      settings.small_datagrams = random.below(2) * random.below(100);
      settings.tick_step_max = random.below(4) == 0 ? 40 : 1 + random.below(3);
      for (int i = 0; i < 2 * kTicksToIdle; ++i) {
        stage.tick();
        idle_max = std::max(idle_max, stage.writer().idle_count());
      }
    }
    stage.settings = {.entities = stage.settings.entities, .changes = 0};
    for (int i = 0; i < 12; ++i) stage.tick();
    CHECK(stage.is_world_read());
  }
  CHECK(idle_max > 300);
}

TEST_CASE("An unchanged world costs no work per entity", "[net][snapshot]") {
  IdleStage stage(1, {.entities = 5'000, .changes = 0}, SnapshotCoder::range);
  for (int i = 0; i < kTicksToIdle; ++i) stage.tick();
  CHECK(stage.writer().idle_count() == 5'000);
  const std::uint64_t before = stage.writer().checked_count();
  for (int i = 0; i < 100; ++i) stage.tick();
  CHECK(stage.writer().checked_count() == before);
  CHECK(stage.is_world_read());
}

TEST_CASE("A changed entity is checked, and its neighbours are not", "[net][snapshot]") {
  const std::uint32_t which = GENERATE(0U, 63U, 64U, 1023U, 1024U, 2'999U);
  CAPTURE(which);
  IdleStage stage(2, {.entities = 3'000, .changes = 0}, SnapshotCoder::range);
  for (int i = 0; i < kTicksToIdle; ++i) stage.tick();
  std::uint64_t before = stage.writer().checked_count();
  stage.change_next(which);
  stage.tick();
  CHECK(stage.writer().changed_count() == 1);
  CHECK(stage.writer().idle_count() == 2'999);
  CHECK(stage.is_world_read());
  // Until the entity is idle again, it is listed, recorded and reset once per tick.
  for (int i = 0; i < kTicksToIdle; ++i) stage.tick();
  CHECK(stage.writer().checked_count() - before < 3 * (kTicksToIdle + 1));
  CHECK(stage.writer().idle_count() == 3'000);
  before = stage.writer().checked_count();
  stage.tick();
  CHECK(stage.writer().checked_count() == before);
}

TEST_CASE("An entity is removed and added among idle entities", "[net][snapshot]") {
  IdleStage stage(3, {.entities = 2'000, .changes = 0}, SnapshotCoder::range);
  for (int i = 0; i < kTicksToIdle; ++i) stage.tick();
  stage.despawn(1'030);
  stage.tick();
  CHECK(stage.writer().idle_count() == 1'999);
  CHECK(stage.is_world_read());
  stage.spawn(1'001);
  stage.tick();
  CHECK(stage.writer().idle_count() == 1'999);
  CHECK(stage.is_world_read());
  for (int i = 0; i < kTicksToIdle; ++i) stage.tick();
  CHECK(stage.writer().idle_count() == 2'000);
  CHECK(stage.is_world_read());
}

TEST_CASE("A gap in the link while all entities are idle is recovered", "[net][snapshot]") {
  const int silence = GENERATE(1, 8, 30, 31, 32, 33, 60);
  CAPTURE(silence);
  IdleStage stage(4, {.entities = 300, .changes = 0}, SnapshotCoder::range);
  for (int i = 0; i < kTicksToIdle; ++i) stage.tick();
  stage.settings.loss = 1000;
  for (int i = 0; i < silence; ++i) stage.tick();
  stage.settings.loss = 0;
  stage.change_next(100);
  for (int i = 0; i < 12; ++i) stage.tick();
  CHECK(stage.is_world_read());
}

}  // namespace
}  // namespace muster
