#include "registry/model/prepare.h"

#include <algorithm>
#include <map>

#include "registry/model/asset_fact_cache.h"
#include "registry/model/entry_values.h"
#include "registry/model/member_fixer.h"
#include "registry/model/presentation_key.h"
#include "registry/model/type_ids.h"

namespace muster {
namespace {

// Plans the changes of all registries of one class.
class ClassPlan {
 public:
  ClassPlan(const Project& project, const ClassDeclaration& declaration, StoredValues& stored)
      : project_(project),
        declaration_(declaration),
        fixer_(project, declaration, stored),
        members_(project, declaration),
        registries_(members_.registries()),
        first_hole_(first_hole(project.index())) {}

  Result<void> run(PreparePlan& plan) {
    if (auto good = check_sides(); !good) return good;
    note_clashes(plan);
    note_used_ids();
    for (const Registry* registry : registries_) {
      const LockFile* file = project_.model().lock_of(registry->asset);
      if (file != nullptr && file->error) {
        return fail(file->error->code, file->path.text() + ":" + std::to_string(file->fault.line) +
                                           ": " + file->error->message);
      }
      locks_.push_back(file == nullptr ? IdLock{} : file->lock);
      for (const IdLock::Row& row : locks_.back().ids) {
        note_used(row.id);
        if (row.guid.is_null()) continue;
        // A removed entry that is added again gets its old id, unless another entry has this id
        // now.
        const Guid key = members_.key_of(row.guid);
        if (!is_held_by_other(row.id, key, registry->targets)) ids_.try_emplace(key, row.id);
      }
    }
    for (std::size_t i = 0; i < registries_.size(); ++i) {
      if (auto planned = plan_registry(*registries_[i], locks_[i], plan); !planned) return planned;
    }
    return {};
  }

 private:
  const AssetPath& path_of(const Registry& registry) const {
    return project_.index().at(registry.asset).path;
  }

  void note_clashes(PreparePlan& plan) const {
    const auto path = [&](AssetNumber asset) { return project_.index().at(asset).path.text(); };
    for (const ProviderClash& clash : members_.clashes()) {
      plan.notes.push_back(path(clash.passed) + ": skipped, because '" + path(clash.kept) +
                           "' already has its prefab " + clash.prefab.to_string() +
                           "; see 'muster validate'");
    }
  }

  void note_used(TypeId id) { next_id_ = std::max(next_id_, id.value() + 1); }

  void note_holder(TypeId id, const Guid& key, TargetSet targets) {
    TargetSet& known = holders_[id][key];
    known = known | targets;
  }

  // True if another member for one of `targets` has the id.
  bool is_held_by_other(TypeId id, const Guid& key, TargetSet targets) const {
    const auto found = holders_.find(id);
    return found != holders_.end() && std::ranges::any_of(found->second, [&](const auto& holder) {
             return holder.first != key && !(holder.second & targets).empty();
           });
  }

  // Adds a row to a lock, unless the guid of the row is null or already has a row.
  static void keep_in(IdLock& lock, const IdLock::Row& row) {
    if (row.guid.is_null() ||
        std::ranges::find(lock.ids, row.guid, &IdLock::Row::guid) != lock.ids.end()) {
      return;
    }
    lock.ids.push_back(row);
  }

  void note_used_ids() {
    next_id_ = declaration_.first_id;
    for (const Registry* registry : registries_) {
      for (const RegistryEntry& entry : registry->entries) {
        note_used(entry.type_id);
        if (entry.is_free || identity_of(entry).is_null()) continue;
        const Guid key = members_.key_of(identity_of(entry));
        ids_.try_emplace(key, entry.type_id);
        note_holder(entry.type_id, key, registry->targets);
      }
      for (const auto& [id, location] : registry->retired) note_used(id);
    }
  }

  // An entry is stale if its asset no longer exists or has lost the required component. An entry
  // with an unreadable asset is not stale.
  bool is_stale(const RegistryEntry& entry) const {
    const Guid identity = identity_of(entry);
    if (project_.is_known_elsewhere(identity)) return false;
    const AssetNumber asset = project_.index().find(identity);
    if (asset == kNoAsset) return first_hole_ == nullptr;
    for (const PrepareRule& rule : declaration_.prepare) {
      if (rule.component.empty()) continue;
      const auto reference =
          std::ranges::find(entry.references, ReferenceRule::Role::prefab, &EntryReference::role);
      if (reference == entry.references.end() || reference->asset != asset) continue;
      if (!is_prefab(project_.sources(), asset)) continue;
      if (project_.prefabs().flatten(asset).is_incomplete) continue;
      if (!members_.has(identity)) return true;
    }
    return false;
  }

  // The first problem that may hide an asset; null if none exists. If such a problem exists, a
  // missing guid does not prove that the asset was deleted.
  static const IndexProblem* first_hole(const AssetIndex& index) {
    for (const IndexProblem& problem : index.problems()) {
      switch (problem.kind) {
        using enum IndexProblem::Kind;
        case malformed_guid:
        case malformed_sidecar:
        case merge_conflict:
        case lfs_pointer:
        case outside_link:
        case unreadable:
          return &problem;
        default:
          break;
      }
    }
    return nullptr;
  }

  void note_doubt(const Registry& registry, const RegistryEntry& entry, PreparePlan& plan) const {
    const Guid identity = identity_of(entry);
    if (first_hole_ == nullptr || identity.is_null() || project_.is_known_elsewhere(identity) ||
        project_.index().find(identity) != kNoAsset) {
      return;
    }
    plan.notes.push_back(path_of(registry).text() + ": entry " +
                         std::to_string(entry.type_id.value()) +
                         " stays although no asset has guid " + identity.to_string() + ": '" +
                         first_hole_->path.text() +
                         "' could not be read, and may contain its guid; see 'muster validate'");
  }

  // Adds a note about a prefab that may lack the component only because a part of the prefab is
  // missing.
  void note_damage(const Registry& registry, const RegistryEntry& entry, PreparePlan& plan) const {
    const AssetNumber asset = project_.index().find(identity_of(entry));
    if (asset == kNoAsset || !is_prefab(project_.sources(), asset)) return;
    if (members_.has(identity_of(entry)) || is_known_packable(project_, asset)) return;
    for (const PrefabProblem& problem : project_.prefabs().flatten(asset).problems) {
      using enum PrefabProblem::Kind;
      if (problem.kind != cut_short && problem.kind != no_root && problem.kind != not_readable) {
        continue;
      }
      plan.remaining.push_back(project_.index().at(asset).path.text() +
                               ": a part of the file is missing, so entry " +
                               std::to_string(entry.type_id.value()) + " of '" +
                               path_of(registry).text() + "' stays; see 'muster validate'");
      return;
    }
  }

  tl::unexpected<Error> refuse_id(const Registry& registry) const {
    return fail(ErrorCode::limit_exceeded,
                path_of(registry).text() + ": " + declaration_.name + " needs a type id above " +
                    std::to_string(TypeId::kMax) + ", which does not fit the wire's 16 bits");
  }

  // Fails if an asset has different ids on client and server, because only the user knows which id
  // is right.
  Result<void> check_sides() const {
    const std::vector<IdDisagreement> found = id_disagreements(members_);
    if (found.empty()) return {};
    const IdDisagreement& first = found.front();
    return fail(ErrorCode::malformed,
                path_of(*first.server).text() + ":" +
                    std::to_string(first.server_entry->location.position.line) + ": " +
                    identity_of(*first.server_entry).to_string() + " has type id " +
                    std::to_string(first.server_entry->type_id.value()) + " here and " +
                    std::to_string(first.client_entry->type_id.value()) + " in '" +
                    path_of(*first.client).text() +
                    "'; make the lists (or ids) of both sides equal first");
  }

  // Fails if an id, an entry or a list of the registry is malformed, because only the user knows
  // the intended value.
  Result<void> check_stated_ids(const Registry& registry) const {
    for (const ModelProblem& problem : project_.model().problems) {
      using enum ModelProblem::Kind;
      if (problem.kind != malformed_type_id && problem.kind != malformed_entry &&
          (problem.kind != unreadable || problem.detail.empty()) &&
          (problem.kind != missing_list || registry.list == yaml::kNoNode)) {
        continue;
      }
      if (problem.location.path != path_of(registry)) continue;
      return fail(ErrorCode::malformed, problem.location.path.text() + ":" +
                                            std::to_string(problem.location.position.line) + ": " +
                                            problem.detail + "; correct it first");
    }
    return {};
  }

  // `before` is the registry's lock file; empty if the registry has no lock file.
  Result<void> plan_registry(const Registry& registry, const IdLock& before, PreparePlan& plan) {
    const SourceFile& source = project_.sources().get(registry.asset);
    const bool plain = source.dialect == yaml::Dialect::plain;
    if (auto good = check_stated_ids(registry); !good) return good;
    fixer_.begin(registry);
    RegistryPlan result;
    result.registry = &registry;
    std::vector<SlotText> slots;
    std::vector<TypeId> retired;
    for (const auto& [id, location] : registry.retired) retired.push_back(id);
    IdLock lock;
    for (const RegistryEntry& entry : registry.entries) {
      SlotText slot;
      slot.type_id = entry.type_id;
      slot.present_slot = entry.slot;
      if (entry.type_id.value() > TypeId::kMax) return refuse_id(registry);
      if (entry.is_free) {
        // If a lock exists, the index of an empty slot is not an id.
        if (before.is_empty()) retired.push_back(entry.type_id);
        if (plain) continue;
        slot.keeps_text = true;
        slots.push_back(slot);
        continue;
      }
      const Guid identity = identity_of(entry);
      if (is_stale(entry)) {
        note_change(result, PrepareChange::Kind::remove, entry.type_id, identity);
        retired.push_back(entry.type_id);
        if (!plain) slots.push_back(slot);
        continue;
      }
      note_doubt(registry, entry, plan);
      note_damage(registry, entry, plan);
      keep_in(lock, {entry.type_id, identity});
      const Candidate* wanted = members_.find(members_.key_of(identity));
      const auto values =
          wanted != nullptr ? std::optional(entry_values(project_, declaration_, *wanted,
                                                         ClassMembers::side_of(registry, *wanted)))
                            : std::nullopt;
      fixer_.fix_listed(entry);
      if (values && is_outdated(declaration_, entry, *values)) {
        note_change(result, PrepareChange::Kind::update, entry.type_id, identity);
        slot.values = values;
      } else {
        slot.keeps_text = true;
        ++result.kept;
      }
      slots.push_back(slot);
    }
    if (auto added = add_new(registry, plain, result, slots, lock, plan); !added) return added;
    if (next_id_ > TypeId::kMax + 1) return refuse_id(registry);
    retire_lost(before, lock, retired);
    return finish(registry, source, std::move(result), slots, retired, lock, plan);
  }

  void note_change(RegistryPlan& result, PrepareChange::Kind kind, TypeId id,
                   const Guid& guid) const {
    const AssetNumber asset = project_.index().find(guid);
    result.changes.push_back(
        {kind, id, guid, asset == kNoAsset ? AssetPath() : project_.index().at(asset).path});
  }

  // Retires the locked ids of assets that are no longer listed.
  void retire_lost(const IdLock& before, const IdLock& now, std::vector<TypeId>& retired) const {
    for (const IdLock::Row& row : before.ids) {
      const auto holder = holders_.find(row.id);
      const bool has_moved =
          holder != holders_.end() && holder->second.contains(members_.key_of(row.guid));
      if (has_moved || std::ranges::find(now.ids, row.id, &IdLock::Row::id) != now.ids.end()) {
        continue;
      }
      retired.push_back(row.id);
    }
  }

  Result<void> add_new(const Registry& registry, bool plain, RegistryPlan& result,
                       std::vector<SlotText>& slots, IdLock& lock, PreparePlan& plan) {
    std::vector<std::pair<TypeId, const Candidate*>> added;
    for (const Candidate* candidate : with_free_keys(registry, plan)) {
      if (!can_be_fixed(registry, *candidate, plan)) continue;
      const auto id = id_for(*candidate, registry);
      if (!id) return fail(id.error());
      added.emplace_back(id.value(), candidate);
    }
    std::ranges::sort(added);
    for (const auto& [id, candidate] : added) {
      // Adds empty slots for candidates of the other side, because Unity's code uses the index as
      // the id.
      const std::size_t index = id.value() - std::min(id.value(), declaration_.first_id);
      while (members_.is_paired() && !plain && slots.size() < index) slots.emplace_back();
      const Guid guid = ClassMembers::side_of(registry, *candidate);
      SlotText slot;
      slot.type_id = id;
      slot.values = entry_values(project_, declaration_, *candidate, guid);
      fixer_.fix_new(*candidate, guid, id);
      note_change(result, PrepareChange::Kind::add, id, guid);
      lock.ids.push_back({id, guid});
      slots.push_back(slot);
    }
    return {};
  }

  bool can_be_fixed(const Registry& registry, const Candidate& candidate, PreparePlan& plan) const {
    const auto obstacles = fixer_.obstacles(candidate, ClassMembers::side_of(registry, candidate));
    for (const std::string& obstacle : obstacles) {
      std::string remains = obstacle + "; it is not registered until then";
      if (std::ranges::find(plan.remaining, remains) != plan.remaining.end()) continue;
      plan.remaining.push_back(std::move(remains));
    }
    return obstacles.empty();
  }

  // The candidates that the registry lacks and whose keys are not in use. Two entries with the same
  // key would stop the build.
  std::vector<const Candidate*> with_free_keys(const Registry& registry, PreparePlan& plan) const {
    std::vector<const Candidate*> lacking = members_.lacking(registry);
    if (declaration_.key_paths.empty()) return lacking;
    std::vector<std::vector<std::string>> keys;
    for (const RegistryEntry& entry : registry.entries) {
      if (entry.is_free) continue;
      keys.push_back(entry.key);
      // A missing value counts as 0, like in the key of a new entry.
      std::ranges::replace(keys.back(), std::string(), std::string("0"));
    }
    std::erase_if(lacking, [&](const Candidate* candidate) {
      const Guid guid = ClassMembers::side_of(registry, *candidate);
      auto key =
          key_of_values(declaration_, entry_values(project_, declaration_, *candidate, guid));
      const bool is_used = std::ranges::any_of(
          keys, [&](const auto& other) { return is_same_key(declaration_.key_paths, key, other); });
      if (is_used) {
        plan.notes.push_back(project_.index().at(candidate->asset).path.text() +
                             ": skipped, because another entry of '" + path_of(registry).text() +
                             "' has the same key");
      }
      keys.push_back(std::move(key));
      return is_used;
    });
    return lacking;
  }

  // True if a registry of the other side lists the candidate with this id.
  bool is_shared(TypeId id, const Guid& key, const Registry& registry) const {
    const auto holder = holders_.find(id);
    if (registry.targets.empty() || holder == holders_.end()) return false;
    const auto targets = holder->second.find(key);
    return targets != holder->second.end() && !targets->second.empty();
  }

  Result<TypeId> id_for(const Candidate& candidate, const Registry& registry) {
    const auto [known, fresh] = ids_.try_emplace(candidate.key);
    const bool is_retired =
        std::ranges::find(registry.retired, known->second, &std::pair<TypeId, Location>::first) !=
        registry.retired.end();
    if (fresh || is_retired || is_held_by_other(known->second, candidate.key, registry.targets)) {
      if (!fresh && is_shared(known->second, candidate.key, registry)) {
        return fail(ErrorCode::malformed,
                    path_of(registry).text() + ": " +
                        ClassMembers::side_of(registry, candidate).to_string() +
                        " belongs in this list with type id " +
                        std::to_string(known->second.value()) +
                        ", which it has on the other side, but on this side another entry has this "
                        "id or the id is retired; first give one of the two entries another id");
      }
      known->second = TypeId(next_id_++);
    }
    note_holder(known->second, candidate.key, registry.targets);
    return known->second;
  }

  Result<void> finish(const Registry& registry, const SourceFile& source, RegistryPlan result,
                      std::vector<SlotText>& slots, std::vector<TypeId>& retired, IdLock& lock,
                      PreparePlan& plan) {
    std::ranges::sort(retired);
    retired.erase(std::unique(retired.begin(), retired.end()), retired.end());
    std::ranges::sort(result.changes, {}, &PrepareChange::type_id);
    const bool plain = source.dialect == yaml::Dialect::plain;
    const bool relies_on_index =
        plain && std::ranges::any_of(registry.entries, [](const RegistryEntry& entry) {
          return !entry.is_free && !entry.explicit_id;
        });
    if (!result.changes.empty() || relies_on_index) {
      auto text =
          rewrite_registry(source, registry, slots, retired, entry_form(project_, registry));
      if (!text) return fail(text.error());
      if (text.value() != as_text(source.bytes)) {
        plan.writes.push_back({source.path, std::move(text).value()});
      }
    }
    if (!plain) {
      lock.registry = project_.index().at(registry.asset).guid;
      lock.retired = retired;
      std::ranges::sort(lock.ids, {}, &IdLock::Row::id);
      write_lock(registry, lock, plan);
    }
    plan.registries.push_back(std::move(result));
    return {};
  }

  void write_lock(const Registry& registry, const IdLock& lock, PreparePlan& plan) const {
    const AssetPath path = lock_path_of(path_of(registry));
    const LockFile* before = project_.model().lock_of(registry.asset);
    if (before != nullptr && before->path != path) plan.removes.push_back(before->path);
    std::string text = format_id_lock(lock);
    ByteVector buffer;
    const auto present = project_.files().read(path, 0, text.size() + 1, buffer);
    if (present && as_text(present.value()) == text) return;
    plan.writes.push_back({path, std::move(text)});
  }

  const Project& project_;
  const ClassDeclaration& declaration_;
  MemberFixer fixer_;
  ClassMembers members_;
  const std::vector<const Registry*>& registries_;
  std::vector<IdLock> locks_;
  std::map<Guid, TypeId> ids_;                           // The id for each key.
  std::map<TypeId, std::map<Guid, TargetSet>> holders_;  // The keys with an id, and their targets.
  std::uint32_t next_id_ = 0;
  const IndexProblem* first_hole_;
};

}  // namespace

Result<PreparePlan> plan_prepare(const Project& project, const Progress& progress) {
  PreparePlan plan;
  StoredValues stored(project);
  progress.begin("looking for members", project.model().classes.size());
  for (const ClassDeclaration& declaration : project.model().classes) {
    if (declaration.has_ids) {
      auto planned = ClassPlan(project, declaration, stored).run(plan);
      if (!planned) return fail(planned.error());
    }
    progress.advance(1, declaration.name);
  }
  // Assets are written before registries, so that an interruption leaves no registered asset with a
  // wrong value.
  std::vector<FileWrite> value_writes = stored.finish_writes();
  plan.writes.insert(plan.writes.begin(), std::make_move_iterator(value_writes.begin()),
                     std::make_move_iterator(value_writes.end()));
  std::ranges::move(stored.drain_remaining(), std::back_inserter(plan.remaining));
  const auto leftovers = project.index().leftovers();
  plan.removes.insert(plan.removes.end(), leftovers.begin(), leftovers.end());
  for (const LockFile& file : project.model().locks) {
    if (file.registry != kNoAsset || file.error) continue;
    if (!file.other.empty() && is_kept_copy(file)) {
      plan.removes.push_back(file.path);
      continue;
    }
    plan.notes.push_back(
        file.path.text() +
        ": belongs to no registry, so its ids are not kept; see 'muster validate'");
  }
  // If registries have swapped names, the path of an old lock can also be the path of a new lock.
  std::erase_if(plan.removes, [&](const AssetPath& path) {
    return std::ranges::find(plan.writes, path, &FileWrite::path) != plan.writes.end();
  });
  return plan;
}

Result<void> apply_prepare(FileSystem& files, const PreparePlan& plan) {
  std::vector<AssetPath> copies;
  for (const FileWrite& write : plan.writes) {
    auto copy = keep_other_lock(files, write.path, write.text);
    if (!copy) return fail(copy.error());
    if (copy.value()) copies.push_back(*copy.value());
  }
  for (const FileWrite& write : plan.writes) {
    if (auto written = write_atomically(files, write.path, as_bytes(write.text)); !written) {
      return written;
    }
  }
  copies.insert(copies.end(), plan.removes.begin(), plan.removes.end());
  for (const AssetPath& path : copies) {
    if (auto removed = files.remove(path); !removed) return removed;
  }
  return {};
}

}  // namespace muster
