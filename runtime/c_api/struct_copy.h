// Copies structs of callers that were compiled with an older or newer header.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "runtime/c_api/muster_runtime.h"

namespace muster::c_api {

/// A `struct_size` above this limit is refused, because the caller has probably not set it.
inline constexpr std::size_t kStructBytesMax = 4096;

/// The size of a struct in version 1, up to the end of its last member. No caller has a smaller
/// struct. The size in version 1 never changes when a struct grows.
template <typename Struct>
inline constexpr std::size_t kFirstBytes = 0;
template <>
inline constexpr std::size_t kFirstBytes<muster_store_options> =
    offsetof(muster_store_options, reserved) + sizeof(muster_store_options::reserved);
template <>
inline constexpr std::size_t kFirstBytes<muster_request_options> =
    offsetof(muster_request_options, reserved) + sizeof(muster_request_options::reserved);
template <>
inline constexpr std::size_t kFirstBytes<muster_catalog_info> =
    offsetof(muster_catalog_info, agreement) + sizeof(muster_catalog_info::agreement);
template <>
inline constexpr std::size_t kFirstBytes<muster_registry_info> =
    offsetof(muster_registry_info, entry_count) + sizeof(muster_registry_info::entry_count);
template <>
inline constexpr std::size_t kFirstBytes<muster_entry_info> = offsetof(muster_entry_info,
                                                                       is_factory) +
                                                              sizeof(muster_entry_info::is_factory);
template <>
inline constexpr std::size_t kFirstBytes<muster_part> = offsetof(muster_part, reserved) +
                                                        sizeof(muster_part::reserved);

template <typename Struct>
bool is_struct_size(std::size_t size_bytes) {
  static_assert(kFirstBytes<Struct> > sizeof(std::size_t), "say what version 1 had");
  return size_bytes >= kFirstBytes<Struct> && size_bytes <= kStructBytesMax;
}

/// Copies the members that both versions of a struct have. All other members keep their defaults.
/// If `given` is null, all members keep their defaults. Returns false for an invalid size, and for
/// a member that this library does not know and that is not zero.
template <typename Options>
bool copy_options(const Options* given, Options& options) {
  if (given == nullptr) return true;
  const std::size_t size_bytes = given->struct_size;
  if (!is_struct_size<Options>(size_bytes)) return false;
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  const std::size_t known_bytes = std::min(size_bytes, sizeof(Options));
  std::memcpy(&options, bytes, known_bytes);
  return options.reserved == 0 && std::all_of(bytes + known_bytes, bytes + size_bytes,
                                              [](unsigned char byte) { return byte == 0; });
}

/// Fills the members that both versions of a struct have, and clears the members that only the
/// caller's version has. Returns false for an invalid size. `info.struct_size` is ignored.
template <typename Info>
bool fill_struct(Info info, Info& out) {
  const std::size_t size_bytes = out.struct_size;
  if (!is_struct_size<Info>(size_bytes)) return false;
  info.struct_size = size_bytes;
  auto* bytes = reinterpret_cast<unsigned char*>(&out);
  const std::size_t known_bytes = std::min(size_bytes, sizeof(Info));
  std::memcpy(bytes, &info, known_bytes);
  std::memset(bytes + known_bytes, 0, size_bytes - known_bytes);
  return true;
}

}  // namespace muster::c_api
