// The functions that read the catalog, without loading a bundle.
#include <algorithm>
#include <optional>
#include <string>

#include "runtime/c_api/muster_runtime.h"
#include "runtime/c_api/store_state.h"

namespace muster::c_api {
namespace {

muster_status check_registry(muster_store& store, RegistryIndex registry) {
  const std::uint32_t count = store.catalog().registry_count();
  const std::uint32_t index = catalog_index(registry);
  if (index < count) return MUSTER_OK;
  return store.refuse(MUSTER_INVALID_ARGUMENT, "there is no registry " + std::to_string(index) +
                                                   ": the catalog has " + std::to_string(count));
}

muster_status refuse_type_id(muster_store& store, RegistryIndex registry, TypeId type_id) {
  return store.refuse(MUSTER_NOT_FOUND, "type id " + std::to_string(type_id.value()) +
                                            " of registry " +
                                            store.registries[catalog_index(registry)].class_name +
                                            " is not assigned");
}

muster_status write_entry(muster_store& store, std::uint32_t index, muster_entry_info* out) {
  const CatalogEntry entry = store.catalog().entry(index);
  muster_entry_info info{};
  info.role = store.roles.find(entry.role)->c_str();
  info.guid = guid_to(entry.guid);
  info.owner = guid_to(entry.owner);
  info.type_id = entry.type_id.value();
  info.bundle = entry.bundle;
  if (entry.targets.has(Target::client)) info.targets |= MUSTER_CLIENT;
  if (entry.targets.has(Target::server)) info.targets |= MUSTER_SERVER;
  info.is_factory = entry.is_factory ? 1 : 0;
  return copy_out(store, info, out);
}

}  // namespace
}  // namespace muster::c_api

using namespace muster;         // NOLINT(google-build-using-namespace)
using namespace muster::c_api;  // NOLINT(google-build-using-namespace)

muster_status muster_read_catalog(muster_store* store, muster_catalog_info* info) {
  return guarded(store, [&](muster_store& self) {
    const CatalogReader& catalog = self.catalog();
    muster_catalog_info found{};
    found.target = catalog.target() == Target::client ? MUSTER_CLIENT : MUSTER_SERVER;
    found.registry_count = catalog.registry_count();
    found.entry_count = catalog.entry_count();
    found.bundle_count = catalog.bundle_count();
    std::ranges::copy(catalog.fingerprint().bytes, found.fingerprint);
    std::ranges::copy(catalog.agreement().bytes, found.agreement);
    return copy_out(self, found, info);
  });
}

muster_status muster_read_registry(muster_store* store, uint32_t registry,
                                   muster_registry_info* info) {
  return guarded(store, [&](muster_store& self) {
    const RegistryIndex index{registry};
    if (const muster_status status = check_registry(self, index)) return status;
    const CatalogRegistry record = self.catalog().registry(index);
    muster_registry_info found{};
    found.class_name = self.registries[registry].class_name.c_str();
    found.path = self.registries[registry].path.c_str();
    found.guid = guid_to(record.guid);
    found.type_id_end = record.slot_count;
    found.first_entry = record.first_entry;
    found.entry_count = record.entry_count;
    return copy_out(self, found, info);
  });
}

muster_status muster_find_registry(muster_store* store, const char* class_name,
                                   uint32_t* registry) {
  return guarded(store, [&](muster_store& self) -> muster_status {
    if (class_name == nullptr || registry == nullptr) return refuse_null(self);
    const auto found = std::ranges::find(self.registries, class_name, &RegistryTexts::class_name);
    if (found == self.registries.end()) {
      return self.refuse(MUSTER_NOT_FOUND,
                         "the catalog has no registry of class " + std::string(class_name));
    }
    *registry = static_cast<std::uint32_t>(found - self.registries.begin());
    return MUSTER_OK;
  });
}

muster_status muster_resolve(muster_store* store, uint32_t registry, uint32_t type_id,
                             muster_entry_info* info) {
  return guarded(store, [&](muster_store& self) {
    const RegistryIndex index{registry};
    const TypeId type(type_id);
    if (const muster_status status = check_registry(self, index)) return status;
    const ResolvedType* resolved = self.store.resolve(index, type);
    if (resolved == nullptr) return refuse_type_id(self, index, type);
    return write_entry(self, resolved->entry, info);
  });
}

muster_status muster_find_entries(muster_store* store, uint32_t registry, uint32_t type_id,
                                  uint32_t* first, uint32_t* count) {
  return guarded(store, [&](muster_store& self) -> muster_status {
    const RegistryIndex index{registry};
    const TypeId type(type_id);
    if (const muster_status status = check_registry(self, index)) return status;
    if (first == nullptr || count == nullptr) return refuse_null(self);
    const RecordRange range = self.catalog().entries_of(self.catalog().registry(index), type);
    if (range.count == 0) return refuse_type_id(self, index, type);
    *first = range.first;
    *count = range.count;
    return MUSTER_OK;
  });
}

muster_status muster_read_entry(muster_store* store, uint32_t entry, muster_entry_info* info) {
  return guarded(store, [&](muster_store& self) {
    const std::uint32_t count = self.catalog().entry_count();
    if (entry < count) return write_entry(self, entry, info);
    return self.refuse(MUSTER_INVALID_ARGUMENT, "there is no entry " + std::to_string(entry) +
                                                    ": the catalog has " + std::to_string(count));
  });
}

muster_status muster_find_bundle(muster_store* store, const muster_guid* guid, uint32_t* bundle) {
  return guarded(store, [&](muster_store& self) -> muster_status {
    if (guid == nullptr || bundle == nullptr) return refuse_null(self);
    const Guid asset = guid_from(*guid);
    const std::optional<std::uint32_t> found = self.catalog().bundle_of(asset);
    if (!found) {
      return self.refuse(MUSTER_NOT_FOUND, why_not_packed(self.catalog(), asset).message);
    }
    *bundle = *found;
    return MUSTER_OK;
  });
}
