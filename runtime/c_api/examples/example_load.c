// Loads all assets in the registries of a build, and prints their sizes.
//
//     example_load build/demo/client
//
// Exit codes: 0 all are loaded, 1 some failed, 2 usage or unreadable build.
#include <muster_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_NS 16666667

/// The entry of a type id, and the request that keeps it loaded.
typedef struct wanted_entry {
  muster_entry_info entry;
  muster_request request;  // 0 if the entry is not packed
  muster_status status;
} wanted_entry;

static int complain(const char* what, const char* why) {
  fprintf(stderr, "example_load: %s: %s\n", what, why);
  return 2;
}

/// Resolves every type id of a registry and requests its bundle. Returns the number of entries.
static uint32_t request_registry(muster_store* store, uint32_t registry,
                                 const muster_registry_info* info, wanted_entry* wanted) {
  uint32_t count = 0;
  for (uint32_t type_id = 0; type_id < info->type_id_end; ++type_id) {
    wanted_entry* next = &wanted[count];
    memset(next, 0, sizeof *next);
    next->entry.struct_size = sizeof next->entry;
    if (muster_resolve(store, registry, type_id, &next->entry) != MUSTER_OK) continue;
    if (next->entry.bundle != MUSTER_NONE) {
      next->status = muster_request_bundle(store, next->entry.bundle, NULL, &next->request);
    }
    ++count;
  }
  return count;
}

/// Updates once a frame until nothing is loading.
static void wait_for_all(muster_store* store, wanted_entry* wanted, uint32_t count) {
  int64_t now_ns = 0;
  uint32_t loading = 1;
  while (loading > 0) {
    loading = 0;
    muster_update(store, now_ns);
    now_ns += FRAME_NS;  // A game simulates and draws here.
    for (uint32_t i = 0; i < count; ++i) {
      muster_load_state state = MUSTER_FAILED;
      if (wanted[i].request == 0) continue;
      wanted[i].status = muster_poll(store, wanted[i].request, &state);
      if (state == MUSTER_LOADING) ++loading;
    }
  }
}

/// Finds the bytes of an asset: the flattened form of a prefab, or the main payload.
static muster_status find_bytes(muster_store* store, const wanted_entry* wanted,
                                muster_part* part) {
  part->struct_size = sizeof *part;
  const muster_status status =
      muster_bytes(store, wanted->request, &wanted->entry.guid, MUSTER_FLATTENED_PREFAB, part);
  if (status != MUSTER_NOT_FOUND) return status;
  return muster_bytes(store, wanted->request, &wanted->entry.guid, MUSTER_MAIN_PAYLOAD, part);
}

/// Prints a line for each entry and releases its request. Returns the number of failed entries.
static uint32_t print_all(muster_store* store, wanted_entry* wanted, uint32_t count) {
  uint32_t failures = 0;
  for (uint32_t i = 0; i < count; ++i) {
    wanted_entry* entry = &wanted[i];
    char guid[33];
    muster_part part;
    muster_guid_print(&entry->entry.guid, guid);
    if (entry->status == MUSTER_OK && entry->request == 0) {
      printf("%5u  %s  not packed\n", entry->entry.type_id, guid);
      continue;
    }
    if (entry->status == MUSTER_OK) entry->status = find_bytes(store, entry, &part);
    if (entry->status == MUSTER_OK) {
      printf("%5u  %s  %llu bytes\n", entry->entry.type_id, guid,
             (unsigned long long)part.size_bytes);
    } else {
      printf("%5u  %s  %s\n", entry->entry.type_id, guid, muster_status_name(entry->status));
      ++failures;
    }
    muster_release(store, entry->request);
  }
  return failures;
}

static int load_everything(muster_store* store) {
  muster_catalog_info catalog;
  catalog.struct_size = sizeof catalog;
  if (muster_read_catalog(store, &catalog) != MUSTER_OK) {
    return complain("the catalog", muster_last_error(store));
  }
  printf("%s, %u registries, %u bundles\n", catalog.target == MUSTER_CLIENT ? "client" : "server",
         catalog.registry_count, catalog.bundle_count);
  uint32_t failures = 0;
  for (uint32_t registry = 0; registry < catalog.registry_count; ++registry) {
    muster_registry_info info;
    info.struct_size = sizeof info;
    if (muster_read_registry(store, registry, &info) != MUSTER_OK) {
      return complain("a registry", muster_last_error(store));
    }
    wanted_entry* wanted = calloc((size_t)info.type_id_end + 1, sizeof *wanted);
    if (wanted == NULL) return complain(info.class_name, "out of memory");
    const uint32_t count = request_registry(store, registry, &info, wanted);
    wait_for_all(store, wanted, count);
    printf("%s (%s)\n", info.class_name, info.path);
    failures += print_all(store, wanted, count);
    free(wanted);
  }
  return failures > 0 ? 1 : 0;
}

int main(int argc, char** argv) {
  char message[512];
  muster_store* store = NULL;
  if (argc != 2) return complain("usage", "example_load FOLDER, such as build/demo/client");
  if (muster_abi_version() != MUSTER_ABI_VERSION) return complain("library", "another version");
  if (muster_store_open(argv[1], NULL, &store, message, sizeof message) != MUSTER_OK) {
    return complain("cannot open the build", message);
  }
  const int result = load_everything(store);
  muster_store_close(store);
  return result;
}
