// The implementation's side of snapshot_checker.py: a random world, its true state at every tick,
// and its snapshots.
//
//   snapshot_vectors recording CODER   a recording of REPLICATION_FORMAT.md
//   snapshot_vectors lossy CODER       parts, some of them lost, and deferred entities
//   snapshot_vectors trained CODER     the same with a trained model, which is included
//
// Prints JSON lines. CODER is the coder's number in the `begin` message.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <map>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/replication/recording.h"
#include "net/snapshot/model_file.h"
#include "net/tools/training/huffman_training.h"
#include "net/tools/training/mix_training.h"
#include "net/tools/training/train_model.h"
#include "registry/base/hex.h"
#include "registry/base/seed.h"
#include "tests/support/hex.h"

namespace {

using namespace muster;

constexpr std::uint32_t kTicks = 180;
constexpr std::uint32_t kMapEnds = 110;  ///< The tick at which a recording's second map begins.

/// A schema with every kind of lane: symbols with and without a tree, angles with two values for
/// one direction, and ranges beyond 32 bits.
ReplicationSchema schema_of_world() {
  ReplicationSchema schema;
  schema.components.push_back(
      {.name = "Motion",
       .fields = {{.name = "position", .value_count = 3, .low = -100'000, .high = 100'000},
                  {.name = "heading", .high = 359, .kind = LaneKind::angle, .period = 360},
                  {.name = "aim", .low = -64, .high = 64, .kind = LaneKind::angle, .period = 128},
                  {.name = "turn", .value_count = 4, .high = 1022, .kind = LaneKind::rotation}}});
  schema.components.push_back(
      {.name = "Health",
       .fields = {{.name = "points", .high = 200},
                  {.name = "stance", .high = 2, .kind = LaneKind::symbol},
                  {.name = "weapon", .high = 40, .kind = LaneKind::symbol},
                  {.name = "burns", .high = 1, .kind = LaneKind::symbol},
                  {.name = "fired", .high = 1023, .kind = LaneKind::tick},
                  {.name = "name", .high = 0xFFFF, .kind = LaneKind::opaque},
                  {.name = "score", .low = std::int64_t{-1} << 40, .high = std::int64_t{1} << 40},
                  {.name = "team", .high = 0}}});
  schema.types.push_back({.id = TypeId(7), .components = {SchemaComponent{0}, SchemaComponent{1}}});
  schema.types.push_back({.id = TypeId(900), .components = {SchemaComponent{0}}});
  schema.types.push_back(
      {.id = TypeId(901),
       .components = {SchemaComponent{1}},
       .initial_values = {100, 1, 7, 0, 1000, 0xABCD, (std::int64_t{1} << 33) + 5, 0}});
  return schema;
}

struct Entity {
  std::uint16_t type = 0;
  std::uint32_t generation = 0;
  bool is_still = false;
  bool is_furniture = false;
  std::vector<std::int64_t> values;
  std::vector<std::int64_t> speeds;
};

/// The number of entities that rarely move. With this number, the entities are coded in blocks.
constexpr std::uint32_t kFurniture = 150;
constexpr std::uint32_t kFirstFurniture = 100;

/// Entities walk straight, accelerate, stop, turn, jump, and are created and removed.
class World {
 public:
  /// If true, generations need one to four bytes. Otherwise they count up, as on a server.
  bool has_wide_generations = false;

  World(std::uint64_t seed, const ReplicationSchema& schema) : random_(seed), schema_(schema) {}

  void live(std::uint32_t tick) {
    std::vector<std::uint32_t> gone;
    for (const auto& [id, entity] : entities_) {
      if (random_.below(entity.is_furniture ? 9000 : 150) == 0) gone.push_back(id);
    }
    for (const std::uint32_t id : gone) entities_.erase(id);
    for (std::uint64_t i = tick == 1 ? 30 : random_.below(3); i > 0; --i) spawn();
    for (std::uint32_t i = 0; i < kFurniture && tick == 1; ++i) {
      const std::uint32_t id = kFirstFurniture + i;
      create(id);
      entities_[id].is_furniture = true;
      entities_[id].is_still = true;
    }
    for (auto& [id, entity] : entities_) {
      const bool stirs = random_.below(entity.is_furniture && entity.is_still ? 6000 : 30) == 0;
      if (stirs) entity.is_still = !entity.is_still;
      if (!entity.is_still) move(entity, tick);
    }
  }
  void clear() {
    entities_.clear();
    generations_.clear();
  }
  const std::map<std::uint32_t, Entity>& entities() const { return entities_; }

 private:
  void spawn() {
    const std::uint64_t far = random_.below(12) == 0 ? 4'294'967'295U : 70;
    const auto id = static_cast<std::uint32_t>(random_.below(far));
    if (entities_.size() >= kFurniture + 60 || entities_.contains(id)) return;
    create(id);
  }

  void create(std::uint32_t id) {
    Entity& entity = entities_[id];
    entity.type = static_cast<std::uint16_t>(random_.below(schema_.types.size()));
    const auto known = generations_.find(id);
    if (known == generations_.end()) {
      generations_[id] = 0;
    } else {
      known->second += has_wide_generations ? 1U << (8 * random_.below(4)) : 1U;
      entity.generation = known->second;
    }
    const bool is_initial = random_.below(3) == 0;
    const std::vector<std::int64_t>& initial_values = schema_.types[entity.type].initial_values;
    for_values(entity, [&](const FieldSchema& field, std::size_t i) {
      const auto span = static_cast<std::uint64_t>(field.high - field.low) + 1;
      std::int64_t value = field.low + static_cast<std::int64_t>(random_.below(span));
      if (is_initial) value = initial_values.empty() ? field.low : initial_values[i];
      entity.values.push_back(value);
      entity.speeds.push_back(static_cast<std::int64_t>(random_.below(15)) - 7);
    });
    turn(entity);
  }

  void move(Entity& entity, std::uint32_t tick) {
    for_values(entity, [&](const FieldSchema& field, std::size_t i) {
      std::int64_t& value = entity.values[i];
      const auto span = field.high - field.low + 1;
      switch (field.kind) {
        case LaneKind::number:
        case LaneKind::angle:
          if (random_.below(12) == 0) {
            entity.speeds[i] = static_cast<std::int64_t>(random_.below(41)) - 20;
          }
          value += entity.speeds[i];
          if (random_.below(60) == 0) value += static_cast<std::int64_t>(random_.below(100'000));
          value = field.low + ((value - field.low) % span + span) % span;
          break;
        case LaneKind::tick:
          if (random_.below(9) == 0) {
            value =
                (std::int64_t{tick} + span - static_cast<std::int64_t>(random_.below(3))) % span;
          }
          break;
        case LaneKind::dropped:
        case LaneKind::rotation:
          break;
        case LaneKind::symbol:
        case LaneKind::opaque:
          if (random_.below(9) != 0) break;
          value = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(span)));
      }
    });
    turn(entity);
  }

  /// Makes the four values of a rotation from the entity's position.
  void turn(Entity& entity) {
    if (schema_.types[entity.type].components[0] != SchemaComponent{0}) return;
    const double along = static_cast<double>(entity.values[0]) / 40;
    const double across = static_cast<double>(entity.values[1]) / 70;
    const std::array<double, 4> whole = {
        std::sin(along) * std::cos(across), std::sin(along) * std::sin(across),
        std::cos(along) * std::sin(across), std::cos(along) * std::cos(across)};
    std::size_t dropped = 0;
    for (std::size_t i = 1; i < 4; ++i) {
      if (std::abs(whole[i]) > std::abs(whole[dropped])) dropped = i;
    }
    std::size_t next = 5;
    entity.values[next++] = static_cast<std::int64_t>(dropped);
    for (std::size_t i = 0; i < 4; ++i) {
      if (i == dropped) continue;
      const double part = whole[dropped] < 0 ? -whole[i] : whole[i];
      const double steps = (part / std::numbers::sqrt2 + 0.5) * 1022;
      entity.values[next++] = std::clamp<std::int64_t>(std::llround(steps), 0, 1022);
    }
  }

  template <typename Visit>
  void for_values(const Entity& entity, const Visit& visit) {
    std::size_t i = 0;
    for (const SchemaComponent component : schema_.types[entity.type].components) {
      for (const FieldSchema& field : schema_.component(component).fields) {
        for (std::uint32_t k = 0; k < field.value_count; ++k) {
          // For a rotation, `turn` chooses the missing component.
          const bool is_dropped = field.kind == LaneKind::rotation && k % 4 == 0;
          FieldSchema one = field;
          if (is_dropped) one.high = 3;
          visit(one, i++);
        }
      }
    }
  }

  Random random_;
  const ReplicationSchema& schema_;
  std::map<std::uint32_t, Entity> entities_;
  std::map<std::uint32_t, std::uint32_t> generations_;
};

/// The true state of a tick: `"tick": ..., "entities": [[id, type, generation, [values]]]`.
std::string truth(std::uint32_t tick, const World& world) {
  std::string text = "\"tick\": " + std::to_string(tick) + ", \"entities\": [";
  const char* between = "";
  for (const auto& [id, entity] : world.entities()) {
    text += between + ("[" + std::to_string(id)) + ", " + std::to_string(entity.type) + ", " +
            std::to_string(entity.generation) + ", [";
    for (std::size_t i = 0; i < entity.values.size(); ++i) {
      text += (i > 0 ? ", " : "") + std::to_string(entity.values[i]);
    }
    text += "]]";
    between = ", ";
  }
  return text + "]";
}

void follow(ReplicatedWorld& replicated, const World& world, std::uint32_t tick,
            std::map<std::uint32_t, std::uint32_t>& there) {
  replicated.begin(Tick(tick));
  std::vector<std::uint32_t> gone;
  for (const auto& [id, generation] : there) {
    const auto found = world.entities().find(id);
    if (found == world.entities().end() || found->second.generation != generation) {
      gone.push_back(id);
    }
  }
  for (const std::uint32_t id : gone) {
    replicated.despawn(NetworkId{id});
    there.erase(id);
  }
  for (const auto& [id, entity] : world.entities()) {
    if (there.contains(id)) {
      replicated.set(NetworkId{id}, entity.values);
    } else {
      replicated.spawn(NetworkId{id}, {.type = SchemaType{entity.type}}, entity.values);
      there[id] = entity.generation;
    }
  }
}

void print_recording(SnapshotCoder coder) {
  const ReplicationSchema schema = schema_of_world();
  const TypeViews views(schema);
  ReplicatedWorld replicated(schema, views);
  World world(1, schema);
  RecordingWriter recording({.keyframe_ticks = 60, .coder = coder}, schema);
  std::map<std::uint32_t, std::uint32_t> there;
  std::vector<std::string> truths;
  for (std::uint32_t tick = 1; tick <= kTicks; ++tick) {
    if (tick == kMapEnds) {
      static constexpr std::array<std::byte, 2> kMap = {std::byte{1}, std::byte{2}};
      recording.begin_map(kMap);
      world.clear();
      replicated.clear();
      there.clear();
    }
    // Some ticks are skipped, so that the distances between states vary, and some expected ticks
    // are wrong.
    if (tick % 7 == 3) continue;
    world.live(tick);
    follow(replicated, world, tick, there);
    if (tick % 40 == 0) recording.add_event(Tick(tick), {});
    recording.add(replicated);
    truths.push_back(truth(tick, world));
  }
  recording.finish();
  std::printf("{\"recording\": \"%s\"}\n", hex_text(recording.pending()).c_str());
  for (const std::string& text : truths) std::printf("{%s}\n", text.c_str());
}

/// Adds all kinds of partners. Training finds few in a world of random values.
void add_partners(SnapshotModel& model, Random& random) {
  for (TypeModel& type : model.types) {
    std::vector<std::uint16_t> predicted;
    std::vector<std::uint16_t> angles;
    for (const std::uint16_t lane : type.order) {
      LaneModel& code = type.lanes[lane];
      if (slot_count(type.schema.lanes[lane]) != slot_count(LaneSchema{})) continue;
      const auto one_of = [&](const std::vector<std::uint16_t>& lanes) {
        return lanes[random.below(lanes.size())];
      };
      for (std::size_t i = 0; i < kMaxPartners && !angles.empty(); ++i) {
        const auto kind = static_cast<PartnerKind>(random.below(3));
        const std::uint16_t angle = one_of(angles);
        const std::uint16_t other = kind == PartnerKind::turn ? angle : one_of(predicted);
        code.partners[code.partner_count++ % kMaxPartners] = {
            .kind = kind, .lane = other, .angle = angle};
      }
      code.partner_count = std::min<std::uint8_t>(code.partner_count, kMaxPartners);
      for (FeatureWeights& weights : code.weights) {
        for (std::size_t i = kOwnFeatures; i < kMaxFeatures; ++i) {
          weights[i] = static_cast<std::int32_t>(random.below(4001)) - 2000;
        }
      }
      predicted.push_back(lane);
      if (type.schema.lanes[lane].kind == LaneKind::angle) angles.push_back(lane);
    }
  }
}

/// A model that was trained on another world of the same kind.
SnapshotModel trained_model(const ReplicationSchema& schema, const TypeViews& views,
                            SnapshotCoder coder) {
  World world(4, schema);
  std::deque<std::vector<LaneValue>> rows;
  Trace trace;
  trace.types = views.schemas();
  // Traces never reuse an id.
  std::map<std::pair<std::uint32_t, std::uint32_t>, SliceId> ids;
  for (std::uint32_t tick = 1; tick <= kTicks; ++tick) {
    world.live(tick);
    std::vector<TraceEntity>& entities = trace.ticks.emplace_back();
    for (const auto& [id, entity] : world.entities()) {
      const std::size_t lanes = views.view(CodecType{entity.type}).parts.size();
      views.view(CodecType{entity.type}).to_lanes(entity.values, rows.emplace_back(lanes));
      const SliceId next{static_cast<std::uint32_t>(ids.size())};
      const auto added = ids.try_emplace({id, entity.generation}, next);
      entities.push_back({.id = added.first->second,
                          .type = CodecType{entity.type},
                          .values = rows.back().data()});
    }
    std::ranges::sort(entities, {}, &TraceEntity::id);
  }
  std::vector<TrainingTrace> training;
  training.push_back({.trace = &trace, .samples = samples_of(trace, {.ack_ticks = 3})});
  SnapshotModel model = train_model(training);
  train_huffman(model, training);
  if (coder == SnapshotCoder::mix) train_mix(model, training);
  Random random(5);
  add_partners(model, random);
  return model;
}

/// A server whose delivery reports are late or missing. Some datagrams are lost or reordered.
void print_lossy(SnapshotCoder coder, bool is_trained) {
  const ReplicationSchema schema = schema_of_world();
  const TypeViews views(schema);
  const SnapshotModel model = is_trained ? trained_model(schema, views, coder) : views.model({});
  World world(2, schema);
  world.has_wide_generations = true;
  Random random(3);
  SnapshotWriter writer(model, {.coder = coder});
  std::deque<std::vector<LaneValue>> rows;
  std::multimap<std::uint32_t, SnapshotNumber> acknowledgements;
  const std::string file =
      is_trained ? ", \"model\": \"" + hex_text(encode_model(model)) + "\"" : "";
  std::printf("{\"lossy\": %u, \"schema\": \"%s\"%s}\n", static_cast<unsigned>(coder),
              hex_text(encode_schema(schema)).c_str(), file.c_str());
  std::vector<std::byte> memory(4096);
  std::string overtaken;  // Parts that arrive after the parts of the next tick.
  std::uint32_t tick = 0;
  for (std::uint32_t step = 1; step <= kTicks; ++step) {
    // Ticks are irregular, so that the distance between two references differs from the distance to
    // the next snapshot.
    tick += step > 1 && random.below(4) == 0 ? 2U : 1U;
    world.live(tick);
    std::vector<EntityState> states;
    std::string deferred;
    for (const auto& [id, entity] : world.entities()) {
      const std::size_t lanes = views.view(CodecType{entity.type}).parts.size();
      views.view(CodecType{entity.type}).to_lanes(entity.values, rows.emplace_back(lanes));
      // From step 160 on, most entities are deferred, so that entities are coded against old
      // states.
      const bool is_deferred = step > 120 && (random.below(4) == 0 ? step < 160 : step >= 160);
      if (is_deferred) deferred += (deferred.empty() ? "" : ", ") + std::to_string(id);
      states.push_back({.id = SliceId{id},
                        .kind = {.type = CodecType{entity.type}, .generation = entity.generation},
                        .is_deferred = is_deferred,
                        .values = rows.back().data()});
    }
    writer.keep(Tick(tick));
    writer.begin(Tick(tick), states);
    const std::string late = std::exchange(overtaken, {});
    std::string parts;
    while (!writer.is_done()) {
      const std::size_t room = step % 3 == 0 ? 100 + random.below(200) : memory.size();
      const std::string bytes = "\"" + hex_text(writer.write(std::span(memory).first(room))) + "\"";
      const bool is_lost = random.below(5) == 0 || (step > 60 && step < 100);
      const bool is_late = !is_lost && random.below(10) == 0;
      parts += (parts.empty() ? "" : ", ") + (is_lost || is_late ? "null" : bytes);
      if (is_late) overtaken += (overtaken.empty() ? "" : ", ") + bytes;
      if (is_lost || random.below(4) == 0) continue;
      acknowledgements.emplace(step + 2 + random.below(5), writer.last_number());
    }
    while (!acknowledgements.empty() && acknowledgements.begin()->first <= step + 1) {
      writer.acknowledge(acknowledgements.begin()->second);
      acknowledgements.erase(acknowledgements.begin());
    }
    std::printf("{%s, \"deferred\": [%s], \"parts\": [%s], \"late\": [%s]}\n",
                truth(tick, world).c_str(), deferred.c_str(), parts.c_str(), late.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 2 ? argv[1] : "";
  const int coder = argc > 2 ? std::atoi(argv[2]) : -1;
  const bool is_known = what == "recording" || what == "lossy" || what == "trained";
  if (!is_known || coder < 0 || coder > 4) {
    std::cerr << "snapshot_vectors recording|lossy|trained CODER\n";
    return 2;
  }
  if (what == "recording") {
    print_recording(static_cast<SnapshotCoder>(coder));
  } else {
    print_lossy(static_cast<SnapshotCoder>(coder), what == "trained");
  }
  return 0;
}
