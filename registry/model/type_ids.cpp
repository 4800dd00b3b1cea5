#include "registry/model/type_ids.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace muster {
namespace {

// Returns the index of the first entry: 0 or 1. Compares the index of each entry with its stored
// id, and returns the start that gives more equal pairs.
std::uint32_t base_of(const Registry& registry) {
  std::size_t fits_zero = 0;
  std::size_t fits_one = 0;
  for (const RegistryEntry& entry : registry.entries) {
    if (!entry.stored_id) continue;
    const auto slot = static_cast<std::int64_t>(entry.slot);
    fits_zero += *entry.stored_id == slot ? 1U : 0U;
    fits_one += *entry.stored_id == slot + 1 ? 1U : 0U;
  }
  if (fits_zero == fits_one) return registry.declaration->first_id;
  return fits_one > fits_zero ? 1 : 0;
}

// A registry of the class, as its index in the list of `assign_type_ids`.
enum class ClassRegistry : std::size_t {};

// Assigns the ids of one class. A space contains the ids that must be distinct: one space per
// target, and one for each registry without a target.

class ClassIds {
 public:
  explicit ClassIds(const std::vector<RegistryIds>& registries) : registries_(registries) {}

  void assign() {
    for (std::size_t i = 0; i < registries_.size(); ++i) apply_stated(ClassRegistry{i});
    for (std::size_t i = 0; i < registries_.size(); ++i) {
      for (const IdLock::Row& row : registries_[i].lock->ids) {
        if (row.guid.is_null()) continue;
        for (Space* space : spaces_of(ClassRegistry{i})) space->ids.try_emplace(row.guid, row.id);
      }
    }
    for (const Pending& pending : by_slot_) {
      if (is_used(*pending.entry, pending.registry)) {
        open_.push_back(pending);
      } else {
        claim(*pending.entry, pending.registry);
      }
    }
    for (const Pending& pending : open_) give_fresh(*pending.entry, pending.registry);
  }

 private:
  struct Pending {
    RegistryEntry* entry = nullptr;
    ClassRegistry registry{};
  };
  struct Space {
    std::uint32_t next = 0;
    std::map<TypeId, Guid> holders;
    std::map<Guid, TypeId> ids;  // Also contains locked ids of assets that no registry lists.
  };

  const RegistryIds& ids_of(ClassRegistry registry) const {
    return registries_[static_cast<std::size_t>(registry)];
  }

  std::vector<Space*> spaces_of(ClassRegistry registry) {
    const TargetSet targets = ids_of(registry).registry->targets;
    std::vector<Space*> spaces;
    for (const Target target : kTargets) {
      if (targets.has(target)) spaces.push_back(&by_target_[target]);
    }
    if (spaces.empty()) spaces.push_back(&unlisted_[registry]);
    return spaces;
  }

  void note_used(TypeId id, ClassRegistry registry) {
    for (Space* space : spaces_of(registry)) space->next = std::max(space->next, id.value() + 1);
  }

  void claim(const RegistryEntry& entry, ClassRegistry registry) {
    note_used(entry.type_id, registry);
    const Guid identity = identity_of(entry);
    for (Space* space : spaces_of(registry)) {
      space->holders.try_emplace(entry.type_id, identity);
      if (!identity.is_null()) space->ids.try_emplace(identity, entry.type_id);
    }
  }

  // Whether another entry has the id, or the id is retired.
  bool is_used(const RegistryEntry& entry, ClassRegistry registry) {
    const Guid identity = identity_of(entry);
    if (retired_[registry].contains(entry.type_id)) return true;
    return std::ranges::any_of(spaces_of(registry), [&](const Space* space) {
      const auto holder = space->holders.find(entry.type_id);
      return holder != space->holders.end() && holder->second != identity;
    });
  }

  void apply_stated(ClassRegistry number) {
    Registry& registry = *ids_of(number).registry;
    const IdLock& lock = *ids_of(number).lock;
    const std::uint32_t base = base_of(registry);
    std::map<Guid, TypeId> locked;
    for (const IdLock::Row& row : lock.ids) {
      note_used(row.id, number);
      if (!row.guid.is_null()) locked.emplace(row.guid, row.id);
    }
    for (const TypeId id : lock.retired) registry.retired.emplace_back(id, Location{});
    for (const auto& [id, location] : registry.retired) {
      note_used(id, number);
      retired_[number].insert(id);
    }
    for (RegistryEntry& entry : registry.entries) {
      const auto found = locked.find(identity_of(entry));
      entry.type_id = TypeId(static_cast<std::uint32_t>(entry.slot) + base);
      if (entry.is_free && !entry.explicit_id) {
        if (lock.is_empty()) note_used(entry.type_id, number);
      } else if (entry.explicit_id) {
        entry.type_id = TypeId(*entry.explicit_id);
        claim(entry, number);
      } else if (found != locked.end()) {
        entry.type_id = found->second;
        claim(entry, number);
      } else if (lock.is_empty()) {
        by_slot_.push_back({&entry, number});
      } else {
        open_.push_back({&entry, number});
      }
    }
  }

  // Returns the spaces of the registry's targets, and then the space of the other target. The ids
  // must also match in the other target.
  std::vector<Space*> spaces_around(ClassRegistry registry) {
    std::vector<Space*> spaces = spaces_of(registry);
    if (ids_of(registry).registry->targets.empty()) return spaces;
    for (auto& [target, space] : by_target_) {
      if (std::ranges::find(spaces, &space) == spaces.end()) spaces.push_back(&space);
    }
    return spaces;
  }

  // Assigns the id that the next `prepare` will write: the id of the same asset in another
  // registry, or else an id that was never used.
  void give_fresh(RegistryEntry& entry, ClassRegistry registry) {
    const std::vector<Space*> spaces = spaces_around(registry);
    for (const Space* space : spaces) {
      const auto known = space->ids.find(identity_of(entry));
      if (known == space->ids.end()) continue;
      entry.type_id = known->second;
      if (!is_used(entry, registry)) return claim(entry, registry);
    }
    std::uint32_t next = 0;
    for (const Space* space : spaces) next = std::max(next, space->next);
    entry.type_id = TypeId(next);
    claim(entry, registry);
  }

  const std::vector<RegistryIds>& registries_;
  std::map<Target, Space> by_target_;
  std::map<ClassRegistry, Space> unlisted_;
  std::map<ClassRegistry, std::set<TypeId>> retired_;
  std::vector<Pending> by_slot_;
  std::vector<Pending> open_;
};

}  // namespace

Guid identity_of(const RegistryEntry& entry) {
  if (entry.is_free) return {};
  if (!entry.folder.is_null()) return entry.folder;
  if (!entry.definition_guid.is_null() && !entry.is_sub_definition) return entry.definition_guid;
  for (const EntryReference& reference : entry.references) {
    if (!reference.guid.is_null()) return reference.guid;
  }
  return entry.own_guid;
}

void assign_type_ids(const std::vector<RegistryIds>& registries) { ClassIds(registries).assign(); }

}  // namespace muster
