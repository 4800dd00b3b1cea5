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

/// The meaning of one type id: the asset with this id in registries of the class.
struct ContractRow {
  std::string class_name;
  TypeId type_id;
  Guid guid;
  TargetSet targets;  ///< The targets for which the row applies.
  std::string path;   ///< The asset's path, for messages; empty if unknown.
  Location location;  ///< The location of the entry. For a released game, the path of its registry.
};

/// The wire contract of a game: the meaning of type ids, and the fields of components. The contract
/// is read from a project, or from the catalogs of a build.
struct Contract {
  std::string name;   ///< The name for messages, for example a revision or a folder.
  TargetSet covered;  ///< The targets that the contract covers.
  std::vector<ContractRow> rows;
  /// The location of the first registry of each class.
  std::map<std::string, Location> registries;
  std::set<std::string> unnumbered;  ///< The ready-made classes that have no ids.
  /// The component descriptions; nullopt if they are unknown. Unknown descriptions are not
  /// compared.
  std::optional<std::vector<ComponentDescription>> components;
  AssetPath components_path;    ///< The file of the component descriptions; only for a project.
  std::string components_text;  ///< The text of the file `components_path`.
};

/// The contract of a project for `targets`. `components` is nullopt if the descriptions cannot be
/// read.
Contract contract_of(const Project& project, TargetSet targets);

/// Reports the parts of `shipped` that `now` breaks, for the targets that both contracts cover. The
/// findings have the rules `breaking-*`. Additions break nothing.
void check_breaking(const Contract& shipped, const Contract& now, Findings& findings);

/// True for the rules that `check_breaking` reports.
bool is_breaking_rule(std::string_view rule);

/// The reason why two games with these descriptions of a field cannot exchange its values; empty if
/// they can. Offset, tolerance, interpolation and rollback of the field may differ.
std::string incompatibility(const FieldDescription& shipped, const FieldDescription& now);

}  // namespace muster
