// The numbers of entities that a server replicates.
#pragma once

#include <cstdint>

namespace muster {

/// The number of an entity at a server and at all of its clients. The game chooses the number. A
/// number may be used again after its entity was removed.
enum class NetworkId : std::uint32_t {};

/// The number on the wire.
constexpr std::uint32_t wire_id(NetworkId id) { return static_cast<std::uint32_t>(id); }

}  // namespace muster
