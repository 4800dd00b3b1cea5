#include "tests/bench/recording_trace.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "net/replication/recording.h"

namespace muster {
namespace {

/// Snapshots per second, unless the trainer chooses another rate.
constexpr std::uint32_t kSendRate = 20;

/// Records one tick after the other.
class Notes {
 public:
  explicit Notes(Trace& out) : out_(out) {}

  void add_tick(const RecordingReader& reader) {
    std::vector<TraceEntity>& entities = out_.ticks.emplace_back();
    for (const SeenEntity& seen : reader.mirror().reader().entities()) {
      entities.push_back({.id = id_of(seen), .type = seen.kind.type});
      indices_.push_back({.id = entities.back().id, .value = out_.values.size()});
      const std::size_t lanes = reader.views().view(seen.kind.type).parts.size();
      out_.values.insert(out_.values.end(), seen.values, seen.values + lanes);
    }
    const auto first = indices_.end() - static_cast<std::ptrdiff_t>(entities.size());
    std::ranges::sort(entities, {}, &TraceEntity::id);
    std::sort(first, indices_.end(),
              [](const ValueIndex& a, const ValueIndex& b) { return a.id < b.id; });
  }

  /// Replaces the indices of values by pointers, after all values are known.
  void finish() {
    std::size_t next = 0;
    for (std::vector<TraceEntity>& entities : out_.ticks) {
      for (TraceEntity& entity : entities) {
        entity.values = out_.values.data() + indices_[next++].value;
      }
    }
  }

 private:
  struct ValueIndex {
    SliceId id{};
    std::size_t value = 0;
  };

  /// Traces never reuse an id.
  SliceId id_of(const SeenEntity& seen) {
    const auto [found, is_new] = ids_.try_emplace(seen.id, seen.kind, next_id_);
    if (!is_new && found->second.first != seen.kind) found->second = {seen.kind, next_id_};
    if (found->second.second == next_id_) ++next_id_;
    return SliceId{found->second.second};
  }

  Trace& out_;
  std::map<SliceId, std::pair<EntityKind, std::uint32_t>> ids_;
  std::uint32_t next_id_ = 0;
  std::vector<ValueIndex> indices_;
};

}  // namespace

bool is_recording(Bytes bytes) { return as_text(bytes).starts_with("MRR4"); }

Result<Trace> trace_of_recording(Bytes bytes, const std::string& name) {
  std::string error;
  const auto reader = RecordingReader::open(bytes, error);
  if (reader == nullptr) return fail(ErrorCode::malformed, fmt::format("'{}': {}", name, error));
  Trace trace;
  trace.name = name;
  trace.tick_rate = reader->ticks_per_second();
  trace.send_rate = kSendRate;
  trace.types = reader->views().schemas();
  const std::string fault = fault_of_types(trace.types);
  if (!fault.empty()) return fail(ErrorCode::malformed, fmt::format("'{}': {}", name, fault));
  const SnapshotModel model = reader->views().model({});
  for (const TypeModel& type : model.types) {
    std::vector<LaneValue>& initial = trace.initial_values.emplace_back();
    for (const LaneModel& lane : type.lanes) initial.push_back(lane.initial_value);
  }
  Notes notes(trace);
  RecordingStatus status = reader->step();
  for (; status == RecordingStatus::tick; status = reader->step()) {
    notes.add_tick(*reader);
    reader->clear();
  }
  if (status == RecordingStatus::damaged) {
    return fail(ErrorCode::malformed,
                fmt::format("'{}' is damaged after tick {}", name, reader->tick().value()));
  }
  notes.finish();
  return trace;
}

}  // namespace muster
