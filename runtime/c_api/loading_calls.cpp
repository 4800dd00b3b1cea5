// The functions that load bundles. A request is the id of a `BundleHandle`.
#include <string>

#include "runtime/c_api/muster_runtime.h"
#include "runtime/c_api/store_state.h"

namespace muster::c_api {
namespace {

muster_status read_request(muster_store& store, const muster_request_options* given,
                           LoadRequest& request) {
  muster_request_options options{};
  const bool is_readable = copy_options(given, options);
  const bool is_priority =
      options.priority >= MUSTER_PRIORITY_DEFAULT && options.priority <= MUSTER_PRIORITY_NEEDED;
  if (!is_readable || !is_priority || options.deadline_ns < 0) {
    return store.refuse(MUSTER_INVALID_ARGUMENT,
                        "request options: set struct_size, clear unused members, and use a "
                        "priority of muster_priority and a deadline that is not negative");
  }
  if (options.priority != MUSTER_PRIORITY_DEFAULT) {
    request.priority = static_cast<LoadPriority>(options.priority - MUSTER_PRIORITY_HINT);
  }
  if (options.deadline_ns != 0) {
    request.deadline = Time(Duration(options.deadline_ns));
  }
  return MUSTER_OK;
}

muster_status add_request(muster_store& store, std::uint32_t bundle,
                          const muster_request_options* given, muster_request* out) {
  LoadRequest request;
  if (const muster_status status = read_request(store, given, request)) return status;
  if (store.requests.is_full()) {
    return store.refuse(MUSTER_LIMIT_EXCEEDED, "the store has " + std::to_string(kRequestsMax) +
                                                   " requests: release unused ones");
  }
  *out = store.requests.add(store.loader.request(bundle, request));
  return MUSTER_OK;
}

muster_status refuse_stale(muster_store& store, muster_request request) {
  return store.refuse(MUSTER_STALE_REQUEST,
                      "request " + std::to_string(request) + " was released, or never made");
}

muster_status refuse_failed(muster_store& store, const BundleHandle& handle) {
  return refuse(store, handle.error());
}

muster_status poll(muster_store& store, muster_request request, muster_load_state* state) {
  const BundleHandle* handle = store.requests.find(request);
  if (handle == nullptr) return refuse_stale(store, request);
  if (handle->state() == LoadState::failed) return refuse_failed(store, *handle);
  *state = handle->state() == LoadState::ready ? MUSTER_READY : MUSTER_LOADING;
  return MUSTER_OK;
}

muster_status find_part(muster_store& store, std::uint32_t bundle, const Guid& guid,
                        std::int64_t local_id, muster_part* out) {
  std::optional<std::uint32_t> holder;
  const auto search = [&](std::uint32_t one) {
    if (!holder && store.store.reader(one).find_index(guid, local_id)) holder = one;
  };
  search(bundle);
  store.store.choice().each_dependency(store.store.chosen(bundle), search);
  if (holder) {
    const Result<LoadedEntry> loaded = store.store.load_from(*holder, guid, local_id);
    if (!loaded) return refuse(store, loaded.error());
    muster_part part{};
    part.data = loaded.value().bytes.data();
    part.size_bytes = loaded.value().bytes.size();
    part.kind = static_cast<muster_entry_kind>(loaded.value().kind);
    return copy_out(store, part, out);
  }
  return store.refuse(MUSTER_NOT_FOUND, "bundle " + store.store.describe(bundle) +
                                            " and its dependencies have no part " +
                                            std::to_string(local_id) + " of asset " +
                                            guid.to_string());
}

}  // namespace
}  // namespace muster::c_api

using namespace muster;         // NOLINT(google-build-using-namespace)
using namespace muster::c_api;  // NOLINT(google-build-using-namespace)

muster_status muster_request_asset(muster_store* store, const muster_guid* guid,
                                   const muster_request_options* options, muster_request* request) {
  if (store != nullptr && request == nullptr) return refuse_null(*store);
  std::uint32_t bundle = 0;
  if (const muster_status status = muster_find_bundle(store, guid, &bundle)) return status;
  return muster_request_bundle(store, bundle, options, request);
}

muster_status muster_request_bundle(muster_store* store, uint32_t bundle,
                                    const muster_request_options* options,
                                    muster_request* request) {
  return guarded(store, [&](muster_store& self) {
    if (request == nullptr) return refuse_null(self);
    const std::uint32_t count = self.catalog().bundle_count();
    if (bundle < count) return add_request(self, bundle, options, request);
    return self.refuse(MUSTER_INVALID_ARGUMENT, "there is no bundle " + std::to_string(bundle) +
                                                    ": the catalog has " + std::to_string(count));
  });
}

muster_status muster_update(muster_store* store, int64_t now_ns) {
  return guarded(store, [&](muster_store& self) -> muster_status {
    if (now_ns < 0) return self.refuse(MUSTER_INVALID_ARGUMENT, "the time is negative");
    self.loader.update(Time(Duration(now_ns)));
    return MUSTER_OK;
  });
}

muster_status muster_poll(muster_store* store, muster_request request, muster_load_state* state) {
  if (state != nullptr) *state = MUSTER_FAILED;
  return guarded(store, [&](muster_store& self) {
    return state == nullptr ? refuse_null(self) : poll(self, request, state);
  });
}

muster_status muster_finish(muster_store* store, muster_request request, int64_t now_ns) {
  return guarded(store, [&](muster_store& self) -> muster_status {
    if (now_ns < 0) return self.refuse(MUSTER_INVALID_ARGUMENT, "the time is negative");
    const BundleHandle* handle = self.requests.find(request);
    if (handle == nullptr) return refuse_stale(self, request);
    const LoadState state = self.loader.finish(*handle, Time(Duration(now_ns)));
    return state == LoadState::failed ? refuse_failed(self, *handle) : MUSTER_OK;
  });
}

muster_status muster_bytes(muster_store* store, muster_request request, const muster_guid* guid,
                           int64_t local_id, muster_part* part) {
  return guarded(store, [&](muster_store& self) -> muster_status {
    if (guid == nullptr || part == nullptr) return refuse_null(self);
    muster_load_state state = MUSTER_LOADING;
    if (const muster_status status = poll(self, request, &state)) return status;
    if (state == MUSTER_LOADING) {
      return self.refuse(MUSTER_BUSY, "request " + std::to_string(request) + " is still loading");
    }
    return find_part(self, self.requests.find(request)->bundle(), guid_from(*guid), local_id, part);
  });
}

muster_status muster_release(muster_store* store, muster_request request) {
  return guarded(store, [&](muster_store& self) -> muster_status {
    return self.requests.remove(request) ? MUSTER_OK : refuse_stale(self, request);
  });
}
