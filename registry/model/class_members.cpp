// A class may have several registries per target. New entries of a target are added to the first
// registry that is built for both targets, so that no new entry is missing on one side. If there is
// no such registry, they are added to the first registry of the target.
#include "registry/model/class_members.h"

#include <algorithm>

#include "registry/model/path_query.h"
#include "registry/model/type_ids.h"

namespace muster {
namespace {

std::string_view last_key(std::string_view path) { return path.substr(path.find_last_of('.') + 1); }

bool are_paired(const ClassDeclaration& declaration,
                const std::vector<const Registry*>& registries) {
  if (declaration.provider_interface.empty() || declaration.prepare.empty()) return false;
  return std::ranges::all_of(registries,
                             [](const Registry* r) { return r->server_flag.has_value(); });
}

}  // namespace

ClassMembers::ClassMembers(const Project& project, const ClassDeclaration& declaration)
    : project_(project), declaration_(declaration) {
  for (const Registry& registry : project.model().registries) {
    if (registry.declaration == &declaration) registries_.push_back(&registry);
  }
  if (registries_.empty()) return;
  is_paired_ = are_paired(declaration, registries_);
  std::set<Guid> handled;
  if (is_paired_) collect_providers(handled);
  for (const Member& member : members_of(project_, declaration_)) {
    const Guid guid = project_.index().at(member.asset).guid;
    if (handled.contains(guid) || !key_of_.emplace(guid, guid).second) continue;
    candidates_.push_back({.key = guid,
                           .client = guid,
                           .server = guid,
                           .rule = member.rule,
                           .asset = member.asset,
                           .is_provider = false});
  }
  for (std::size_t i = 0; i < candidates_.size(); ++i) by_key_.emplace(candidates_[i].key, i);
  collect_listed();
  choose_target_registries();
}

void ClassMembers::collect_providers(std::set<Guid>& handled) {
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
    const Guid key = project_.index().at(member.asset).guid;
    Candidate candidate{.key = key,
                        .client = {},
                        .server = {},
                        .rule = &declaration_.prepare.front(),
                        .asset = member.asset,
                        .is_provider = true};
    bool is_passed = false;
    for (const auto& [field, side] : {std::pair("prefabServer", &Candidate::server),
                                      std::pair("prefabClient", &Candidate::client)}) {
      const Guid guid = guid_at(field);
      if (guid.is_null()) continue;
      handled.insert(guid);
      const auto [owner, fresh] = key_of_.emplace(guid, key);
      if (!fresh && owner->second != key) {
        clashes_.push_back({project_.index().find(owner->second), member.asset, guid});
        is_passed = true;
      }
      const bool exists = project_.index().find(guid) != kNoAsset;
      if (exists || project_.is_known_elsewhere(guid)) candidate.*side = guid;
    }
    if (!is_passed) candidates_.push_back(candidate);
  }
}

// The keys of the candidates that an entry lists.
std::set<Guid> ClassMembers::keys_of(const RegistryEntry& entry) const {
  std::set<Guid> keys;
  if (entry.is_free) return keys;
  keys.insert(key_of(identity_of(entry)));
  for (const EntryReference& reference : entry.references) {
    const bool is_rules = std::ranges::any_of(declaration_.prepare, [&](const PrepareRule& rule) {
      return !rule.field.empty() && last_key(rule.field) == reference.field;
    });
    if (is_rules) keys.insert(key_of(reference.guid));
  }
  return keys;
}

void ClassMembers::collect_listed() {
  for (const Registry* registry : registries_) {
    std::set<Guid>& listed = listed_[registry];
    for (const RegistryEntry& entry : registry->entries) listed.merge(keys_of(entry));
    for (const Guid& key : listed) covered_[key] = covered_[key] | registry->targets;
  }
}

void ClassMembers::choose_target_registries() {
  for (const Target target : {Target::client, Target::server}) {
    const Registry* best = nullptr;
    for (const Registry* registry : registries_) {
      if (!registry->targets.has(target)) continue;
      if (best == nullptr ||
          (registry->targets == TargetSet::both() && best->targets != TargetSet::both())) {
        best = registry;
      }
    }
    target_registries_.emplace_back(target, best);
  }
}

bool ClassMembers::accepts(const Registry& registry, const Candidate& candidate) const {
  if (is_paired_) return true;
  const auto found = covered_.find(candidate.key);
  const bool is_known = found != covered_.end();
  const bool nothing_built = std::ranges::all_of(
      registries_, [](const Registry* other) { return other->targets == TargetSet(); });
  if (nothing_built) return !is_known && &registry == registries_.front();
  return std::ranges::any_of(target_registries_, [&](const auto& chosen) {
    return chosen.second == &registry && !(is_known && found->second.has(chosen.first));
  });
}

std::vector<const Candidate*> ClassMembers::lacking(const Registry& registry) const {
  std::vector<const Candidate*> found;
  const auto listed = listed_.find(&registry);
  for (const Candidate& candidate : candidates_) {
    if (side_of(registry, candidate).is_null()) continue;
    if (listed != listed_.end() && listed->second.contains(candidate.key)) continue;
    if (accepts(registry, candidate)) found.push_back(&candidate);
  }
  return found;
}

Guid ClassMembers::key_of(const Guid& asset) const {
  const auto found = key_of_.find(asset);
  return found == key_of_.end() ? asset : found->second;
}

const Candidate* ClassMembers::find(const Guid& key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : &candidates_[found->second];
}

Guid ClassMembers::side_of(const Registry& registry, const Candidate& candidate) {
  return registry.server_flag.value_or(false) ? candidate.server : candidate.client;
}

std::vector<IdDisagreement> id_disagreements(const ClassMembers& members) {
  using ListedEntry = std::pair<const Registry*, const RegistryEntry*>;
  const auto& registries = members.registries();
  if (registries.empty() || !registries.front()->declaration->key_paths.empty()) return {};
  std::map<Guid, std::map<Target, std::map<TypeId, ListedEntry>>> ids;
  for (const Registry* registry : registries) {
    for (const RegistryEntry& entry : registry->entries) {
      const Guid identity = identity_of(entry);
      if (identity.is_null()) continue;
      for (const Target target : {Target::client, Target::server}) {
        if (!registry->targets.has(target)) continue;
        ids[members.key_of(identity)][target].try_emplace(entry.type_id, registry, &entry);
      }
    }
  }
  std::vector<IdDisagreement> found;
  for (auto& [key, sides] : ids) {
    const auto& client = sides[Target::client];
    const auto& server = sides[Target::server];
    const bool agree = std::ranges::any_of(
        client, [&](const auto& listed) { return server.contains(listed.first); });
    if (agree || client.empty() || server.empty()) continue;
    const ListedEntry& ours = client.begin()->second;
    const ListedEntry& theirs = server.begin()->second;
    found.push_back({ours.first, ours.second, theirs.first, theirs.second});
  }
  return found;
}

}  // namespace muster
