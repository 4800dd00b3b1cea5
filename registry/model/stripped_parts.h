// The components of one file that a target's builds go without, and what only they refer to.
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
  yaml::NodeIndex fields = yaml::kNoNode;  ///< In plain files: what stands under the class's name.
  std::uint64_t source_bytes = 0;          ///< Of its text; 0 where that is not known.
};

/// The components of one class that are left out.
struct StrippedComponents {
  std::size_t count = 0;
  std::uint64_t source_bytes = 0;  ///< Of their text.
  friend bool operator==(const StrippedComponents&, const StrippedComponents&) = default;
};

/// The class of an object in a file: its script's where that is known or the object names it, else
/// Unity's type name.
std::string class_of_document(const SourceFile& source, const Scripts& scripts, int document);

/// Unity's number of the class MonoBehaviour: an object of it is a script's.
inline constexpr std::int64_t kScriptClass = 114;
/// Whose the class of an object is, told by its number or in its file.
ClassOwner owner_of_class(const SourceFile& source, int document);
constexpr ClassOwner owner_of_class(std::int64_t class_id) {
  return class_id == kScriptClass ? ClassOwner::project : ClassOwner::engine;
}

/// All components of a prefab or level, in the file's order. Empty for files of other forms.
std::vector<StrippedPart> component_parts(const SourceFile& source, const Scripts& scripts);
/// Those whose classes the rules strip.
std::vector<StrippedPart> stripped_parts(const SourceFile& source, const Scripts& scripts,
                                         const StripRules& rules);

/// How often the parts mention each guid: strongly alone, since nothing else pulls anything in. To
/// that come the overrides of an instance whose targets are stripped components of the prefab that
/// it is an instance of; `find` gives that prefab's file, or null.
using MentionCounts = std::map<std::pair<Guid, yaml::MentionKind>, std::uint32_t>;
MentionCounts mentions_of(const SourceFile& source, const std::vector<StrippedPart>& parts,
                          const Scripts& scripts, const StripRules& rules,
                          const std::function<const SourceFile*(const Guid&)>& find);

/// The tree of a file whose parts are empty: an object without fields that is marked as stripped,
/// a component without values. Views the file.
yaml::Tree tree_without(const SourceFile& source, const std::vector<StrippedPart>& parts);

}  // namespace muster
