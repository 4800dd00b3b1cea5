// The state of a `muster_store`, and the functions that check arguments and report errors.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "registry/base/guid.h"
#include "registry/base/result.h"
#include "runtime/assets/bundle_loader.h"
#include "runtime/assets/bundle_store.h"
#include "runtime/assets/disk_source.h"
#include "runtime/assets/load_executor.h"
#include "runtime/c_api/muster_runtime.h"
#include "runtime/c_api/slot_table.h"
#include "runtime/c_api/struct_copy.h"

namespace muster::c_api {

/// The maximum number of requests of a store. Only a caller that does not release its requests
/// reaches this limit.
inline constexpr std::size_t kRequestsMax = std::size_t{1} << 20U;

/// Copies of a registry's texts. Each copy has a zero byte at its end, which the texts in the
/// catalog do not have.
struct RegistryTexts {
  std::string class_name;
  std::string path;
};

}  // namespace muster::c_api

// Members are destroyed from last to first, so each member is declared after the members that it
// uses.
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
  pid_t process = ::getpid();  ///< The process in which the threads of the executor exist.

  bool is_of_this_process() const { return process == ::getpid(); }
  const muster::CatalogReader& catalog() const { return store.catalog(); }

  /// Stores the message for `muster_last_error`. Never throws: if there is not enough memory, the
  /// message is empty.
  muster_status refuse(muster_status status, std::string_view message) noexcept;
};

namespace muster::c_api {

muster_status status_of(ErrorCode code);
muster_status refuse(muster_store& store, const Error& error);
muster_status refuse_null(muster_store& store);
muster_status refuse_forked(muster_store& store);

Guid guid_from(const muster_guid& guid);
muster_guid guid_to(const Guid& guid);

/// Calls `call`. If `call` throws, returns `complain(status, message)`.
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

/// Runs a function of a store. For a null store, returns `MUSTER_INVALID_ARGUMENT` without a
/// message.
template <typename Call>
muster_status guarded(muster_store* store, Call call) noexcept {
  if (store == nullptr) return MUSTER_INVALID_ARGUMENT;
  return caught(
      [store](muster_status status, const char* message) { return store->refuse(status, message); },
      [store, &call] {
        if (!store->is_of_this_process()) return refuse_forked(*store);
        return call(*store);
      });
}

/// Fills the caller's struct.
template <typename Info>
muster_status copy_out(muster_store& store, const Info& info, Info* out) {
  if (out == nullptr) return refuse_null(store);
  if (fill_struct(info, *out)) return MUSTER_OK;
  return store.refuse(MUSTER_INVALID_ARGUMENT,
                      "struct_size is " + std::to_string(out->struct_size) +
                          ", but this struct has " + std::to_string(sizeof(Info)) +
                          " bytes: set it before the call");
}

}  // namespace muster::c_api
