// Determines the values that the members of a class must store when `prepare` registers them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/model/class_members.h"
#include "registry/model/stored_values.h"

namespace muster {

/// Turns entries and new members of one class into requested values of their assets, registry by
/// registry. Refers to its arguments.
class MemberMender {
 public:
  MemberMender(const Project& project, const ClassDeclaration& declaration, StoredValues& stored)
      : project_(project), declaration_(declaration), stored_(stored) {}

  /// The following calls are for this registry.
  void begin(const Registry& registry);

  /// Handles an entry that stays.
  void mend_listed(const RegistryEntry& entry);
  /// Handles a new entry. `guid` is what the registry lists for the candidate.
  void mend_new(const Candidate& candidate, const Guid& guid, TypeId type_id);
  /// The reasons why the candidate's asset cannot store its guid, one sentence each; empty if it
  /// can, or does already.
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
