// Reads the entries of registries.
#pragma once

#include <vector>

#include "registry/model/path_query.h"
#include "registry/model/project.h"

namespace muster {

/// Reads single entries by the declaration of their class. Adds unreadable parts to `problems`.
/// Refers to `project` and `problems`, which must outlive the reader.
class EntryReader {
 public:
  EntryReader(const Project& project, std::vector<ModelProblem>& problems)
      : project_(project), problems_(problems), query_(project.sources(), problems) {}

  /// Reads the entry at a node of the list. `slot` is the index of the entry. `assign_type_ids`
  /// sets the type id of the entry later.
  RegistryEntry read(const ClassDeclaration& declaration, const SourceNode& at, std::size_t slot);

 private:
  void add_problem(ModelProblem::Kind kind, Location location, std::string detail);
  bool check_form(const ClassDeclaration& declaration, const SourceNode& at);
  void read_references(const ClassDeclaration& declaration, const SourceNode& at,
                       RegistryEntry& entry);
  void add_content(const EntryReference& folder, RegistryEntry& entry);
  bool is_sub_object(AssetNumber asset, std::int64_t file_id) const;
  void read_definition(const ClassDeclaration& declaration, const SourceNode& at,
                       RegistryEntry& entry);
  void read_details(const ClassDeclaration& declaration, const SourceNode& at,
                    RegistryEntry& entry);
  void read_key(const ClassDeclaration& declaration, const SourceNode& at, RegistryEntry& entry);
  bool names_anything(const SourceNode& at) const;

  const Project& project_;
  std::vector<ModelProblem>& problems_;
  PathQuery query_;
};

}  // namespace muster
