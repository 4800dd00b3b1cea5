// A seeded world, its writer, a bad link and its reader.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include <catch2/catch.hpp>

#include "net/snapshot/snapshot_reader.h"
#include "net/snapshot/snapshot_writer.h"
#include "tests/support/net_bytes.h"
#include "tests/support/snapshot_samples.h"

namespace muster {

/// The settings of a stage's link and world. Probabilities are in percent.
struct StageSettings {
  std::uint64_t loss = 0;
  std::uint64_t ack_loss = 0;
  std::uint64_t delay_ticks_max = 0;  ///< If it is more than zero, datagrams overtake each other.
  std::uint64_t ack_delay_max = 0;
  std::uint64_t spawns = 0;  ///< The probability that an entity appears.
  std::uint64_t despawns = 0;
  std::uint64_t reuse = 50;  ///< The probability that a new entity gets a used id.
  std::uint64_t deferrals = 0;
  std::uint64_t changes = 50;
  std::size_t entity_max = 40;
  std::uint32_t id_bound = 200;
  std::size_t datagram_bytes = 1200;
  std::uint64_t tick_step_max = 1;
};

class SnapshotStage {
 public:
  explicit SnapshotStage(std::uint64_t seed, bool is_disturbed = false, std::size_t types = 3,
                         SnapshotCoder coder = SnapshotCoder::range)
      : random_(seed),
        model_(model_of(random_, is_disturbed, types, coder)),
        writer_(model_, {.coder = coder}),
        reader_(model_, {}, {.coder = coder}) {}

  StageSettings settings;
  SnapshotReader& reader() { return reader_; }
  SnapshotWriter& writer() { return writer_; }
  Random& random() { return random_; }
  const SnapshotModel& model() const { return model_; }
  std::uint32_t complete_count() const { return complete_count_; }
  /// The snapshots that the reader has applied, in order.
  const std::vector<NetBytes>& applied() const { return applied_bytes_; }

  void spawn(std::uint32_t id, EntityKind kind) {
    Values values;
    for (const LaneSchema& lane : model_.types[codec_index(kind.type)].schema.lanes) {
      values.push_back(random_value(random_, lane));
    }
    live_[id] = {.kind = kind, .values = std::move(values)};
  }
  void despawn(std::uint32_t id) { live_.erase(id); }

  /// Runs one tick of the world, the writer, the link and the reader.
  void tick() {
    now_ += static_cast<std::uint32_t>(1 + random_.below(settings.tick_step_max));
    live();
    send();
    receive();
  }

  /// Runs ticks without changes, losses or delays. Afterwards both worlds must be equal.
  void settle(int ticks = 6) {
    settings = StageSettings{.changes = 0, .datagram_bytes = 20'000};
    for (int i = 0; i < ticks; ++i) tick();
    check_world(true);
  }

 private:
  using Values = std::vector<LaneValue>;
  struct Live {
    EntityKind kind;
    Values values;
    bool is_deferred = false;
  };
  using World = std::map<std::uint32_t, Live>;
  struct Datagram {
    std::uint32_t arrival = 0;
    Tick tick;
    std::size_t part = 0;
    SnapshotNumber number = 0;
    NetBytes bytes;
  };
  struct Ack {
    std::uint32_t arrival = 0;
    SnapshotNumber number = 0;
  };

  static SnapshotModel model_of(Random& random, bool is_disturbed, std::size_t types,
                                SnapshotCoder coder) {
    std::vector<EntitySchema> schemas;
    for (std::size_t i = 0; i < types; ++i) schemas.push_back(random_schema(random, 6));
    SnapshotModel model = untrained_model(std::move(schemas));
    if (is_disturbed) disturb(model, random);
    if (is_disturbed && coder == SnapshotCoder::mix) disturb_mix(model, random);
    if (is_disturbed) disturb_huffman(model, random);
    return model;
  }

  bool happens(std::uint64_t percent) { return random_.below(100) < percent; }

  void live() {
    for (auto at = live_.begin(); at != live_.end();) {
      Live& entity = at->second;
      if (happens(settings.despawns)) {
        at = live_.erase(at);
        continue;
      }
      entity.is_deferred = happens(settings.deferrals);
      const EntitySchema& schema = model_.types[codec_index(entity.kind.type)].schema;
      for (std::size_t i = 0; i < schema.lanes.size() && happens(settings.changes); ++i) {
        entity.values[i] = next_value(random_, schema.lanes[i], entity.values[i]);
      }
      ++at;
    }
    for (int i = 0; i < 4 && live_.size() < settings.entity_max; ++i) {
      if (!happens(settings.spawns)) continue;
      auto id = static_cast<std::uint32_t>(random_.below(settings.id_bound));
      if (!used_.empty() && happens(settings.reuse)) id = used_[random_.below(used_.size())];
      // A generation is repeated only when both ends have forgotten the old entity.
      const EntityKind kind{.type = static_cast<CodecType>(
                                static_cast<std::uint16_t>(random_.below(model_.types.size()))),
                            .generation = generations_[id]++};
      used_.push_back(id);
      spawn(id, kind);  // It may replace another entity.
    }
  }

  void send() {
    worlds_[Tick(now_)] = live_;
    std::vector<EntityState>& states = states_.emplace_back();
    for (const auto& [id, entity] : worlds_[Tick(now_)]) {
      states.push_back({.id = SliceId{id},
                        .kind = entity.kind,
                        .is_deferred = entity.is_deferred,
                        .values = entity.values.data()});
    }
    writer_.begin(Tick(now_), states);
    NetBytes memory(settings.datagram_bytes);
    std::size_t part = 0;
    while (!writer_.is_done()) {
      REQUIRE(part <= 2 * states.size() + 2 + states_max_);  // The number of parts is limited.
      const std::span<const std::byte> bytes = writer_.write(memory);
      if (bytes.empty()) break;  // The datagram is too small for an entity.
      REQUIRE(bytes.size() <= memory.size());
      const auto delay = static_cast<std::uint32_t>(random_.below(settings.delay_ticks_max + 1));
      const Datagram datagram{.arrival = now_ + delay,
                              .tick = Tick(now_),
                              .part = part++,
                              .number = writer_.last_number(),
                              .bytes = copy_of(bytes)};
      if (!happens(settings.loss)) link_.push_back(datagram);
    }
    parts_[Tick(now_)] = writer_.is_done() ? part : 0;
    states_max_ = std::max(states_max_, states.size());
  }

  void receive() {
    for (std::size_t i = 0; i < link_.size();) {
      if (link_[i].arrival > now_) {
        ++i;
        continue;
      }
      const Datagram datagram = link_[i];
      link_.erase(link_.begin() + static_cast<std::ptrdiff_t>(i));
      deliver(datagram);
    }
    for (std::size_t i = 0; i < acks_.size();) {
      if (acks_[i].arrival > now_) {
        ++i;
        continue;
      }
      writer_.acknowledge(acks_[i].number);
      acks_.erase(acks_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  void deliver(const Datagram& datagram) {
    const bool is_overtaken = has_any_ && static_cast<std::int16_t>(datagram.number - newest_) <= 0;
    const bool is_late =
        is_overtaken && static_cast<SnapshotNumber>(newest_ - datagram.number) >= kSnapshotWindow;
    const SnapshotVerdict verdict = reader_.read(datagram.bytes);
    // The references of an overtaken snapshot may have left the window meanwhile.
    if (is_overtaken && verdict == SnapshotVerdict::unknown) return;
    REQUIRE(verdict == (is_late ? SnapshotVerdict::late : SnapshotVerdict::applied));
    if (is_late) return;
    has_any_ = true;
    if (!is_overtaken) newest_ = datagram.number;
    applied_bytes_.push_back(datagram.bytes);
    REQUIRE(reader_.last_number() == datagram.number);
    if (!is_overtaken) REQUIRE(reader_.tick() == datagram.tick);
    if (!happens(settings.ack_loss)) {
      const auto delay = static_cast<std::uint32_t>(random_.below(settings.ack_delay_max + 1));
      acks_.push_back({.arrival = now_ + delay, .number = datagram.number});
    }
    ++applied_[datagram.tick];
    const bool is_newest = datagram.tick == reader_.tick();
    const bool is_complete = is_newest && applied_[datagram.tick] == parts_[datagram.tick];
    if (is_complete) ++complete_count_;
    check_world(is_complete);
  }

  /// Checks that the reader's values of each entity are the values at the entity's tick. In a
  /// complete tick, no entity may be missing, removed or old, except deferred entities.
  void check_world(bool is_complete) {
    const World& world = worlds_[reader_.tick()];
    std::size_t fresh = 0;
    std::uint64_t id_min = 0;
    for (const SeenEntity& seen : reader_.entities()) {
      const std::uint32_t id = codec_id(seen.id);
      REQUIRE(id >= id_min);
      id_min = std::uint64_t{id} + 1;
      const World& then = worlds_.at(seen.tick);
      const auto was = then.find(id);
      REQUIRE(was != then.end());
      REQUIRE(was->second.kind == seen.kind);
      REQUIRE(std::equal(was->second.values.begin(), was->second.values.end(), seen.values));
      if (!is_complete) continue;
      const auto is = world.find(id);
      // An unacknowledged entity may count as deferred if any entity is deferred.
      const bool is_past = is == world.end() || is->second.kind != seen.kind;
      if (is_past && seen.tick != reader_.tick() && has_deferred(world)) continue;
      REQUIRE(is != world.end());
      REQUIRE(is->second.kind == seen.kind);
      if (is->second.is_deferred) continue;
      REQUIRE(is->second.values == was->second.values);
      ++fresh;
    }
    if (!is_complete) return;
    const auto wanted = std::count_if(world.begin(), world.end(),
                                      [](const auto& entry) { return !entry.second.is_deferred; });
    REQUIRE(fresh == static_cast<std::size_t>(wanted));
  }

  static bool has_deferred(const World& world) {
    return std::any_of(world.begin(), world.end(),
                       [](const auto& entry) { return entry.second.is_deferred; });
  }

  Random random_;
  SnapshotModel model_;
  SnapshotWriter writer_;
  SnapshotReader reader_;
  World live_;
  std::vector<std::uint32_t> used_;
  std::map<std::uint32_t, std::uint32_t> generations_;
  std::uint32_t now_ = 100;
  bool has_any_ = false;
  SnapshotNumber newest_ = 0;
  std::map<Tick, World> worlds_;
  /// The number of parts of a tick; 0 if they did not cover the world.
  std::map<Tick, std::size_t> parts_;
  std::map<Tick, std::size_t> applied_;  ///< The number of applied parts of each tick.
  std::deque<std::vector<EntityState>> states_;
  std::vector<Datagram> link_;
  std::vector<Ack> acks_;
  std::vector<NetBytes> applied_bytes_;
  std::size_t states_max_ = 0;
  std::uint32_t complete_count_ = 0;
};

}  // namespace muster
