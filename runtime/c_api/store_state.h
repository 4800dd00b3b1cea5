// What is behind a `muster_store`, and how its functions check and refuse.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "registry/vocabulary/guid.h"
#include "registry/vocabulary/result.h"
#include "runtime/assets/bundle_loader.h"
#include "runtime/assets/bundle_store.h"
#include "runtime/assets/disk_source.h"
#include "runtime/assets/load_executor.h"
#include "runtime/c_api/muster_runtime.h"
#include "runtime/c_api/slot_table.h"

namespace muster::c_api {

/// Somebody who has that many has forgotten to release them.
inline constexpr std::size_t kRequestsMax = std::size_t{1} << 20U;
/// A larger `struct_size` is one that nobody has set.
inline constexpr std::size_t kStructBytesMax = 4096;

/// A registry's texts with the zero byte that the catalog does without.
struct RegistryTexts {
  std::string class_name;
  std::string path;
};

}  // namespace muster::c_api

// The members are destroyed from the last to the first, each before what it depends on.
struct muster_store {  // NOLINT(readability-identifier-naming): the header's name
  /// Starts the threads.
  muster_store(std::unique_ptr<muster::PreadSource> opened_source, muster::BundleStore opened,
               std::uint32_t threads, const muster::LoaderOptions& options);

  std::unique_ptr<muster::PreadSource> source;
  muster::BundleStore store;
  std::vector<muster::c_api::RegistryTexts> registries;
  std::set<std::string, std::less<>> roles;
  muster::ThreadedLoads executor;
  muster::BundleLoader loader;
  muster::SlotTable<muster::BundleHandle> requests{muster::c_api::kRequestsMax};
  std::string last_error;

  const muster::CatalogReader& catalog() const { return store.catalog(); }

  /// Keeps the message for `muster_last_error`. Never throws: without memory there is none.
  muster_status refuse(muster_status status, std::string_view message) noexcept;
};

namespace muster::c_api {

muster_status status_of(ErrorCode code);
muster_status refuse(muster_store& store, const Error& error);
muster_status refuse_null(muster_store& store);

Guid guid_from(const muster_guid& guid);
muster_guid guid_to(const Guid& guid);

/// Calls `complain(status, message)` with what `call` throws.
template <typename Complain, typename Call>
muster_status caught(Complain complain, Call call) noexcept {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return complain(MUSTER_OUT_OF_MEMORY, "out of memory");
  } catch (const std::system_error& thrown) {
    return complain(MUSTER_LIMIT_EXCEEDED, thrown.what());  // no more threads
  } catch (const std::exception& thrown) {
    return complain(MUSTER_INTERNAL, thrown.what());
  } catch (...) {
    return complain(MUSTER_INTERNAL, "an unknown exception");
  }
}

/// Runs one function of a store. A null store has nowhere to put a message.
template <typename Call>
muster_status guarded(muster_store* store, Call call) noexcept {
  if (store == nullptr) return MUSTER_INVALID_ARGUMENT;
  return caught(
      [store](muster_status status, const char* message) { return store->refuse(status, message); },
      [store, &call] { return call(*store); });
}

/// Copies a caller's options; null is all defaults. Returns false for a size that cannot be, and
/// for a newer member that asks for something.
template <typename Options>
bool copy_options(const Options* given, Options& options) {
  if (given == nullptr) return true;
  const std::size_t size_bytes = given->struct_size;
  if (size_bytes < sizeof(Options) || size_bytes > kStructBytesMax) return false;
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  const bool is_known = std::all_of(bytes + sizeof(Options), bytes + size_bytes,
                                    [](unsigned char byte) { return byte == 0; });
  std::memcpy(&options, given, sizeof(Options));
  return is_known && options.reserved == 0;
}

/// Fills a caller's struct as far as both know it. `info.struct_size` is not looked at.
template <typename Info>
muster_status copy_out(muster_store& store, Info info, Info* out) {
  if (out == nullptr) return refuse_null(store);
  const std::size_t size_bytes = out->struct_size;
  if (size_bytes < sizeof(Info) || size_bytes > kStructBytesMax) {
    return store.refuse(MUSTER_INVALID_ARGUMENT,
                        "struct_size is " + std::to_string(size_bytes) + ", but this struct has " +
                            std::to_string(sizeof(Info)) + " bytes: set it before the call");
  }
  info.struct_size = size_bytes;
  std::memcpy(out, &info, sizeof(Info));
  std::memset(reinterpret_cast<unsigned char*>(out) + sizeof(Info), 0, size_bytes - sizeof(Info));
  return MUSTER_OK;
}

}  // namespace muster::c_api
