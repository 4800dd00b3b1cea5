// What games that have shipped rely on, and whether a project still keeps it.
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
  TargetSet targets;  ///< The sides that have it so.
  std::string path;   ///< Of the asset, for people; empty when it is not known.
  Location location;  ///< Of the entry; of what has shipped, its registry's path.
};

/// What is on the wire: which ids mean what, and what components are made of. From a project, or
/// from the catalogs of a build.
struct Contract {
  std::string name;   ///< For people: a revision, a folder.
  TargetSet covered;  ///< The sides of which it tells.
  std::vector<ContractRow> rows;
  std::map<std::string, Location> registries;  ///< The first of each class.
  std::set<std::string> unnumbered;            ///< Classes of packages that have no ids.
  /// None when they are not known; then nothing is said of them.
  std::optional<std::vector<ComponentDescription>> components;
  AssetPath components_path;    ///< Where they stand, for findings; of a project only.
  std::string components_text;  ///< The same.
};

/// What a project says for `targets`. Components are left out where they cannot be read: that has a
/// finding of its own.
Contract contract_of(const Project& project, TargetSet targets);

/// Tells what `now` breaks of what `shipped` promised, on the sides that both cover: the rules
/// `breaking-*`. What is added breaks nothing.
void check_breaking(const Contract& shipped, const Contract& now, Findings& findings);

/// True for the rules that `check_breaking` tells.
bool is_breaking_rule(std::string_view rule);

/// Why values of a field cannot pass between two games with these descriptions of it; empty when
/// they can. Where a field lies, how it is shown and predicted is each game's own affair.
std::string incompatibility(const FieldDescription& shipped, const FieldDescription& now);

}  // namespace muster
