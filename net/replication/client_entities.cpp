// Three lists have one entry per slice, in the same order: the client's data about the slice
// (`entities_`), the current values (`states_`) and the entity of the world (`sources_`). If only
// values change, entries are updated. If the interest changes, the old entries are merged into new
// lists.
#include "net/replication/client_entities.h"

#include <algorithm>
#include <utility>

namespace muster {
namespace {

/// Returns the first state whose id is at least `id`. The search begins at `near`, the state that
/// was found last, because successive changes often belong to neighbouring entities.
std::vector<EntityState>::iterator find_near(std::vector<EntityState>& states,
                                             std::vector<EntityState>::iterator near, SliceId id) {
  if (near == states.end() || near->id > id) near = states.begin();
  std::ptrdiff_t step = 1;
  while (states.end() - near > step && near[step].id < id) step *= 2;
  const auto last = states.end() - near > step ? near + step + 1 : states.end();
  return std::ranges::lower_bound(near + step / 2, last, id, {}, &EntityState::id);
}

}  // namespace

void ClientEntities::clear() {
  interest_.clear();
  has_interest_ = false;
  has_first_ = false;
  entities_.clear();
  checked_count_ = 0;
}

void ClientEntities::forget_all(Tick tick) {
  for (std::size_t i = 0; i < entities_.size(); ++i) {
    entities_[i].acked_since = ClientEntity::kNotAcked;
    entities_[i].sent_at = {};
    entities_[i].was_sent = false;
    entities_[i].is_confirmed = false;
    activate(i, tick);
  }
}

void ClientEntities::forget(const EventSubject& slice, Tick tick) {
  ClientEntity* const found = find(slice);
  if (found == nullptr) return;
  // Confirmed later states may depend on the lost state.
  found->acked_since = ClientEntity::kNotAcked;
  found->sent_at = {};
  found->is_confirmed = false;
  activate(index_of(*found), tick);
}

void ClientEntities::update(const ReplicatedWorld& world, const InterestGrid& grid,
                            const Viewer& viewer, bool is_comparable) {
  const bool is_other = refresh_interest(world, grid, viewer);
  if (is_other || !is_comparable || !apply_changes(world)) merge(world);
  // If a client receives almost no snapshots, `changed_` may become longer than the list of
  // entities.
  if (is_replaced_ || changed_.size() > states_.size()) {
    changed_.clear();
    is_replaced_ = true;
  }
}

const ClientEntity* ClientEntities::find(SliceId slice) const {
  const auto found = std::ranges::lower_bound(entities_, slice, {}, &ClientEntity::id);
  return found != entities_.end() && found->id == slice ? &*found : nullptr;
}

const ClientEntity* ClientEntities::find(const EventSubject& slice) const {
  const ClientEntity* const found = find(slice.id);
  return found != nullptr && found->generation == slice.generation ? found : nullptr;
}

ClientEntity* ClientEntities::find(const EventSubject& slice) {
  const ClientEntity* const found = std::as_const(*this).find(slice);
  return found == nullptr ? nullptr : &entities_[index_of(*found)];
}

std::span<const ClientEntity> ClientEntities::slices_of(const ClientEntity& first) const {
  return std::span(entities_).subspan(index_of(first), views_->slice_count(first.codec_type));
}

bool ClientEntities::is_complete(const ClientEntity& first) const {
  return std::ranges::all_of(slices_of(first), &ClientEntity::is_confirmed);
}

Tick ClientEntities::row_since(std::size_t i) const {
  return sources_[i]->since(seen_by(*sources_[i]));
}

bool ClientEntities::is_unfit(std::size_t i, std::size_t room_bytes) const {
  const ClientEntity& entity = entities_[i];
  return entity.unfit_bytes != 0 && entity.unfit_bytes >= room_bytes &&
         entity.unfit_since == row_since(i) && entity.unfit_type == states_[i].kind.type;
}

bool ClientEntities::is_certain_in(const SnapshotWriter& writer, std::size_t i,
                                   const IdRange& range) const {
  const SliceId id = entities_[i].id;
  return id >= range.first_id && id < range.end_id && !states_[i].is_deferred &&
         !writer.passes_over(id);
}

void ClientEntities::drop_confirmed() {
  checked_count_ += active_.size();
  std::erase_if(active_, [&](std::uint32_t i) {
    entities_[i].is_active = !is_current(i);
    if (!entities_[i].is_active) entities_[i].waiting_since = {};
    return !entities_[i].is_active;
  });
}

void ClientEntities::defer(std::size_t i) {
  states_[i].is_deferred = true;
  deferred_.push_back(static_cast<std::uint32_t>(i));
}

void ClientEntities::clear_changes() {
  is_replaced_ = false;
  changed_.clear();
}

/// Returns true if the set of entities of interest, or the views of these entities, may have
/// changed.
bool ClientEntities::refresh_interest(const ReplicatedWorld& world, const InterestGrid& grid,
                                      const Viewer& viewer) {
  const InterestOptions& interest = *interest_options_;
  // If the client now belongs to another player, the client receives other views of the same
  // entities.
  const bool is_other_world =
      !has_interest_ || world_version_ != world.version() || viewer_.player != viewer.player;
  const bool may_differ = grid_version_ != grid.version() || !(viewer_ == viewer);
  const bool is_due = world.tick() - interest_tick_ >= interest.refresh_ticks;
  // A rule may use data that the grid does not have.
  if (!is_other_world && !(is_due && (may_differ || interest.rule != nullptr))) return false;
  grid.find(world, viewer, interest_, next_interest_);
  checked_count_ += next_interest_.size();
  const bool is_unchanged = !is_other_world && interest_ == next_interest_;
  interest_.swap(next_interest_);
  has_interest_ = true;
  world_version_ = world.version();
  grid_version_ = grid.version();
  viewer_ = viewer;
  interest_tick_ = world.tick();
  return !is_unchanged;
}

/// Applies the changes since the last update. Unchanged entities need no work. Returns false if the
/// world no longer stores these changes.
bool ClientEntities::apply_changes(const ReplicatedWorld& world) {
  const auto changes = world.changes_since(changes_seen_);
  if (!changes) return false;
  changes_seen_ = world.change_count();
  checked_count_ += deferred_.size() + changes->size();
  for (const std::uint32_t i : deferred_) states_[i].is_deferred = false;
  deferred_.clear();
  auto found = states_.begin();
  for (const NetworkId entity : *changes) {
    const SliceId id = views_->slice_id(entity, kFirstSlice);
    found = find_near(states_, found, id);
    if (found == states_.end() || found->id != id) continue;
    const auto first = static_cast<std::size_t>(found - states_.begin());
    // A row begins with the first slice's values.
    if (found->values == sources_[first]->row(seen_by(*sources_[first]))) continue;
    const std::size_t slices = views_->slice_count(found->kind.type);
    for (std::size_t i = first; i < first + slices; ++i) {
      set_values(i);
      changed_.push_back(static_cast<std::uint32_t>(i));
      activate(i, world.tick());
    }
  }
  return true;
}

/// Sets a state to the current values. The tick of the change is known only for whole rows, not for
/// slices.
void ClientEntities::set_values(std::size_t i) {
  EntityState& state = states_[i];
  const SeenBy audience = seen_by(*sources_[i]);
  const TypeView& view = views_->view(state.kind.type);
  const bool is_all = views_->slice_count(state.kind.type) == 1 && view.slice == kFirstSlice;
  state.values = sources_[i]->row(audience) + view.first_lane;
  state.since = is_all ? sources_[i]->since(audience) : kUnknownTick;
}

SeenBy ClientEntities::seen_by(const ReplicatedEntity& entity) const {
  const bool is_owner = viewer_.player != PlayerId::none && entity.options.owner == viewer_.player;
  return is_owner ? SeenBy::owner : SeenBy::others;
}

void ClientEntities::activate(std::size_t i, Tick tick) {
  ClientEntity& entity = entities_[i];
  if (entity.waiting_since == Tick()) {
    entity.waiting_since = tick;
    entity.outdated_since = tick;
  }
  if (entity.is_active) return;
  entity.is_active = true;
  active_.push_back(static_cast<std::uint32_t>(i));
}

/// Replaces the lists by new lists of the entities of interest. The slices of an entity are added
/// and removed together.
void ClientEntities::merge(const ReplicatedWorld& world) {
  next_entities_.clear();
  states_.clear();
  sources_.clear();
  deferred_.clear();
  active_.clear();
  changed_.clear();
  is_replaced_ = true;
  changes_seen_ = world.change_count();
  std::size_t before = 0;
  auto source = world.entities().begin();
  const auto end = world.entities().end();
  for (const NetworkId id : interest_) {
    while (source != end && source->id < id) ++source;
    if (source == end || source->id != id) continue;
    const CodecType first = views_->codec_type(source->options.type, seen_by(*source));
    for (std::uint32_t i = 0; i < views_->slice_count(first); ++i) {
      const SliceIndex slice{i};
      const SliceId slice_id = views_->slice_id(id, slice);
      while (before < entities_.size() && entities_[before].id < slice_id) ++before;
      const bool is_known = before < entities_.size() && entities_[before].id == slice_id &&
                            entities_[before].generation == source->generation;
      const EntityKind kind{.type = TypeViews::slice_type(first, slice),
                            .generation = source->generation};
      add_slice(*source, kind, slice_id,
                is_known ? entities_[before]
                         : ClientEntity{.id = slice_id,
                                        .generation = source->generation,
                                        .since = world.tick(),
                                        .is_first = !has_first_});
    }
  }
  entities_.swap(next_entities_);
  has_first_ = true;
  checked_count_ += entities_.size();
  for (std::size_t i = 0; i < entities_.size(); ++i) {
    if (!is_current(i)) activate(i, world.tick());
  }
}

/// Adds a slice at the end of the lists. `before` is the slice's entry from the last update, or a
/// new entry.
void ClientEntities::add_slice(const ReplicatedEntity& source, EntityKind kind, SliceId id,
                               const ClientEntity& before) {
  states_.push_back({.id = id, .kind = kind});
  sources_.push_back(&source);
  set_values(states_.size() - 1);
  ClientEntity& next = next_entities_.emplace_back(before);
  next.is_active = false;
  // If the codec type of an entity changes, the codec treats the entity as another entity, which
  // the client does not have yet.
  if (next.codec_type != kind.type) next.acked_since = ClientEntity::kNotAcked;
  next.is_confirmed = next.is_confirmed && next.codec_type == kind.type;
  next.codec_type = kind.type;
  states_.back().may_be_shown = next.may_be_shown;
}

std::size_t ClientEntities::memory_bytes() const {
  return (entities_.capacity() + next_entities_.capacity()) * sizeof(ClientEntity) +
         states_.capacity() * sizeof(EntityState) + sources_.capacity() * sizeof(void*) +
         (interest_.capacity() + next_interest_.capacity() + active_.capacity() +
          deferred_.capacity() + changed_.capacity()) *
             sizeof(std::uint32_t);
}

}  // namespace muster
