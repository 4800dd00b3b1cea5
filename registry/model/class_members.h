// Which things belong into the registries of one class, and which registry lacks which.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "registry/model/membership.h"

namespace muster {

/// A logical thing that has one type id: an asset, or a provider with one prefab per side.
struct Candidate {
  Guid key;     ///< The guid of the asset or provider.
  Guid client;  ///< What a client registry lists for it; null when nothing.
  Guid server;
  const PrepareRule* rule = nullptr;
  AssetNumber asset = kNoAsset;  ///< The asset or provider.
  bool is_provider = false;
};

/// Two providers that stand for one prefab, so that nobody can say which id the prefab has.
struct ProviderClash {
  AssetNumber kept = kNoAsset;    ///< The one that counts.
  AssetNumber passed = kNoAsset;  ///< The other, which is not registered.
  Guid prefab;
};

/// The candidates of one class, and what its registries lack of them: the one truth of `prepare`,
/// which adds it, and of the rule `unregistered-prefab`, which tells it. Refers to the project.
class ClassMembers {
 public:
  ClassMembers(const Project& project, const ClassDeclaration& declaration);

  /// The registries of the class, sorted by path.
  const std::vector<const Registry*>& registries() const { return registries_; }
  /// Providers first, then rule by rule; sorted by path within a rule.
  const std::vector<Candidate>& candidates() const { return candidates_; }
  const std::vector<ProviderClash>& clashes() const { return clashes_; }
  /// True when the registries are the client's and the server's of the oldest layout, filled
  /// together so that one candidate has one id on both sides.
  bool is_paired() const { return is_paired_; }

  /// The key of the candidate that an asset belongs to; its own guid when it belongs to none.
  Guid key_of(const Guid& asset) const;
  /// True when the asset is a candidate, or one side of one.
  bool has(const Guid& asset) const { return key_of_.contains(asset); }
  /// The candidate with this key, or null.
  const Candidate* find(const Guid& key) const;
  /// What a registry lists for a candidate; null when nothing that exists.
  static Guid side_of(const Registry& registry, const Candidate& candidate);

  /// What `prepare` adds to a registry, in the order of `candidates`.
  std::vector<const Candidate*> lacking(const Registry& registry) const;
  /// True when any registry of the class lists the candidate.
  bool is_listed(const Candidate& candidate) const { return covered_.contains(candidate.key); }

 private:
  void collect_providers(std::set<Guid>& handled);
  void collect_listed();
  void choose_takers();
  bool takes(const Registry& registry, const Candidate& candidate) const;
  std::set<Guid> keys_of(const RegistryEntry& entry) const;

  const Project& project_;
  const ClassDeclaration& declaration_;
  std::vector<const Registry*> registries_;
  bool is_paired_ = false;
  std::vector<Candidate> candidates_;
  std::map<Guid, std::size_t> by_key_;  // into candidates_
  std::vector<ProviderClash> clashes_;
  std::map<Guid, Guid> key_of_;
  std::map<const Registry*, std::set<Guid>> listed_;  // keys
  std::map<Guid, TargetSet> covered_;                 // by the registries that list it
  std::vector<std::pair<Target, const Registry*>> takers_;
};

/// One thing that the client's and the server's registries of a class give different type ids.
struct IdDisagreement {
  const Registry* client = nullptr;
  const RegistryEntry* client_entry = nullptr;
  const Registry* server = nullptr;
  const RegistryEntry* server_entry = nullptr;
};

/// What has ids on both sides and none in common, in the order of the members' keys. Type ids go
/// over the wire, so that this is an error whatever the layout. Classes whose entries are found by
/// a key of their own have none.
std::vector<IdDisagreement> id_disagreements(const ClassMembers& members);

}  // namespace muster
