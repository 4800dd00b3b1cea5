// What belongs into a registry, found in the project.
#pragma once

#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// An asset that a prepare rule finds.
struct Member {
  AssetNumber asset = kNoAsset;
  const PrepareRule* rule = nullptr;
};

/// Everything that the class's prepare rules find, rule by rule, sorted by path within a rule:
/// prefabs whose root carries the component (its own, or inherited through variants and nesting,
/// and not removed), or assets whose class is or derives from the one named.
std::vector<Member> members_of(const Project& project, const ClassDeclaration& declaration);

/// The prefabs and assets that mention what the class's prepare rules look for but cannot be
/// parsed, so that nobody can say whether they are members; sorted by path.
std::vector<AssetNumber> unreadable_members(const Project& project,
                                            const ClassDeclaration& declaration);

/// The component of a prefab's root that is or derives from `class_name`; null when there is none.
const SourceComponent* root_component(const Project& project, AssetNumber prefab,
                                      std::string_view class_name);
const SourceComponent* root_component(const SourcePrefab& prefab, const Scripts& scripts,
                                      std::string_view class_name);

}  // namespace muster
