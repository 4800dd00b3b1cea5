// Finds the members of registries in the project.
#pragma once

#include <vector>

#include "registry/model/project.h"

namespace muster {

/// An asset that a prepare rule finds.
struct Member {
  AssetNumber asset = kNoAsset;
  const PrepareRule* rule = nullptr;
};

/// The members that each prepare rule of the class finds, rule by rule, sorted by path within a
/// rule. The members are prefabs whose root has the rule's component, or assets whose class is the
/// rule's class or derives from it. A prefab may inherit the component from its base or from a
/// nested prefab; a removed component does not count.
std::vector<Member> members_of(const Project& project, const ClassDeclaration& declaration);

/// The prefabs and assets that mention a script of the prepare rules but cannot be parsed. They may
/// or may not be members. Sorted by path.
std::vector<AssetNumber> unreadable_members(const Project& project,
                                            const ClassDeclaration& declaration);

/// The component of a prefab's root whose class is `class_name` or derives from it; null if there
/// is no such component.
const SourceComponent* root_component(const Project& project, AssetNumber prefab,
                                      std::string_view class_name);
const SourceComponent* root_component(const SourcePrefab& prefab, const Scripts& scripts,
                                      std::string_view class_name);

}  // namespace muster
