// Structs with new members, and callers of older and newer versions.
#include "runtime/c_api/struct_copy.h"

#include <cstdint>

#include <catch2/catch.hpp>

namespace muster::c_api {

// A struct of two versions; `newer` was added later.
struct Grown {
  std::size_t struct_size;
  std::uint32_t value;
  std::uint32_t reserved;
  std::uint64_t newer;
};

template <>
inline constexpr std::size_t kFirstBytes<Grown> = offsetof(Grown, newer);

namespace {

TEST_CASE("Options of an older caller are read, with defaults for its missing members",
          "[runtime][c_api]") {
  // Bytes after an old caller's struct must not be read.
  const Grown given{.struct_size = kFirstBytes<Grown>, .value = 7, .reserved = 0, .newer = 99};
  Grown options{};
  CHECK(copy_options(&given, options));
  CHECK(options.value == 7);
  CHECK(options.newer == 0);
}

TEST_CASE("A result is written to an older caller up to the size of its struct",
          "[runtime][c_api]") {
  Grown out{.struct_size = kFirstBytes<Grown>, .value = 0, .reserved = 0, .newer = 99};
  CHECK(fill_struct(Grown{.struct_size = 0, .value = 7, .reserved = 0, .newer = 5}, out));
  CHECK(out.struct_size == kFirstBytes<Grown>);
  CHECK(out.value == 7);
  CHECK(out.newer == 99);
}

TEST_CASE("A newer caller's members are cleared in results and refused in options",
          "[runtime][c_api]") {
  struct {
    Grown known;
    std::uint64_t newest;
  } caller{.known = {.struct_size = sizeof caller, .value = 1, .reserved = 0, .newer = 2},
           .newest = 3};
  Grown options{};
  CHECK_FALSE(copy_options(&caller.known, options));
  CHECK(fill_struct(Grown{.struct_size = 0, .value = 7, .reserved = 0, .newer = 5}, caller.known));
  CHECK(caller.known.newer == 5);
  CHECK(caller.newest == 0);
  CHECK(copy_options(&caller.known, options));
  CHECK(options.value == 7);
}

TEST_CASE("A struct size that was never set is refused", "[runtime][c_api]") {
  const std::size_t size = GENERATE(std::size_t{0}, sizeof(std::size_t), kFirstBytes<Grown> - 1,
                                    kStructBytesMax + 1, ~std::size_t{0});
  CAPTURE(size);
  Grown caller{.struct_size = size, .value = 1, .reserved = 0, .newer = 2};
  Grown options{};
  CHECK_FALSE(copy_options(&caller, options));
  CHECK_FALSE(fill_struct(Grown{}, caller));
  CHECK(caller.value == 1);
}

TEST_CASE("The structs of version 1 keep their sizes", "[runtime][c_api]") {
  // The sizes are for 64-bit callers. A size ends with the last member, before any padding.
  if (sizeof(void*) != 8) return;
  CHECK(kFirstBytes<muster_store_options> == 32);
  CHECK(kFirstBytes<muster_request_options> == 24);
  CHECK(kFirstBytes<muster_catalog_info> == 56);
  CHECK(kFirstBytes<muster_registry_info> == 52);
  CHECK(kFirstBytes<muster_entry_info> == 64);
  CHECK(kFirstBytes<muster_part> == 32);
}

}  // namespace
}  // namespace muster::c_api
