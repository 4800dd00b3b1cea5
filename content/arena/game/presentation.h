// The bond between a logical entity and what a client shows for it.
#pragma once

#include "registry/vocabulary/component.h"

namespace arena {

/// On the logical entity: which variation of its presentation it wants.
struct PresentationOwner {
  std::uint16_t variation = 0;
};

/// A set of platforms, as `PresentationEntity::platform_flags` holds it.
enum PlatformFlags : std::uint16_t { platform_server = 1, platform_client_pc = 2 };

/// On the presentation's prefab: whom it shows, where, and which variation of which type it is.
struct PresentationEntity {
  muster::AssetReference presentation_owner;
  std::uint16_t platform_flags = 0;
  std::uint16_t variation = 0;
  std::uint32_t type = 0;  ///< Its meaning is the owner's: first or third person, for characters.
};

inline muster::ComponentDescription describe_presentation_owner() {
  return muster::Describe<PresentationOwner>("PresentationOwner")
      .field("variation", &PresentationOwner::variation,
             {.rollback = muster::RollbackClass::confirmed_only})
      .done();
}

inline muster::ComponentDescription describe_presentation_entity() {
  return muster::Describe<PresentationEntity>("PresentationEntity")
      .field("presentationOwner", &PresentationEntity::presentation_owner)
      .field("platformFlags", &PresentationEntity::platform_flags)
      .field("variation", &PresentationEntity::variation)
      .field("type", &PresentationEntity::type)
      .done();
}

}  // namespace arena
