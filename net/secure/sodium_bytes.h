// Converts bytes to the type that libsodium uses. Only this folder uses this header.
#pragma once

#include <cstddef>
#include <span>

namespace muster {

inline unsigned char* chars(std::span<std::byte> bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}
inline const unsigned char* chars(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace muster
