// Determines the values that the members of a class must store when `prepare` registers them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/model/class_members.h"
#include "registry/model/stored_values.h"

namespace muster {

/// For each entry and new member of a class, requests from `stored` the values that the asset must
/// store. Refers to its arguments, which must outlive this object.
class MemberFixer {
 public:
  MemberFixer(const Project& project, const ClassDeclaration& declaration, StoredValues& stored)
      : project_(project), declaration_(declaration), stored_(stored) {}

  /// Selects the registry for the next calls.
  void begin(const Registry& registry);

  /// Handles an existing entry that `prepare` keeps.
  void fix_listed(const RegistryEntry& entry);
  /// Handles a new entry. `guid` is the asset that the registry lists for the candidate.
  void fix_new(const Candidate& candidate, const Guid& guid, TypeId type_id);
  /// The reasons why the candidate's asset cannot store its guid, one sentence each. The result is
  /// empty if the asset can store the guid, or already stores the guid.
  std::vector<std::string> obstacles(const Candidate& candidate, const Guid& guid) const;

 private:
  void wish(StoredValues& stored, const Candidate& candidate, const Guid& guid,
            const std::optional<RequiredId>& id) const;

  const Project& project_;
  const ClassDeclaration& declaration_;
  StoredValues& stored_;
  bool stores_ids_ = false;
};

}  // namespace muster
