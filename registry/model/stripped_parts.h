// The components of one file that a target's builds leave out, and the references that only they
// have.
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
  int document = -1;                       ///< In Unity's dialect; -1 in plain files.
  yaml::NodeIndex fields = yaml::kNoNode;  ///< In plain files: the value of the class's key.
  std::uint64_t source_bytes = 0;          ///< The size of its text; 0 if unknown.
};

/// The components of one class that are left out.
struct StrippedComponents {
  std::size_t count = 0;
  std::uint64_t source_bytes = 0;  ///< The size of their text.
  friend bool operator==(const StrippedComponents&, const StrippedComponents&) = default;
};

/// The class of an object in a file: that of its script if it is known or the object names it,
/// otherwise Unity's type name.
std::string class_of_document(const SourceFile& source, const Scripts& scripts, int document);

/// Unity's number of the class MonoBehaviour: such an object belongs to a script.
inline constexpr std::int64_t kScriptClass = 114;
/// The owner of the class of an object, by its number or its file.
ClassOwner owner_of_class(const SourceFile& source, int document);
constexpr ClassOwner owner_of_class(std::int64_t class_id) {
  return class_id == kScriptClass ? ClassOwner::project : ClassOwner::engine;
}

/// All components of a prefab or level, in the file's order. Empty for files of other forms.
std::vector<StrippedPart> component_parts(const SourceFile& source, const Scripts& scripts);
/// The components whose classes the rules strip.
std::vector<StrippedPart> stripped_parts(const SourceFile& source, const Scripts& scripts,
                                         const StripRules& rules);

/// How often the parts mention each guid; only strong mentions, because weak ones add nothing to a
/// build. Includes the overrides of an instance whose targets are stripped components of its
/// prefab; `find` returns the file of that prefab, or null.
using MentionCounts = std::map<std::pair<Guid, yaml::MentionKind>, std::uint32_t>;
MentionCounts mentions_of(const SourceFile& source, const std::vector<StrippedPart>& parts,
                          const Scripts& scripts, const StripRules& rules,
                          const std::function<const SourceFile*(const Guid&)>& find);

/// The tree of a file with these parts emptied: an object without fields that is marked as
/// stripped, or a component without values. Views the file.
yaml::Tree tree_without(const SourceFile& source, const std::vector<StrippedPart>& parts);

}  // namespace muster
