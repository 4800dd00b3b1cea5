// Only entities that moved are updated in the grid, so entities that do not move need no work.
// Lists are not sorted, because each search sorts its result.
#include "net/replication/interest.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <iterator>
#include <type_traits>

namespace muster {
namespace {

float squared_distance(const WorldPosition& a, const WorldPosition& b) {
  const float x = a.x - b.x;
  const float y = a.y - b.y;
  const float z = a.z - b.z;
  return x * x + y * y + z * z;
}

/// Cell indices have 32 bits. Positions beyond the last cell belong to the last cell.
std::int32_t cell_index(float at, float size) {
  const float index = std::floor(at / size);
  constexpr float kIndexMax = 1 << 30;
  if (!(index > -kIndexMax)) return -(1 << 30);  // Also for NaN.
  return index < kIndexMax ? static_cast<std::int32_t>(index) : 1 << 30;
}

std::uint64_t cell_at(std::int32_t x, std::int32_t z) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)) << 32U |
         static_cast<std::uint32_t>(z);
}

void sort_unique(std::vector<NetworkId>& ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

/// Merges the sorted `added` into the sorted `ids`, from the back.
void merge_sorted(const std::vector<NetworkId>& added, std::vector<NetworkId>& ids) {
  std::size_t old_end = ids.size();
  ids.resize(ids.size() + added.size());
  std::size_t end = ids.size();
  for (std::size_t i = added.size(); i > 0;) {
    const bool is_old = old_end > 0 && ids[old_end - 1] >= added[i - 1];
    ids[--end] = is_old ? ids[--old_end] : added[--i];
  }
  // An entity may be in the viewer's own list and in the list for all viewers.
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

/// Releases memory of a list that has become much smaller.
template <typename List>
void shrink(List& list) {
  constexpr std::size_t kItemsKept = 64;
  if (list.capacity() <= kItemsKept || list.size() * 4 > list.capacity()) return;
  List smaller;
  smaller.reserve(std::max(2 * list.size(), kItemsKept));
  smaller.assign(list.begin(), list.end());
  list.swap(smaller);
}

}  // namespace

InterestGrid::InterestGrid(const InterestOptions& options, const std::vector<UpdateClass>& classes)
    : options_(options), classes_(classes) {
  for (const UpdateClass& update_class : classes_) {
    radius_max_ = std::max(radius_max_, update_class.radius);
  }
}

void InterestGrid::add_class(const UpdateClass& added) {
  classes_.push_back(added);
  radius_max_ = std::max(radius_max_, added.radius);
}

InterestGrid::Cell InterestGrid::cell_of(const WorldPosition& position) const {
  return cell_at(cell_index(position.x, options_.cell_size),
                 cell_index(position.z, options_.cell_size));
}

InterestGrid::Ids& InterestGrid::ids_of(const Listed& listed) {
  return listed.relevance == Relevance::team ? teams_[listed.team] : custom_;
}

void InterestGrid::list(NetworkId id, const ReplicatedEntity& entity) {
  assert(entity.options.update_class < classes_.size());
  const ReplicatedEntityOptions& options = entity.options;
  Listed listed{.relevance = options.relevance,
                .team = options.team,
                .owner = options.owner,
                .cell = cell_of(options.position)};
  const auto add = [](auto& list, auto&& item) {
    list.push_back(item);
    return static_cast<std::uint32_t>(list.size() - 1);
  };
  switch (listed.relevance) {
    case Relevance::near:
      listed.index =
          add(cells_[listed.cell],
              Near{.id = id, .update_class = options.update_class, .position = options.position});
      break;
    case Relevance::always:
      always_added_.push_back(id);
      break;
    case Relevance::team:
    case Relevance::custom:
      listed.index = add(ids_of(listed), id);
      break;
    case Relevance::owner:
      break;
  }
  if (listed.owner != PlayerId::none) listed.owned_index = add(owned_[listed.owner], id);
  listed_[id] = listed;
}

void InterestGrid::unlist(NetworkId id, const Listed& listed) {
  // Moves the last item to the free index.
  const auto remove = [&](auto& list, std::uint32_t Listed::*index, auto id_of) {
    const std::uint32_t free = listed.*index;
    assert(id_of(list[free]) == id);
    if (free + 1 < list.size()) {
      list[free] = list.back();
      listed_.find(id_of(list[free]))->second.*index = free;
    }
    list.pop_back();
    shrink(list);
  };
  switch (listed.relevance) {
    case Relevance::near:
      remove(cells_[listed.cell], &Listed::index, [](const Near& near) { return near.id; });
      break;
    case Relevance::always:
      always_removed_.push_back(id);
      break;
    case Relevance::team:
    case Relevance::custom:
      remove(ids_of(listed), &Listed::index, std::identity());
      break;
    case Relevance::owner:
      break;
  }
  if (listed.owner != PlayerId::none) {
    remove(owned_[listed.owner], &Listed::owned_index, std::identity());
  }
}

bool InterestGrid::is_listed_as(const Listed& listed, const ReplicatedEntityOptions& now) const {
  return listed.relevance == now.relevance && listed.owner == now.owner &&
         listed.team == now.team && listed.cell == cell_of(now.position);
}

/// Updates an entity that moved inside its cell, or that replaced an entity with the same id.
void InterestGrid::add_to_cell(const ReplicatedEntity& entity, const Listed& listed) {
  Near& near = cells_[listed.cell][listed.index];
  assert(near.id == entity.id);
  near.update_class = entity.options.update_class;
  near.position = entity.options.position;
}

/// Applies the additions and removals of an `update` together. If they were applied one at a time,
/// each would move half of the list on average.
void InterestGrid::merge_always() {
  if (always_added_.empty() && always_removed_.empty()) return;
  std::ranges::sort(always_added_);
  std::ranges::sort(always_removed_);
  next_always_.clear();
  std::ranges::set_difference(always_, always_removed_, std::back_inserter(next_always_));
  // An id in both lists was removed and then added again with another owner.
  always_.clear();
  std::ranges::set_union(next_always_, always_added_, std::back_inserter(always_));
  always_added_.clear();
  always_removed_.clear();
}

/// Drops empty lists if there are many. Some empty lists are kept, because entities may return to
/// their cells.
void InterestGrid::drop_empty_lists() {
  constexpr std::size_t kListsKept = 4096;
  const auto drop = [&](auto& lists) {
    if (lists.size() <= kListsKept + 2 * listed_.size()) return;
    std::erase_if(lists, [](const auto& list) { return list.second.empty(); });
  };
  drop(cells_);
  drop(owned_);
}

void InterestGrid::update(const ReplicatedWorld& world) {
  for (const NetworkId id : world.moves()) {
    const ReplicatedEntity* entity = world.find(id);
    const auto found = listed_.find(id);
    if (entity != nullptr && found != listed_.end() &&
        is_listed_as(found->second, entity->options)) {
      // The position matters only for `Relevance::near`.
      if (found->second.relevance != Relevance::near) continue;
      add_to_cell(*entity, found->second);
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
  merge_always();
  drop_empty_lists();
}

void InterestGrid::add_near(const Viewer& viewer, const Ids& before, Ids& out) const {
  const float reach = radius_max_ * options_.leave_factor;
  const auto consider = [&](const Near& entity) {
    const UpdateClass& update_class = classes_[entity.update_class];
    const float squared = squared_distance(entity.position, viewer.view_position);
    const float enter = update_class.radius * update_class.radius;
    const float leave = enter * options_.leave_factor * options_.leave_factor;
    if (squared <= enter ||
        (squared <= leave && std::binary_search(before.begin(), before.end(), entity.id))) {
      out.push_back(entity.id);
    }
  };
  const std::int32_t first_x = cell_index(viewer.view_position.x - reach, options_.cell_size);
  const std::int32_t last_x = cell_index(viewer.view_position.x + reach, options_.cell_size);
  const std::int32_t first_z = cell_index(viewer.view_position.z - reach, options_.cell_size);
  const std::int32_t last_z = cell_index(viewer.view_position.z + reach, options_.cell_size);
  const auto width = static_cast<std::uint64_t>(std::int64_t{last_x} - first_x + 1);
  const auto depth = static_cast<std::uint64_t>(std::int64_t{last_z} - first_z + 1);
  // If the search covers more cells than exist, it iterates over the existing cells.
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
  if (viewer.has_view_position) add_near(viewer, before, out);
  if (options_.rule != nullptr) out.insert(out.end(), custom_.begin(), custom_.end());
  sort_unique(out);
  merge_sorted(always_, out);
  if (options_.rule == nullptr) return;
  std::erase_if(out, [&](NetworkId id) {
    const ReplicatedEntity* entity = world.find(id);
    return entity == nullptr || !options_.rule->is_relevant(viewer, *entity);
  });
}

std::size_t InterestGrid::memory_bytes() const {
  const auto bytes_of_map = [](const auto& map) {
    using Node = typename std::decay_t<decltype(map)>::value_type;
    return map.size() * (sizeof(Node) + 2 * sizeof(void*)) + map.bucket_count() * sizeof(void*);
  };
  std::size_t bytes = sizeof(*this) + bytes_of_map(listed_) + bytes_of_map(cells_) +
                      bytes_of_map(owned_) + bytes_of_map(teams_);
  for (const auto& [cell, entities] : cells_) bytes += entities.capacity() * sizeof(Near);
  for (const auto& [player, ids] : owned_) bytes += ids.capacity() * sizeof(std::uint32_t);
  for (const auto& [team, ids] : teams_) bytes += ids.capacity() * sizeof(std::uint32_t);
  for (const Ids* ids : {&always_, &always_added_, &always_removed_, &next_always_, &custom_}) {
    bytes += ids->capacity() * sizeof(std::uint32_t);
  }
  return bytes;
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
