// What the members of a class's registries shall say of themselves, as `prepare` registers them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/model/class_members.h"
#include "registry/model/stored_values.h"

namespace muster {

/// Turns entries and new members of one class into wishes on their assets' stored values, registry
/// by registry. Refers to its arguments.
class MemberMender {
 public:
  MemberMender(const Project& project, const ClassDeclaration& declaration, StoredValues& stored)
      : project_(project), declaration_(declaration), stored_(stored) {}

  /// What follows is of this registry.
  void begin(const Registry& registry);

  /// An entry that stays.
  void mend_listed(const RegistryEntry& entry);
  /// A new entry. `guid` is what the registry lists for the candidate.
  void mend_new(const Candidate& candidate, const Guid& guid, TypeId type_id);
  /// Why the candidate's asset could not be made to say its guid, a sentence each; empty when it
  /// could, or says it.
  std::vector<std::string> obstacles(const Candidate& candidate, const Guid& guid) const;

 private:
  void wish(StoredValues& stored, const Candidate& candidate, const Guid& guid,
            const std::optional<WantedId>& id) const;

  const Project& project_;
  const ClassDeclaration& declaration_;
  StoredValues& stored_;
  bool stores_ids_ = false;
};

}  // namespace muster
