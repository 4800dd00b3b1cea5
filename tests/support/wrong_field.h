// A field of a format with an invalid value, and the expected error.
#pragma once

#include <cstddef>
#include <cstdint>

#include <catch2/catch.hpp>

#include "registry/base/bytes.h"
#include "registry/base/result.h"

namespace muster {

struct WrongField {
  std::size_t offset;
  std::uint32_t value;
  ErrorCode code;
  const char* reason;
};

/// Checks that a reader refuses bytes with this wrong field.
template <typename Reader>
void check_refused(const ByteVector& damaged, const WrongField& field) {
  CAPTURE(field.reason, field.offset, field.value);
  const Result<Reader> reader = Reader::open(damaged);
  REQUIRE_FALSE(reader.has_value());
  CAPTURE(reader.error().message);
  CHECK(to_string(reader.error().code) == to_string(field.code));
}

}  // namespace muster
