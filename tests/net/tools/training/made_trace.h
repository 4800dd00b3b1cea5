// Makes traces (MTRC1) for tests.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/net_bytes.h"

namespace muster {

/// Writes a trace in its format, with any header.
class TraceBytes {
 public:
  struct Entity {
    std::uint32_t id = 0;
    std::uint16_t type = 0;
    std::vector<std::int32_t> values;
  };

  explicit TraceBytes(std::string_view header) {
    text(std::string_view("MTRC1\0\0\0", 8));
    little(static_cast<std::uint32_t>(header.size()), 4);
    text(header);
  }

  void tick(std::uint32_t number, const std::vector<Entity>& entities) {
    little(number, 4);
    little(static_cast<std::uint32_t>(entities.size()), 4);
    for (const Entity& entity : entities) {
      little(entity.id, 4);
      little(entity.type, 2);
      little(static_cast<std::uint32_t>(entity.values.size()), 2);
      for (const std::int32_t value : entity.values) little(static_cast<std::uint32_t>(value), 4);
    }
  }

  NetBytes release() { return std::move(bytes_); }

 private:
  void text(std::string_view text) {
    for (const char letter : text) bytes_.push_back(static_cast<std::byte>(letter));
  }
  void little(std::uint32_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) bytes_.push_back(static_cast<std::byte>(value >> 8 * i));
  }

  NetBytes bytes_;
};

}  // namespace muster
