// Finds the components of one file that a target's builds leave out, and the references of these
// components.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "registry/project/scripts.h"
#include "registry/project/source_file.h"
#include "registry/project/strip_rules.h"
#include "registry/yaml/scanner.h"

namespace muster {

/// One component of a file.
struct StrippedPart {
  std::string class_name;
  ClassOwner owner = ClassOwner::engine;
  int document = -1;  ///< The index of the document in Unity's dialect; -1 in plain files.
  yaml::NodeIndex fields = yaml::kNoNode;  ///< The value of the class's key in plain files.
  std::uint64_t source_bytes = 0;          ///< The size of the component's text; 0 if unknown.
};

/// The components of one class that are left out.
struct StrippedComponents {
  std::size_t count = 0;
  std::uint64_t source_bytes = 0;  ///< The total size of the components' text.
  friend bool operator==(const StrippedComponents&, const StrippedComponents&) = default;
};

/// The class of an object in a file: the class of the object's script if known, otherwise Unity's
/// type name.
std::string class_of_document(const SourceFile& source, const Scripts& scripts, int document);

/// Unity's number of the class MonoBehaviour. The class of such an object is its script's class.
inline constexpr std::int64_t kScriptClass = 114;
/// The owner of an object's class, determined by the class number, or by the dialect for a plain
/// file.
ClassOwner owner_of_class(const SourceFile& source, int document);
constexpr ClassOwner owner_of_class(std::int64_t class_id) {
  return class_id == kScriptClass ? ClassOwner::project : ClassOwner::engine;
}

/// All components of a prefab or level, in the file's order. The result is empty for files of other
/// forms.
std::vector<StrippedPart> component_parts(const SourceFile& source, const Scripts& scripts);
/// The components whose classes the rules strip.
std::vector<StrippedPart> stripped_parts(const SourceFile& source, const Scripts& scripts,
                                         const StripRules& rules);

/// The number of times that the parts mention each guid. Counts only strong mentions, because weak
/// mentions add nothing to a build. Also counts the overrides of a prefab instance whose targets
/// are stripped components. `find` returns the file of the instance's prefab, or null.
using MentionCounts = std::map<std::pair<Guid, yaml::MentionKind>, std::uint32_t>;
MentionCounts mentions_of(const SourceFile& source, const std::vector<StrippedPart>& parts,
                          const Scripts& scripts, const StripRules& rules,
                          const std::function<const SourceFile*(const Guid&)>& find);

/// The tree of a file without the content of these parts. In Unity's dialect a part becomes an
/// object without fields that is marked as stripped; in a plain file it becomes a component without
/// values. The tree views the bytes of `source`.
yaml::Tree tree_without(const SourceFile& source, const std::vector<StrippedPart>& parts);

}  // namespace muster
