// Updates the list of entities of interest and their records before a snapshot is written.
// Unchanged entities cost nothing.
#include <algorithm>
#include <utility>

#include "net/replication/client_view.h"

namespace muster {
namespace {

/// The first state whose id is at least `id`, searched from a near one: changes come in the order
/// of their creation, which is rarely random.
std::vector<EntityState>::iterator find_near(std::vector<EntityState>& states,
                                             std::vector<EntityState>::iterator near,
                                             std::uint32_t id) {
  if (near == states.end() || near->id > id) near = states.begin();
  std::ptrdiff_t step = 1;
  while (states.end() - near > step && near[step].id < id) step *= 2;
  const auto last = states.end() - near > step ? near + step + 1 : states.end();
  return std::ranges::lower_bound(near + step / 2, last, id, {}, &EntityState::id);
}

}  // namespace

const ClientView::Record* ClientView::find_record(std::uint32_t id) const {
  const auto found = std::ranges::lower_bound(records_, id, {}, &Record::id);
  return found != records_.end() && found->id == id ? &*found : nullptr;
}

const ClientView::Record* ClientView::find_record(const EventSubject& entity) const {
  const Record* record = find_record(entity.id);
  return record != nullptr && record->generation == entity.generation ? record : nullptr;
}

ClientView::Record* ClientView::find_record(const EventSubject& entity) {
  const Record* const found = std::as_const(*this).find_record(entity);
  return found == nullptr ? nullptr : &records_[static_cast<std::size_t>(found - records_.data())];
}

/// True when the set of entities of interest, or their views, may have changed.
bool ClientView::refresh_interest(const ReplicatedWorld& world, const InterestGrid& grid) {
  const InterestOptions& interest = options_.interest;
  // Another player sees other views of the same entities.
  const bool is_other_world = !has_interest_ || world_version_ != world.version() ||
                              interest_viewer_.player != viewer.player;
  const bool may_differ = grid_version_ != grid.version() || !(interest_viewer_ == viewer);
  const bool is_due = world.tick() - interest_tick_ >= interest.refresh_ticks;
  // A rule may use data that the grid does not have.
  if (!is_other_world && !(is_due && (may_differ || interest.rule != nullptr))) return false;
  grid.find(world, viewer, interest_, next_interest_);
  checked_count_ += next_interest_.size();
  const bool is_same = !is_other_world && interest_ == next_interest_;
  interest_.swap(next_interest_);
  has_interest_ = true;
  world_version_ = world.version();
  grid_version_ = grid.version();
  interest_viewer_ = viewer;
  interest_tick_ = world.tick();
  return !is_same;
}

/// Applies the changes since the last snapshot; unchanged entities cost nothing. False if those
/// changes are no longer stored.
bool ClientView::apply_changes(const ReplicatedWorld& world) {
  const auto changes = world.changes_since(changes_seen_);
  if (!changes) return false;
  changes_seen_ = world.change_count();
  checked_count_ += deferred_.size() + changes->size();
  for (const std::uint32_t i : deferred_) states_[i].is_deferred = false;
  deferred_.clear();
  auto found = states_.begin();
  for (const std::uint32_t entity : *changes) {
    const std::uint32_t id = options_.views.slice_id(entity, 0);
    found = find_near(states_, found, id);
    if (found == states_.end() || found->id != id) continue;
    const auto first = static_cast<std::uint32_t>(found - states_.begin());
    // A row begins with the first slice's values.
    if (found->values == entities_[first]->row(seen_by(*entities_[first]))) continue;
    const std::size_t slices = options_.views.slice_count(found->kind.type);
    for (std::uint32_t i = first; i < first + slices; ++i) {
      set_values(i);
      changed_.push_back(i);
      activate(i, world.tick());
    }
  }
  return true;
}

/// Sets a state to the current values. The time of the change is known only for whole rows.
void ClientView::set_values(std::uint32_t i) {
  EntityState& state = states_[i];
  const SeenBy who = seen_by(*entities_[i]);
  const TypeView& view = options_.views.view(state.kind.type);
  const bool is_all = options_.views.slice_count(state.kind.type) == 1 && view.slice == 0;
  state.values = entities_[i]->row(who) + view.first_lane;
  state.since = is_all ? entities_[i]->since(who) : kUnknownTick;
}

SeenBy ClientView::seen_by(const ReplicatedEntity& entity) const {
  const bool is_owner = viewer.player != kNoPlayer && entity.options.owner == viewer.player;
  return is_owner ? SeenBy::owner : SeenBy::others;
}

void ClientView::activate(std::uint32_t i, std::uint32_t tick) {
  if (records_[i].waiting_since == 0) {
    records_[i].waiting_since = tick;
    records_[i].outdated_since = tick;
  }
  if (records_[i].is_active) return;
  records_[i].is_active = true;
  active_.push_back(i);
}

/// Updates records and states to the interest. All three are sorted by id, and the slices of an
/// entity are added and removed together.
void ClientView::merge_records(const ReplicatedWorld& world) {
  next_records_.clear();
  states_.clear();
  entities_.clear();
  deferred_.clear();
  active_.clear();
  changed_.clear();
  is_merged_ = true;
  changes_seen_ = world.change_count();
  std::size_t record = 0;
  auto entity = world.entities().begin();
  const auto end = world.entities().end();
  for (const std::uint32_t id : interest_) {
    while (entity != end && entity->id < id) ++entity;
    if (entity == end || entity->id != id) continue;
    const ReplicatedEntity& found = *entity;
    const std::uint16_t first = options_.views.codec_type(found.options.type, seen_by(found));
    for (std::uint32_t slice = 0; slice < options_.views.slice_count(first); ++slice) {
      const std::uint32_t slice_id = options_.views.slice_id(id, slice);
      while (record < records_.size() && records_[record].id < slice_id) ++record;
      const bool is_known = record < records_.size() && records_[record].id == slice_id &&
                            records_[record].generation == found.generation;
      next_records_.push_back(is_known ? records_[record]
                                       : Record{.id = slice_id,
                                                .generation = found.generation,
                                                .since = world.tick(),
                                                .is_first = !has_first_});
      const EntityKind kind{.type = static_cast<std::uint16_t>(first + slice),
                            .generation = found.generation};
      states_.push_back({.id = slice_id, .kind = kind});
      entities_.push_back(&found);
      set_values(static_cast<std::uint32_t>(states_.size() - 1));
      Record& next = next_records_.back();
      next.is_active = false;
      // For the codec another type is another entity, which the client does not have yet.
      if (next.codec_type != kind.type) next.acked_since = kNotAcked;
      next.is_there = next.is_there && next.codec_type == kind.type;
      next.codec_type = kind.type;
      states_.back().may_be_shown = next.may_be_shown;
    }
  }
  records_.swap(next_records_);
  has_first_ = true;
  checked_count_ += records_.size();
  for (std::uint32_t i = 0; i < records_.size(); ++i) {
    if (!is_current(i)) activate(i, world.tick());
  }
}

}  // namespace muster
