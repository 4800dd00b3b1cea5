#include "registry/registries/prepare.h"

#include <algorithm>
#include <map>
#include <set>

#include "registry/registries/membership.h"
#include "registry/registries/path_query.h"
#include "registry/registries/registry_writer.h"
#include "registry/registries/type_ids.h"

namespace muster {
namespace {

// A logical thing that has an id: an asset, or a provider with one prefab per side.
struct Wanted {
  Guid key;
  Guid client;  // what a client registry lists for it
  Guid server;
  const PrepareRule* rule = nullptr;
  AssetNumber component_of = kNoAsset;  // the prefab whose component gives owner and numbers
};

// All registries of one class, filled together.
class ClassPlan {
 public:
  ClassPlan(const Project& project, const ClassDeclaration& declaration,
            std::vector<const Registry*> registries)
      : project_(project),
        declaration_(declaration),
        registries_(std::move(registries)),
        first_hole_(first_hole(project.index())) {}

  Result<void> run(PreparePlan& plan) {
    collect_wanted();
    note_used_ids();
    for (const Registry* registry : registries_) {
      auto lock = load_id_lock(project_.files(), path_of(*registry));
      if (!lock) return fail(lock.error());
      for (const IdLock::Row& row : lock.value().ids) {
        note_used(row.id);
        // An entry that somebody took out and that has to come back means what it meant.
        ids_.try_emplace(key_of(row.guid), row.id);
      }
      locks_.push_back(std::move(lock).value());
    }
    choose_takers();
    for (std::size_t i = 0; i < registries_.size(); ++i) {
      if (auto planned = plan_registry(i, plan); !planned) return planned;
    }
    return {};
  }

 private:
  const AssetPath& path_of(const Registry& registry) const {
    return project_.index().at(registry.asset).path;
  }

  // The oldest layout's providers stand for two prefabs, one per side.
  bool is_paired() const {
    if (declaration_.provider_interface.empty() || declaration_.prepare.empty()) return false;
    return std::ranges::all_of(registries_,
                               [](const Registry* r) { return r->server_flag.has_value(); });
  }

  void collect_wanted() {
    std::set<Guid> handled;
    if (is_paired()) add_providers(handled);
    for (const Member& member : members_of(project_, declaration_)) {
      const Guid guid = project_.index().at(member.asset).guid;
      if (handled.contains(guid)) continue;
      wanted_.push_back({guid, guid, guid, member.rule, member.asset});
      key_of_.emplace(guid, guid);
    }
  }

  void add_providers(std::set<Guid>& handled) {
    PrepareRule rule;
    rule.assets_of_class = declaration_.provider_interface;
    ClassDeclaration providers;
    providers.prepare = {rule};
    std::vector<ModelProblem> ignored;
    PathQuery query(project_.sources(), ignored);
    for (const Member& member : members_of(project_, providers)) {
      const SourceFile& source = project_.sources().get(member.asset);
      const SourceNode fields{&source, source.fields_of(source.document_of(0))};
      const auto guid_at = [&](std::string_view key) {
        const SourceNode node = query.find_one(fields, key);
        const auto reference = node.exists() ? any_reference_at(node) : Result<AnyReference>();
        return node.exists() && reference ? reference.value().guid : Guid();
      };
      Wanted entry;
      entry.key = project_.index().at(member.asset).guid;
      entry.server = guid_at("prefabServer");
      entry.client = guid_at("prefabClient");
      entry.rule = &declaration_.prepare.front();
      for (const Guid& guid : {entry.server, entry.client}) {
        if (guid.is_null()) continue;
        handled.insert(guid);
        key_of_.emplace(guid, entry.key);
      }
      wanted_.push_back(entry);
    }
  }

  void note_used(TypeId id) { next_id_ = std::max(next_id_, id.value() + 1); }

  void note_used_ids() {
    next_id_ = declaration_.first_id;
    for (const Registry* registry : registries_) {
      for (const RegistryEntry& entry : registry->entries) {
        note_used(entry.type_id);
        if (entry.is_free) continue;
        const Guid key = key_of(identity_of(entry));
        ids_.try_emplace(key, entry.type_id);
        covered_[key] = covered_[key] | registry->targets;
      }
      for (const auto& [id, location] : registry->retired) note_used(id);
    }
  }

  Guid key_of(const Guid& identity) const {
    const auto found = key_of_.find(identity);
    return found == key_of_.end() ? identity : found->second;
  }

  // An entry goes when its asset is gone, or (where a component is required) has lost it. An asset
  // that cannot be read at the moment is no reason.
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
      if (!key_of_.contains(identity)) return true;
    }
    return false;
  }

  EntryValues values_for(const Wanted& wanted, const Guid& guid) const {
    EntryValues values;
    values.asset = guid;
    values.rule = wanted.rule;
    if (wanted.component_of == kNoAsset || wanted.rule->required_reference.empty()) return values;
    const SourceComponent* component =
        root_component(project_, wanted.component_of, wanted.rule->component);
    if (component == nullptr) return values;
    values.owner = component->weak_reference(wanted.rule->required_reference).value_or(Guid());
    for (const EntryField& field : declaration_.entry_template) {
      if (field.kind != EntryField::Kind::copied_number) continue;
      values.numbers.emplace_back(field.key, component->scalar(field.key).value_or("0"));
    }
    return values;
  }

  // True when the entry's copied data (owner, numbers) no longer match the asset.
  bool is_outdated(const RegistryEntry& entry, const EntryValues& values) const {
    if (values.numbers.empty()) return false;
    if (entry.owner != values.owner) return true;
    for (std::size_t i = 0; i < declaration_.key_paths.size(); ++i) {
      for (const auto& [key, number] : values.numbers) {
        const std::string stored = entry.key[i].empty() ? "0" : entry.key[i];
        if (key == declaration_.key_paths[i] && stored != number) return true;
      }
    }
    return false;
  }

  const Wanted* find_wanted(const Guid& key) const {
    const auto found = std::ranges::find(wanted_, key, &Wanted::key);
    return found == wanted_.end() ? nullptr : &*found;
  }

  Guid side_of(const Registry& registry, const Wanted& wanted) const {
    return registry.server_flag.value_or(false) ? wanted.server : wanted.client;
  }

  // What may hide an asset: while there is such a file, a guid that nothing has proves nothing.
  static const IndexProblem* first_hole(const AssetIndex& index) {
    for (const IndexProblem& problem : index.problems()) {
      switch (problem.kind) {
        using enum IndexProblem::Kind;
        case malformed_guid:
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
                         std::to_string(entry.type_id.value()) + " stays although nothing has " +
                         identity.to_string() + ": '" + first_hole_->path.text() +
                         "' could not be read and may hide it; see 'muster validate'");
  }

  tl::unexpected<Error> refuse_id(const Registry& registry) const {
    return fail(ErrorCode::limit_exceeded,
                path_of(registry).text() + ": " + declaration_.name + " needs a type id above " +
                    std::to_string(TypeId::kMax) + ", which does not fit the wire's 16 bits");
  }

  Result<void> plan_registry(std::size_t number, PreparePlan& plan) {
    const Registry& registry = *registries_[number];
    const SourceFile& source = project_.sources().get(registry.asset);
    const bool plain = source.dialect == yaml::Dialect::plain;
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
        // Where ids are locked, the place of an empty slot says nothing.
        if (locks_[number].is_empty()) retired.push_back(entry.type_id);
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
      lock.ids.push_back({entry.type_id, identity});
      const Wanted* wanted = find_wanted(key_of(identity));
      const auto values = wanted != nullptr
                              ? std::optional(values_for(*wanted, side_of(registry, *wanted)))
                              : std::nullopt;
      if (values && is_outdated(entry, *values)) {
        note_change(result, PrepareChange::Kind::update, entry.type_id, identity);
        slot.values = values;
      } else {
        slot.keeps_text = true;
        ++result.kept;
      }
      slots.push_back(slot);
    }
    add_new(registry, result, slots, lock);
    if (next_id_ > TypeId::kMax + 1) return refuse_id(registry);
    retire_lost(locks_[number], lock, retired);
    return finish(registry, source, std::move(result), slots, retired, lock, plan);
  }

  void note_change(RegistryPlan& result, PrepareChange::Kind kind, TypeId id,
                   const Guid& guid) const {
    const AssetNumber asset = project_.index().find(guid);
    result.changes.push_back(
        {kind, id, guid, asset == kNoAsset ? AssetPath() : project_.index().at(asset).path});
  }

  // What the lock promised to an asset that is no longer listed means nothing else ever again.
  static void retire_lost(const IdLock& before, const IdLock& now, std::vector<TypeId>& retired) {
    for (const IdLock::Row& row : before.ids) {
      if (std::ranges::find(now.ids, row.id, &IdLock::Row::id) == now.ids.end()) {
        retired.push_back(row.id);
      }
    }
  }

  // Several registries of a class may share a target, or each build for one: per target, the first
  // that builds for most targets takes what is new, so that nothing new is missing on one side.
  void choose_takers() {
    for (const Target target : {Target::client, Target::server}) {
      const Registry* best = nullptr;
      for (const Registry* registry : registries_) {
        if (!registry->targets.has(target)) continue;
        if (best == nullptr ||
            (registry->targets == TargetSet::both() && best->targets != TargetSet::both())) {
          best = registry;
        }
      }
      takers_.emplace_back(target, best);
    }
  }

  bool takes(const Registry& registry, const Guid& key) const {
    if (is_paired()) return true;
    const auto found = covered_.find(key);
    const bool is_listed = found != covered_.end();
    const bool nothing_built = std::ranges::all_of(
        registries_, [](const Registry* other) { return other->targets == TargetSet(); });
    if (nothing_built) return !is_listed && &registry == registries_.front();
    return std::ranges::any_of(takers_, [&](const auto& taker) {
      return taker.second == &registry && !(is_listed && found->second.has(taker.first));
    });
  }

  void add_new(const Registry& registry, RegistryPlan& result, std::vector<SlotText>& slots,
               IdLock& lock) {
    for (const Wanted& wanted : wanted_) {
      const Guid guid = side_of(registry, wanted);
      const bool here = std::ranges::any_of(registry.entries, [&](const RegistryEntry& entry) {
        return !entry.is_free && key_of(identity_of(entry)) == wanted.key;
      });
      if (here) continue;
      if (!takes(registry, wanted.key)) continue;
      const auto known = ids_.find(wanted.key);
      TypeId id;
      if (known != ids_.end()) {
        id = known->second;
      } else {
        id = TypeId(next_id_++);
        ids_.emplace(wanted.key, id);
      }
      SlotText slot;
      slot.type_id = id;
      if (!guid.is_null()) {
        slot.values = values_for(wanted, guid);
        note_change(result, PrepareChange::Kind::add, id, guid);
        lock.ids.push_back({id, guid});
      }
      slots.push_back(slot);
    }
  }

  Result<void> finish(const Registry& registry, const SourceFile& source, RegistryPlan result,
                      std::vector<SlotText>& slots, std::vector<TypeId>& retired, IdLock& lock,
                      PreparePlan& plan) {
    std::ranges::sort(retired);
    retired.erase(std::unique(retired.begin(), retired.end()), retired.end());
    std::ranges::sort(result.changes, {}, &PrepareChange::type_id);
    const bool plain = source.dialect == yaml::Dialect::plain;
    const bool relies_on_place =
        plain && std::ranges::any_of(registry.entries, [](const RegistryEntry& entry) {
          return !entry.is_free && !entry.explicit_id;
        });
    if (!result.changes.empty() || relies_on_place) {
      auto text = rewrite_registry(source, registry, slots, retired, form_of(registry));
      if (!text) return fail(text.error());
      if (text.value() != as_text(source.bytes)) {
        plan.writes.push_back({source.path, std::move(text).value()});
      }
    }
    if (!plain) {
      lock.retired = retired;
      std::ranges::sort(lock.ids, {}, &IdLock::Row::id);
      write_lock(registry, lock, plan);
    }
    plan.registries.push_back(std::move(result));
    return {};
  }

  // The layout of an empty registry shows in its script's base class, and in how the rest of the
  // project spells weak references.
  EntryForm form_of(const Registry& registry) const {
    EntryForm form;
    form.reference_list =
        project_.scripts().derives_from(declaration_.name, "ScriptableObjectRegistry");
    bool has_text = false;
    bool has_words = false;
    for (const ReferenceEdge& edge : project_.graph().edges()) {
      if (edge.in_meta) continue;
      has_text = has_text || edge.kind == yaml::MentionKind::textual;
      has_words = has_words || edge.kind == yaml::MentionKind::words;
    }
    form.text_references = registry.server_flag.has_value() || (has_text && !has_words);
    return form;
  }

  void write_lock(const Registry& registry, const IdLock& lock, PreparePlan& plan) const {
    const AssetPath path = lock_path_of(path_of(registry));
    std::string text = format_id_lock(lock);
    ByteVector buffer;
    const auto present = project_.files().read(path, 0, text.size() + 1, buffer);
    if (present && as_text(present.value()) == text) return;
    plan.writes.push_back({path, std::move(text)});
  }

  const Project& project_;
  const ClassDeclaration& declaration_;
  std::vector<const Registry*> registries_;
  std::vector<IdLock> locks_;
  std::vector<Wanted> wanted_;
  std::map<Guid, Guid> key_of_;
  std::map<Guid, TypeId> ids_;
  std::map<Guid, TargetSet> covered_;  // by the registries that list it already
  std::vector<std::pair<Target, const Registry*>> takers_;
  std::uint32_t next_id_ = 0;
  const IndexProblem* first_hole_;
};

}  // namespace

Result<PreparePlan> plan_prepare(const Project& project) {
  PreparePlan plan;
  for (const ClassDeclaration& declaration : project.model().classes) {
    std::vector<const Registry*> registries;
    for (const Registry& registry : project.model().registries) {
      if (registry.declaration == &declaration) registries.push_back(&registry);
    }
    if (registries.empty()) continue;
    auto planned = ClassPlan(project, declaration, std::move(registries)).run(plan);
    if (!planned) return fail(planned.error());
  }
  return plan;
}

Result<void> apply_prepare(FileSystem& files, const PreparePlan& plan) {
  for (const FileWrite& write : plan.writes) {
    if (auto written = write_atomically(files, write.path, as_bytes(write.text)); !written) {
      return written;
    }
  }
  return {};
}

}  // namespace muster
