// The bond between a logical entity and what a client shows for it.
#pragma once

#include "registry/components/describe.h"

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

consteval auto describe(muster::Type<PresentationOwner>) {
  return muster::Describe<PresentationOwner>("PresentationOwner")
      .field<&PresentationOwner::variation>("variation",
                                            {.rollback = muster::RollbackClass::confirmed_only});
}

consteval auto describe(muster::Type<PresentationEntity>) {
  return muster::Describe<PresentationEntity>("PresentationEntity")
      .field<&PresentationEntity::presentation_owner>("presentationOwner")
      .field<&PresentationEntity::platform_flags>("platformFlags")
      .field<&PresentationEntity::variation>("variation")
      .field<&PresentationEntity::type>("type");
}

}  // namespace arena
