// The contract with released games: type ids and components. Detects changes that break it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "registry/components/component.h"
#include "registry/rules/finding.h"

namespace muster {

/// "This type id of this class means this asset."
struct ContractRow {
  std::string class_name;
  TypeId type_id;
  Guid guid;
  TargetSet targets;  ///< The sides with this row.
  std::string path;   ///< The asset's path, for messages; empty if unknown.
  Location location;  ///< The entry; for a released game its registry's path.
};

/// The wire contract: the meaning of ids, and the fields of components. Read from a project, or
/// from the catalogs of a build.
struct Contract {
  std::string name;   ///< For messages: a revision, a folder.
  TargetSet covered;  ///< The sides that it covers.
  std::vector<ContractRow> rows;
  std::map<std::string, Location> registries;  ///< The first of each class.
  std::set<std::string> unnumbered;            ///< Classes of packages that have no ids.
  /// Nullopt if unknown; then components are not compared.
  std::optional<std::vector<ComponentDescription>> components;
  AssetPath components_path;    ///< Their file, for findings; only for a project.
  std::string components_text;  ///< The text of that file.
};

/// The contract of a project for `targets`. Omits unreadable components, which have their own
/// finding.
Contract contract_of(const Project& project, TargetSet targets);

/// Reports the parts of `shipped` that `now` breaks, on the sides that both contracts cover. The
/// findings have the rules `breaking-*`. Additions break nothing.
void check_breaking(const Contract& shipped, const Contract& now, Findings& findings);

/// True for the rules that `check_breaking` reports.
bool is_breaking_rule(std::string_view rule);

/// The reason why values of a field cannot be exchanged between two games with these descriptions;
/// empty if they can. Offset, display and prediction of a field may differ.
std::string incompatibility(const FieldDescription& shipped, const FieldDescription& now);

}  // namespace muster
