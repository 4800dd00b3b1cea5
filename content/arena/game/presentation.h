// The components that connect a logical entity with its presentation on a client.
#pragma once

#include <muster/describe.h>
#include <muster/type_id.h>

namespace arena {

/// A component of the logical entity: the variation of its presentation.
struct PresentationOwner {
  std::uint16_t variation = 0;
};

/// The bits of `PresentationEntity::platform_flags`.
enum PlatformFlags : std::uint16_t { platform_server = 1, platform_client_pc = 2 };

/// A component of the presentation's prefab. The owner is the logical entity that the prefab shows.
struct PresentationEntity {
  muster::AssetReference presentation_owner;
  std::uint16_t platform_flags = 0;
  std::uint16_t variation = 0;
  /// For characters, `shared` is the third person, and `own` is the first person.
  muster::PresentationType type{};
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
