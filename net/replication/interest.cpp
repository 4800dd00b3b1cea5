// The grid is brought up to date by what moved, so that a world at rest costs nothing. Order inside
// a list means nothing: what is found is sorted.
#include "net/replication/interest.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>

namespace muster {
namespace {

float squared_distance(const Place& a, const Place& b) {
  const float x = a.x - b.x;
  const float y = a.y - b.y;
  const float z = a.z - b.z;
  return x * x + y * y + z * z;
}

/// Cells are counted in 32 bits each way; what lies beyond shares the last.
std::int32_t cell_index(float at, float size) {
  const float index = std::floor(at / size);
  constexpr float kMost = 1 << 30;
  if (!(index > -kMost)) return -(1 << 30);  // Also what is no number.
  return index < kMost ? static_cast<std::int32_t>(index) : 1 << 30;
}

std::uint64_t cell_at(std::int32_t x, std::int32_t z) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)) << 32U |
         static_cast<std::uint32_t>(z);
}

void sort_unique(std::vector<std::uint32_t>& ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

/// Adds sorted ids to sorted ids, from behind.
void merge_sorted(const std::vector<std::uint32_t>& added, std::vector<std::uint32_t>& ids) {
  std::size_t old_end = ids.size();
  ids.resize(ids.size() + added.size());
  std::size_t end = ids.size();
  for (std::size_t i = added.size(); i > 0;) {
    const bool is_old = old_end > 0 && ids[old_end - 1] >= added[i - 1];
    ids[--end] = is_old ? ids[--old_end] : added[--i];
  }
  // One may be of the viewer's own and everybody's.
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace

InterestGrid::InterestGrid(const InterestOptions& options, const std::vector<UpdateClass>& classes)
    : options_(options), classes_(classes) {
  for (const UpdateClass& update_class : classes_) {
    radius_max_ = std::max(radius_max_, update_class.radius);
  }
}

InterestGrid::Cell InterestGrid::cell_of(const Place& place) const {
  return cell_at(cell_index(place.x, options_.cell_size), cell_index(place.z, options_.cell_size));
}

InterestGrid::Ids& InterestGrid::ids_of(const Listed& listed) {
  return listed.relevance == Relevance::team ? teams_[listed.team] : custom_;
}

void InterestGrid::list(std::uint32_t id, const ReplicatedEntity& entity) {
  assert(entity.options.update_class < classes_.size());
  const ReplicatedEntityOptions& options = entity.options;
  const Listed listed{.relevance = options.relevance,
                      .cell = cell_of(options.place),
                      .owner = options.owner,
                      .team = options.team};
  switch (listed.relevance) {
    case Relevance::near:
      cells_[listed.cell].push_back(
          {.id = id, .update_class = options.update_class, .place = options.place});
      break;
    case Relevance::always:
      always_.insert(std::ranges::lower_bound(always_, id), id);
      break;
    case Relevance::team:
    case Relevance::custom:
      ids_of(listed).push_back(id);
      break;
    case Relevance::owner:
      break;
  }
  if (listed.owner != kNobody) owned_[listed.owner].push_back(id);
  listed_[id] = listed;
}

void InterestGrid::unlist(std::uint32_t id, const Listed& listed) {
  const auto remove = [&](auto& list, auto id_of) {
    const auto at = std::ranges::find(list, id, id_of);
    if (at == list.end()) return;
    *at = list.back();
    list.pop_back();
  };
  switch (listed.relevance) {
    case Relevance::near:
      remove(cells_[listed.cell], &Near::id);
      break;
    case Relevance::always:
      always_.erase(std::ranges::lower_bound(always_, id));
      break;
    case Relevance::team:
    case Relevance::custom:
      remove(ids_of(listed), std::identity());
      break;
    case Relevance::owner:
      break;
  }
  if (listed.owner != kNobody) remove(owned_[listed.owner], std::identity());
}

bool InterestGrid::is_listed_as(const Listed& listed, const ReplicatedEntityOptions& now) const {
  return listed.relevance == now.relevance && listed.owner == now.owner &&
         listed.team == now.team && listed.cell == cell_of(now.place);
}

/// An entity that moved inside its cell, or another one that came into its place.
void InterestGrid::place_in_cell(const ReplicatedEntity& entity, Cell cell) {
  const auto at = std::ranges::find(cells_[cell], entity.id, &Near::id);
  at->update_class = entity.options.update_class;
  at->place = entity.options.place;
}

/// Cells that nobody is in any more are kept for whoever comes back, until they are too many.
void InterestGrid::drop_empty_cells() {
  constexpr std::size_t kCellsKept = 4096;
  if (cells_.size() <= kCellsKept + 2 * listed_.size()) return;
  std::erase_if(cells_, [](const auto& cell) { return cell.second.empty(); });
}

void InterestGrid::update(const ReplicatedWorld& world) {
  for (const std::uint32_t id : world.moves()) {
    const ReplicatedEntity* entity = world.find(id);
    const auto found = listed_.find(id);
    if (entity != nullptr && found != listed_.end() &&
        is_listed_as(found->second, entity->options)) {
      // Where others are matters to nobody.
      if (found->second.relevance != Relevance::near) continue;
      place_in_cell(*entity, found->second.cell);
      ++version_;
      continue;
    }
    ++version_;
    if (found != listed_.end()) unlist(id, found->second);
    if (entity != nullptr) {
      list(id, *entity);
    } else if (found != listed_.end()) {
      listed_.erase(found);
    }
  }
  drop_empty_cells();
}

void InterestGrid::add_near(const Viewer& viewer, const Ids& before, Ids& out) const {
  const float reach = radius_max_ * options_.leave_factor;
  const auto consider = [&](const Near& entity) {
    const UpdateClass& update_class = classes_[entity.update_class];
    const float squared = squared_distance(entity.place, viewer.eyes);
    const float enter = update_class.radius * update_class.radius;
    const float leave = enter * options_.leave_factor * options_.leave_factor;
    if (squared <= enter ||
        (squared <= leave && std::binary_search(before.begin(), before.end(), entity.id))) {
      out.push_back(entity.id);
    }
  };
  const std::int32_t first_x = cell_index(viewer.eyes.x - reach, options_.cell_size);
  const std::int32_t last_x = cell_index(viewer.eyes.x + reach, options_.cell_size);
  const std::int32_t first_z = cell_index(viewer.eyes.z - reach, options_.cell_size);
  const std::int32_t last_z = cell_index(viewer.eyes.z + reach, options_.cell_size);
  const auto width = static_cast<std::uint64_t>(std::int64_t{last_x} - first_x + 1);
  const auto depth = static_cast<std::uint64_t>(std::int64_t{last_z} - first_z + 1);
  // Fewer cells have anybody in them than the radius covers: those are gone through instead.
  if (width * depth > cells_.size()) {
    for (const auto& [cell, entities] : cells_) std::ranges::for_each(entities, consider);
    return;
  }
  for (std::int32_t x = first_x; x <= last_x; ++x) {
    for (std::int32_t z = first_z; z <= last_z; ++z) {
      const auto found = cells_.find(cell_at(x, z));
      if (found != cells_.end()) std::ranges::for_each(found->second, consider);
    }
  }
}

void InterestGrid::find(const ReplicatedWorld& world, const Viewer& viewer, const Ids& before,
                        Ids& out) const {
  out.clear();
  const auto add = [&](const auto& lists, const auto& key) {
    const auto found = lists.find(key);
    if (found != lists.end()) out.insert(out.end(), found->second.begin(), found->second.end());
  };
  add(owned_, viewer.player);
  add(teams_, viewer.team);
  if (viewer.has_eyes) add_near(viewer, before, out);
  if (options_.rule != nullptr) out.insert(out.end(), custom_.begin(), custom_.end());
  sort_unique(out);
  merge_sorted(always_, out);
  if (options_.rule == nullptr) return;
  std::erase_if(out, [&](std::uint32_t id) {
    const ReplicatedEntity* entity = world.find(id);
    return entity == nullptr || !options_.rule->is_relevant(viewer, *entity);
  });
}

void InterestGrid::clear() {
  listed_.clear();
  cells_.clear();
  owned_.clear();
  teams_.clear();
  always_.clear();
  custom_.clear();
}

}  // namespace muster
