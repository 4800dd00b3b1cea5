#include "runtime/c_api/store_state.h"

#include <cstring>
#include <span>
#include <utility>

namespace muster::c_api {
namespace {

std::vector<RegistryTexts> texts_of_registries(const CatalogReader& catalog) {
  std::vector<RegistryTexts> texts;
  for (std::uint32_t i = 0; i < catalog.registry_count(); ++i) {
    const muster::CatalogRegistry registry = catalog.registry(muster::RegistryIndex{i});
    texts.push_back({std::string(registry.class_name), std::string(registry.path)});
  }
  return texts;
}

std::set<std::string, std::less<>> roles_of(const CatalogReader& catalog) {
  std::set<std::string, std::less<>> roles;
  for (std::uint32_t i = 0; i < catalog.entry_count(); ++i) {
    const std::string_view role = catalog.entry(i).role;
    if (!roles.contains(role)) roles.emplace(role);
  }
  return roles;
}

}  // namespace

muster_status status_of(muster::ErrorCode code) {
  using enum muster::ErrorCode;
  switch (code) {
    case invalid_argument:
      return MUSTER_INVALID_ARGUMENT;
    case not_found:
      return MUSTER_NOT_FOUND;
    case already_exists:
      return MUSTER_ALREADY_EXISTS;
    case permission_denied:
      return MUSTER_PERMISSION_DENIED;
    case no_space:
      return MUSTER_NO_SPACE;
    case io:
      return MUSTER_IO;
    case malformed:
      return MUSTER_MALFORMED;
    case truncated:
      return MUSTER_TRUNCATED;
    case unsupported_version:
      return MUSTER_UNSUPPORTED_VERSION;
    case limit_exceeded:
      return MUSTER_LIMIT_EXCEEDED;
    case hash_mismatch:
      return MUSTER_HASH_MISMATCH;
    case busy:
      return MUSTER_BUSY;
    case cancelled:
      return MUSTER_CANCELLED;
    case timed_out:
      return MUSTER_TIMED_OUT;
    case unsupported:
      return MUSTER_UNSUPPORTED;
  }
  return MUSTER_INTERNAL;
}

muster_status refuse(muster_store& store, const Error& error) {
  return store.refuse(status_of(error.code), error.message);
}

muster_status refuse_null(muster_store& store) {
  return store.refuse(MUSTER_INVALID_ARGUMENT, "a pointer is null");
}

muster_status refuse_forked(muster_store& store) {
  return store.refuse(
      MUSTER_WRONG_PROCESS,
      "the store was opened before this process was forked: open another store in this process");
}

Guid guid_from(const muster_guid& guid) {
  return Guid::from_bytes(std::as_bytes(std::span(guid.bytes)));
}

muster_guid guid_to(const Guid& guid) {
  muster_guid result;
  std::memcpy(result.bytes, guid.bytes().data(), sizeof result.bytes);
  return result;
}

}  // namespace muster::c_api

using muster::c_api::roles_of;
using muster::c_api::texts_of_registries;

muster_store::muster_store(std::unique_ptr<muster::PreadSource> opened_source,
                           muster::BundleStore opened, std::uint32_t threads,
                           const muster::LoaderOptions& options)
    : source(std::move(opened_source)),
      store(std::move(opened)),
      registries(texts_of_registries(store.catalog())),
      roles(roles_of(store.catalog())),
      executor(*source, store.catalog(), threads, store.memory(), store.dictionaries()),
      loader(store, executor, options) {}

muster_status muster_store::refuse(muster_status status, std::string_view message) noexcept {
  try {
    last_error = message;
  } catch (...) {
    last_error.clear();
  }
  return status;
}
