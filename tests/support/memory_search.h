// Searches this process's memory for secrets that a test knows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "net/secure/entropy.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // GCC
#define MUSTER_HAS_SHADOW_MEMORY 1
#elif defined(__has_feature)  // Clang
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MUSTER_HAS_SHADOW_MEMORY 1
#endif
#endif

namespace muster {

/// A secret that is stored masked, so that the search does not find this copy.
class DisguisedSecret {
 public:
  explicit DisguisedSecret(std::span<const std::byte> secret) {
    for (const std::byte byte : secret) bytes_.push_back(byte ^ kMask);
  }
  std::size_t size() const { return bytes_.size(); }
  bool is_at(const std::byte* memory) const {
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      if ((memory[i] ^ kMask) != bytes_[i]) return false;
    }
    return true;
  }

 private:
  static constexpr std::byte kMask{0xA5};
  std::vector<std::byte> bytes_;
};

/// Forwards the bytes of another source, and stores a masked copy.
class OverheardEntropy final : public Entropy {
 public:
  explicit OverheardEntropy(std::uint64_t seed) : source_(seed) {}
  void fill(std::span<std::byte> bytes) override {
    source_.fill(bytes);
    given.emplace_back(bytes);
  }

  std::vector<DisguisedSecret> given;

 private:
  SeededEntropy source_;
};

/// Returns the number of copies of a secret in the writable memory of this process, or -1 if the
/// search is not possible. The stack is excluded, because old copies of registers stay on the
/// stack.
inline int times_in_memory(const DisguisedSecret& secret) {
#if defined(__linux__) && !defined(MUSTER_HAS_SHADOW_MEMORY)
  std::ifstream maps("/proc/self/maps");
  int found = 0;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::string access;
    fields >> std::hex >> begin >> dash >> end >> access;
    const bool is_data = access.starts_with("rw") && line.find("[stack") == std::string::npos &&
                         line.find("[vvar") == std::string::npos;
    if (!is_data || end - begin < secret.size()) continue;
    const auto* const last = reinterpret_cast<const std::byte*>(end - secret.size());
    for (const auto* at = reinterpret_cast<const std::byte*>(begin); at <= last; ++at) {
      if (secret.is_at(at)) ++found;
    }
  }
  return found;
#else
  static_cast<void>(secret);
  return -1;
#endif
}

}  // namespace muster
