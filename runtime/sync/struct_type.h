// The numbers of the types of commands and messages.
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster {

/// A local command type or message type, as its index in `StructEncoder::types`. Commands have the
/// lowest indices, so the value is also the index in `Game::commands`.
enum class StructType : std::uint16_t {};

/// A command type or message type of the peer, as its index in the peer's `StructEncoder::types`.
/// `StructDecoder::local_type` converts it. The peer may send any value.
enum class PeerStructType : std::uint16_t {};

constexpr std::size_t struct_index(StructType type) { return static_cast<std::size_t>(type); }
constexpr std::size_t struct_index(PeerStructType type) { return static_cast<std::size_t>(type); }

}  // namespace muster
