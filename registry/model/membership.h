// Finds the members of registries in the project.
#pragma once

#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// An asset that a prepare rule finds.
struct Member {
  AssetNumber asset = kNoAsset;
  const PrepareRule* rule = nullptr;
};

/// The results of all prepare rules of the class, rule by rule, sorted by path within a rule:
/// prefabs whose root has the component (its own, or inherited through variants and nesting, and
/// not removed), or assets whose class is or derives from the named one.
std::vector<Member> members_of(const Project& project, const ClassDeclaration& declaration);

/// The prefabs and assets that mention the scripts of the prepare rules, but cannot be parsed. So
/// it is unknown whether they are members. Sorted by path.
std::vector<AssetNumber> unreadable_members(const Project& project,
                                            const ClassDeclaration& declaration);

/// The component of a prefab's root that is or derives from `class_name`; null if none exists.
const SourceComponent* root_component(const Project& project, AssetNumber prefab,
                                      std::string_view class_name);
const SourceComponent* root_component(const SourcePrefab& prefab, const Scripts& scripts,
                                      std::string_view class_name);

}  // namespace muster
