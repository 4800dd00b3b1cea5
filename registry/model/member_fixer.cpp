#include "registry/model/member_fixer.h"

#include <algorithm>

#include "registry/model/entry_values.h"

namespace muster {

// In layout F the ids that assets store have no meaning, so they are not corrected.
void MemberFixer::begin(const Registry& registry) {
  const bool is_plain = project_.sources().get(registry.asset).dialect == yaml::Dialect::plain;
  stores_ids_ = false;
  if (!declaration_.definitions_store_ids || (!is_plain && !is_built_in(declaration_))) return;
  const auto first = std::ranges::find(registry.entries, false, &RegistryEntry::is_free);
  if (first != registry.entries.end()) {
    stores_ids_ = first->own_guid.is_null();
    return;
  }
  const EntryForm form = entry_form(project_, registry);
  stores_ids_ =
      declaration_.own_guid_keys.empty() || is_plain || form.text_references || form.reference_list;
}

void MemberFixer::fix_listed(const RegistryEntry& entry) {
  std::optional<RequiredId> id;
  if (stores_ids_) id = {entry.type_id, true};
  bool has_factory = false;
  for (const EntryReference& reference : entry.references) {
    if (reference.asset == kNoAsset) continue;
    if (reference.role == ReferenceRule::Role::prefab) {
      stored_.require_prefab(declaration_, reference.asset, id);
    } else if (reference.role == ReferenceRule::Role::factory) {
      stored_.require_factory(reference.asset, id);
      has_factory = true;
    }
  }
  const bool is_file = entry.definition != kNoAsset && !entry.is_sub_definition;
  if (!has_factory && (entry.stored_id || (is_file && declaration_.definitions_store_guid))) {
    stored_.require_definition(declaration_, entry.definition, id);
  }
}

void MemberFixer::fix_new(const Candidate& candidate, const Guid& guid, TypeId type_id) {
  wish(stored_, candidate, guid,
       stores_ids_ ? std::optional<RequiredId>({type_id, false}) : std::nullopt);
}

std::vector<std::string> MemberFixer::obstacles(const Candidate& candidate,
                                                const Guid& guid) const {
  StoredValues tried(project_);
  wish(tried, candidate, guid, {});
  return tried.drain_remaining();
}

void MemberFixer::wish(StoredValues& stored, const Candidate& candidate, const Guid& guid,
                       const std::optional<RequiredId>& id) const {
  const AssetNumber asset = candidate.is_provider ? project_.index().find(guid) : candidate.asset;
  if (asset == kNoAsset) return;
  if (candidate.is_provider || !candidate.rule->component.empty()) {
    stored.require_prefab(declaration_, asset, id);
  } else if (candidate.rule->field == "factory") {
    stored.require_factory(asset, id);
  } else {
    stored.require_definition(declaration_, asset, id);
  }
}

}  // namespace muster
