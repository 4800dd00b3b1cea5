// Determines the members of one registry class, and the members that each registry of the class
// lacks.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "registry/model/membership.h"

namespace muster {

/// A logical object with one type id: an asset, or a provider with one prefab per side.
struct Candidate {
  Guid key;     ///< The guid of the asset or provider.
  Guid client;  ///< The asset that a client registry lists; null if none exists.
  Guid server;  ///< The asset that a server registry lists; null if none exists.
  const PrepareRule* rule = nullptr;
  AssetNumber asset = kNoAsset;  ///< The asset or provider.
  bool is_provider = false;
};

/// Two providers of one prefab, which make the id of the prefab ambiguous.
struct ProviderClash {
  AssetNumber kept = kNoAsset;    ///< The provider that is used.
  AssetNumber passed = kNoAsset;  ///< The provider that is not registered.
  Guid prefab;
};

/// The candidates of one class, and the candidates that each registry of the class lacks. `prepare`
/// adds the missing candidates, and the rule `unregistered-prefab` reports them. Refers to the
/// project and the declaration, which must outlive this object.
class ClassMembers {
 public:
  ClassMembers(const Project& project, const ClassDeclaration& declaration);

  /// The registries of the class, sorted by path.
  const std::vector<const Registry*>& registries() const { return registries_; }
  /// The candidates: first the providers, then the other candidates, rule by rule. The candidates
  /// of a rule are sorted by path.
  const std::vector<Candidate>& candidates() const { return candidates_; }
  const std::vector<ProviderClash>& clashes() const { return clashes_; }
  /// True if the class has client and server registries of the oldest layout. Such registries are
  /// filled together, so that a candidate has the same id on both sides.
  bool is_paired() const { return is_paired_; }

  /// The key of the candidate that contains an asset; the guid of the asset if no candidate
  /// contains it.
  Guid key_of(const Guid& asset) const;
  /// True if the asset is a candidate or belongs to a candidate.
  bool has(const Guid& asset) const { return key_of_.contains(asset); }
  /// The candidate with this key, or null.
  const Candidate* find(const Guid& key) const;
  /// The asset that a registry lists for a candidate; null if the candidate has no asset for the
  /// side of the registry.
  static Guid side_of(const Registry& registry, const Candidate& candidate);

  /// The candidates that `prepare` adds to a registry, in the order of `candidates`.
  std::vector<const Candidate*> lacking(const Registry& registry) const;
  /// True if any registry of the class lists the candidate.
  bool is_listed(const Candidate& candidate) const { return covered_.contains(candidate.key); }

 private:
  void collect_providers(std::set<Guid>& handled);
  void collect_listed();
  void choose_target_registries();
  bool accepts(const Registry& registry, const Candidate& candidate) const;
  std::set<Guid> keys_of(const RegistryEntry& entry) const;

  const Project& project_;
  const ClassDeclaration& declaration_;
  std::vector<const Registry*> registries_;
  bool is_paired_ = false;
  std::vector<Candidate> candidates_;
  std::map<Guid, std::size_t> by_key_;  // The index in candidates_ for each key.
  std::vector<ProviderClash> clashes_;
  std::map<Guid, Guid> key_of_;
  std::map<const Registry*, std::set<Guid>> listed_;
  std::map<Guid, TargetSet> covered_;  // The targets of the registries that list each key.
  std::vector<std::pair<Target, const Registry*>> target_registries_;
};

/// One object with different type ids in the client's and the server's registries of a class.
struct IdDisagreement {
  const Registry* client = nullptr;
  const RegistryEntry* client_entry = nullptr;
  const Registry* server = nullptr;
  const RegistryEntry* server_entry = nullptr;
};

/// The objects that have ids in client and server registries, but no id in common. Sorted by key.
/// Type ids are sent over the network, so each such object is an error in every layout. The result
/// is empty for classes whose entries are found by a key instead of an id.
std::vector<IdDisagreement> id_disagreements(const ClassMembers& members);

}  // namespace muster
