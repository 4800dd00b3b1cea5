// Checks everything that old programs rely on: numbers, sizes, offsets, and the results of every
// function with valid and invalid arguments.
//
//     test_c_api BUILD/client DAMAGED/client EMPTY/client
//
// In DAMAGED each bundle has a wrong byte; EMPTY contains only the catalog.
#define _POSIX_C_SOURCE 200809L  // NOLINT(bugprone-reserved-identifier): `fork`

#include <muster_runtime.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAME(name, number) _Static_assert((name) == (number), #name)
SAME(MUSTER_ABI_VERSION, 1);
SAME(MUSTER_OK, 0);
SAME(MUSTER_INVALID_ARGUMENT, 1);
SAME(MUSTER_NOT_FOUND, 2);
SAME(MUSTER_ALREADY_EXISTS, 3);
SAME(MUSTER_PERMISSION_DENIED, 4);
SAME(MUSTER_NO_SPACE, 5);
SAME(MUSTER_IO, 6);
SAME(MUSTER_MALFORMED, 7);
SAME(MUSTER_TRUNCATED, 8);
SAME(MUSTER_UNSUPPORTED_VERSION, 9);
SAME(MUSTER_LIMIT_EXCEEDED, 10);
SAME(MUSTER_HASH_MISMATCH, 11);
SAME(MUSTER_BUSY, 12);
SAME(MUSTER_CANCELLED, 13);
SAME(MUSTER_TIMED_OUT, 14);
SAME(MUSTER_UNSUPPORTED, 15);
SAME(MUSTER_STALE_REQUEST, 100);
SAME(MUSTER_OUT_OF_MEMORY, 101);
SAME(MUSTER_INTERNAL, 102);
SAME(MUSTER_WRONG_PROCESS, 103);
SAME(MUSTER_CLIENT, 1);
SAME(MUSTER_SERVER, 2);
SAME(MUSTER_PRIORITY_DEFAULT, 0);
SAME(MUSTER_PRIORITY_HINT, 1);
SAME(MUSTER_PRIORITY_LEVEL, 2);
SAME(MUSTER_PRIORITY_VISIBLE, 3);
SAME(MUSTER_PRIORITY_NEEDED, 4);
SAME(MUSTER_LOADING, 0);
SAME(MUSTER_READY, 1);
SAME(MUSTER_FAILED, 2);
SAME(MUSTER_KIND_OBJECT, 1);
SAME(MUSTER_KIND_PREFAB, 2);
SAME(MUSTER_KIND_RAW, 3);
SAME(MUSTER_KIND_IMPORT_SETTINGS, 4);
SAME(MUSTER_KIND_TEXT, 5);
SAME(MUSTER_MAIN_PAYLOAD, 0);
SAME(MUSTER_FLATTENED_PREFAB, 1);
SAME(MUSTER_IMPORT_SETTINGS, 2);
SAME(MUSTER_NONE, UINT32_MAX);

SAME(sizeof(muster_status), 4);
SAME(sizeof(muster_target), 4);
SAME(sizeof(muster_priority), 4);
SAME(sizeof(muster_load_state), 4);
SAME(sizeof(muster_entry_kind), 4);
SAME(sizeof(muster_request), 8);
SAME(sizeof(muster_guid), 16);
#if UINTPTR_MAX == UINT64_MAX
SAME(sizeof(muster_store_options), 40);
SAME(offsetof(muster_store_options, struct_size), 0);
SAME(offsetof(muster_store_options, memory_budget_bytes), 8);
SAME(offsetof(muster_store_options, start_budget_bytes), 16);
SAME(offsetof(muster_store_options, thread_count), 24);
SAME(offsetof(muster_store_options, reserved), 28);
SAME(offsetof(muster_store_options, variants), 32);
SAME(sizeof(muster_catalog_info), 56);
SAME(offsetof(muster_catalog_info, struct_size), 0);
SAME(offsetof(muster_catalog_info, target), 8);
SAME(offsetof(muster_catalog_info, registry_count), 12);
SAME(offsetof(muster_catalog_info, entry_count), 16);
SAME(offsetof(muster_catalog_info, bundle_count), 20);
SAME(offsetof(muster_catalog_info, fingerprint), 24);
SAME(offsetof(muster_catalog_info, agreement), 40);
SAME(sizeof(muster_registry_info), 56);
SAME(offsetof(muster_registry_info, struct_size), 0);
SAME(offsetof(muster_registry_info, class_name), 8);
SAME(offsetof(muster_registry_info, path), 16);
SAME(offsetof(muster_registry_info, guid), 24);
SAME(offsetof(muster_registry_info, type_id_end), 40);
SAME(offsetof(muster_registry_info, first_entry), 44);
SAME(offsetof(muster_registry_info, entry_count), 48);
SAME(sizeof(muster_entry_info), 64);
SAME(offsetof(muster_entry_info, struct_size), 0);
SAME(offsetof(muster_entry_info, role), 8);
SAME(offsetof(muster_entry_info, guid), 16);
SAME(offsetof(muster_entry_info, owner), 32);
SAME(offsetof(muster_entry_info, type_id), 48);
SAME(offsetof(muster_entry_info, bundle), 52);
SAME(offsetof(muster_entry_info, targets), 56);
SAME(offsetof(muster_entry_info, is_factory), 60);
SAME(sizeof(muster_request_options), 24);
SAME(offsetof(muster_request_options, struct_size), 0);
SAME(offsetof(muster_request_options, deadline_ns), 8);
SAME(offsetof(muster_request_options, priority), 16);
SAME(offsetof(muster_request_options, reserved), 20);
SAME(sizeof(muster_part), 32);
SAME(offsetof(muster_part, struct_size), 0);
SAME(offsetof(muster_part, data), 8);
SAME(offsetof(muster_part, size_bytes), 16);
SAME(offsetof(muster_part, kind), 24);
SAME(offsetof(muster_part, reserved), 28);
#endif

static int failure_count = 0;  // NOLINT(*-avoid-non-const-global-variables): C's way

static void check(int is_true, const char* what, int line) {
  if (is_true) return;
  fprintf(stderr, "abi_test.c:%d: %s\n", line, what);
  ++failure_count;
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

static muster_store* open_build(const char* folder, const muster_store_options* options) {
  char message[256] = "";
  muster_store* store = NULL;
  const muster_status status = muster_store_open(folder, options, &store, message, sizeof message);
  if (status != MUSTER_OK) fprintf(stderr, "%s\n", message);
  CHECK(status == MUSTER_OK);
  return store;
}

static void check_library(void) {
  static const char* const canonical = "00112233445566778899aabbccddeeff";
  muster_guid guid;
  char text[33];
  CHECK(muster_abi_version() == MUSTER_ABI_VERSION);
  CHECK(strcmp(muster_version(), MUSTER_VERSION) == 0);
  CHECK(strcmp(muster_status_name(MUSTER_OK), "ok") == 0);
  CHECK(strcmp(muster_status_name(MUSTER_NOT_FOUND), "not_found") == 0);
  CHECK(strcmp(muster_status_name(MUSTER_TIMED_OUT), "timed_out") == 0);
  CHECK(strcmp(muster_status_name(MUSTER_STALE_REQUEST), "stale_request") == 0);
  CHECK(strcmp(muster_status_name(MUSTER_OUT_OF_MEMORY), "out_of_memory") == 0);
  CHECK(strcmp(muster_status_name(MUSTER_INTERNAL), "internal") == 0);
  CHECK(strcmp(muster_status_name(16), "unknown") == 0);
  CHECK(strcmp(muster_status_name(-1), "unknown") == 0);
  CHECK(muster_guid_parse(canonical, &guid) == MUSTER_OK);
  CHECK(guid.bytes[0] == 0x00 && guid.bytes[1] == 0x11 && guid.bytes[15] == 0xff);
  CHECK(muster_guid_print(&guid, text) == MUSTER_OK && strcmp(text, canonical) == 0);
  CHECK(muster_guid_parse("00112233445566778899AABBCCDDEEFF", &guid) == MUSTER_MALFORMED);
  CHECK(muster_guid_parse("", &guid) == MUSTER_MALFORMED);
  CHECK(muster_guid_parse(NULL, &guid) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_guid_parse(canonical, NULL) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_guid_print(NULL, text) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_guid_print(&guid, NULL) == MUSTER_INVALID_ARGUMENT);
}

static void check_opening(const char* folder) {
  char message[256] = "";
  char small[8];
  muster_store* store = NULL;
  CHECK(muster_store_open("no/such/folder", NULL, &store, message, sizeof message) ==
        MUSTER_NOT_FOUND);
  CHECK(store == NULL && strstr(message, "no/such/folder/catalog.mcat") != NULL);
  CHECK(muster_store_open("no/such/folder", NULL, &store, small, sizeof small) == MUSTER_NOT_FOUND);
  CHECK(strlen(small) == 7 && strncmp(small, message, 7) == 0);
  CHECK(muster_store_open("no/such/folder", NULL, &store, NULL, 0) == MUSTER_NOT_FOUND);
  CHECK(muster_store_open(NULL, NULL, &store, message, sizeof message) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_store_open("", NULL, &store, NULL, 0) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_store_open(folder, NULL, NULL, message, sizeof message) == MUSTER_INVALID_ARGUMENT);

  // Invalid options of this version, and options of a newer version.
  struct {
    muster_store_options known;
    uint64_t newer;
  } options = {0};
  CHECK(muster_store_open(folder, &options.known, &store, NULL, 0) == MUSTER_INVALID_ARGUMENT);
  options.known.struct_size = sizeof options;
  options.newer = 1;
  CHECK(muster_store_open(folder, &options.known, &store, NULL, 0) == MUSTER_INVALID_ARGUMENT);
  options.newer = 0;
  options.known.reserved = 1;
  CHECK(muster_store_open(folder, &options.known, &store, NULL, 0) == MUSTER_INVALID_ARGUMENT);
  options.known.reserved = 0;
  options.known.thread_count = 65;
  CHECK(muster_store_open(folder, &options.known, &store, NULL, 0) == MUSTER_INVALID_ARGUMENT);
  options.known.thread_count = 1;
  options.known.variants = "quality";
  CHECK(muster_store_open(folder, &options.known, &store, message, sizeof message) ==
        MUSTER_INVALID_ARGUMENT);
  options.known.variants = "quality=low,size=";
  CHECK(muster_store_open(folder, &options.known, &store, message, sizeof message) ==
        MUSTER_INVALID_ARGUMENT);
  CHECK(strstr(message, "'size'") != NULL);
  options.known.variants = "quality=low";
  store = open_build(folder, &options.known);
  CHECK(muster_store_close(store) == MUSTER_OK);
  // The struct of a version-1 caller has no variants.
  options.known.struct_size = offsetof(muster_store_options, variants);
  options.known.variants = "quality";
  store = open_build(folder, &options.known);
  CHECK(strcmp(muster_last_error(store), "") == 0);
  CHECK(muster_store_close(store) == MUSTER_OK);
}

// Every function fails at once in a child of `fork`.
static void check_fork(const char* folder) {
  muster_store* store = open_build(folder, NULL);
  const pid_t child = fork();
  if (child == 0) {
    muster_request request = 0;
    alarm(60);  // A call that waits for threads of the parent would never end.
    const int is_refused =
        muster_request_bundle(store, 0, NULL, &request) == MUSTER_WRONG_PROCESS &&
        muster_update(store, 0) == MUSTER_WRONG_PROCESS &&
        muster_finish(store, 1, 0) == MUSTER_WRONG_PROCESS &&
        muster_store_close(store) == MUSTER_WRONG_PROCESS &&
        strstr(muster_last_error(store), "forked") != NULL;
    _exit(is_refused ? 0 : 1);
  }
  int ended = -1;
  CHECK(child > 0 && waitpid(child, &ended, 0) == child && ended == 0);
  CHECK(muster_store_close(store) == MUSTER_OK);
  CHECK(strcmp(muster_status_name(MUSTER_WRONG_PROCESS), "wrong_process") == 0);
}

static void check_null_store(void) {
  muster_catalog_info catalog;
  muster_registry_info registry;
  muster_entry_info entry;
  muster_part part;
  muster_guid guid = {{0}};
  muster_request request = 0;
  muster_load_state state = MUSTER_READY;
  uint32_t number = 0;
  CHECK(muster_store_close(NULL) == MUSTER_INVALID_ARGUMENT);
  CHECK(strcmp(muster_last_error(NULL), "") != 0);
  CHECK(muster_read_catalog(NULL, &catalog) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_read_registry(NULL, 0, &registry) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_find_registry(NULL, "HeroTypeRegistry", &number) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_resolve(NULL, 0, 1, &entry) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_find_entries(NULL, 0, 1, &number, &number) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_read_entry(NULL, 0, &entry) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_find_bundle(NULL, &guid, &number) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_request_asset(NULL, &guid, NULL, &request) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_request_bundle(NULL, 0, NULL, &request) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_update(NULL, 0) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_poll(NULL, 1, &state) == MUSTER_INVALID_ARGUMENT && state == MUSTER_FAILED);
  CHECK(muster_finish(NULL, 1, 0) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_bytes(NULL, 1, &guid, 0, &part) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_release(NULL, 1) == MUSTER_INVALID_ARGUMENT);
}

static void check_structs(muster_store* store) {
  struct {
    muster_catalog_info known;
    uint64_t newer;
  } info;
  memset(&info, 0xff, sizeof info);
  CHECK(muster_read_catalog(store, &info.known) == MUSTER_INVALID_ARGUMENT);
  CHECK(strstr(muster_last_error(store), "struct_size") != NULL);
  info.known.struct_size = sizeof info.known - 1;
  CHECK(muster_read_catalog(store, &info.known) == MUSTER_INVALID_ARGUMENT);
  info.known.struct_size = sizeof info;
  CHECK(muster_read_catalog(store, &info.known) == MUSTER_OK);
  CHECK(info.known.struct_size == sizeof info && info.newer == 0);
  CHECK(info.known.target == MUSTER_CLIENT);
  CHECK(info.known.registry_count > 0 && info.known.entry_count > 0 && info.known.bundle_count > 0);
  CHECK(memcmp(info.known.fingerprint, info.known.agreement, 16) != 0);
  CHECK(muster_read_catalog(store, NULL) == MUSTER_INVALID_ARGUMENT);
}

static void check_registries(muster_store* store) {
  uint32_t index = MUSTER_NONE;
  muster_registry_info info;
  info.struct_size = sizeof info;
  CHECK(muster_find_registry(store, "HeroTypeRegistry", &index) == MUSTER_OK);
  CHECK(muster_read_registry(store, index, &info) == MUSTER_OK);
  CHECK(strcmp(info.class_name, "HeroTypeRegistry") == 0);
  CHECK(strstr(info.path, "heroes") != NULL);
  CHECK(info.type_id_end > 0 && info.entry_count > 0);
  CHECK(muster_find_registry(store, "NoSuchRegistry", &index) == MUSTER_NOT_FOUND);
  CHECK(strstr(muster_last_error(store), "NoSuchRegistry") != NULL);
  CHECK(muster_find_registry(store, NULL, &index) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_find_registry(store, "HeroTypeRegistry", NULL) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_read_registry(store, MUSTER_NONE, &info) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_read_registry(store, 0, NULL) == MUSTER_INVALID_ARGUMENT);
}

/// Finds the item with the most entries, and checks that all its entries have the item's type id.
static void check_entries(muster_store* store) {
  uint32_t registry = 0, first = 0, count = 0, bundle = 0, resolved_count = 0;
  muster_registry_info info;
  muster_entry_info entry, sibling;
  info.struct_size = sizeof info;
  entry.struct_size = sizeof entry;
  sibling.struct_size = sizeof sibling;
  CHECK(muster_find_registry(store, "ItemRegistry", &registry) == MUSTER_OK);
  CHECK(muster_read_registry(store, registry, &info) == MUSTER_OK);
  for (uint32_t type_id = 0; type_id < info.type_id_end; ++type_id) {
    if (muster_resolve(store, registry, type_id, &entry) != MUSTER_OK) continue;
    ++resolved_count;
    CHECK(entry.type_id == type_id && entry.is_factory <= 1 && (entry.targets & MUSTER_CLIENT));
    CHECK(strcmp(entry.role, "") != 0);
    CHECK(muster_find_entries(store, registry, type_id, &first, &count) == MUSTER_OK);
    CHECK(first >= info.first_entry && first + count <= info.first_entry + info.entry_count);
    int is_found = 0;
    for (uint32_t i = first; i < first + count; ++i) {
      CHECK(muster_read_entry(store, i, &sibling) == MUSTER_OK && sibling.type_id == type_id);
      is_found |= memcmp(&sibling.guid, &entry.guid, sizeof entry.guid) == 0;
    }
    CHECK(is_found);
    CHECK(muster_find_bundle(store, &entry.guid, &bundle) == MUSTER_OK && bundle == entry.bundle);
  }
  CHECK(resolved_count > 0);
  const muster_guid none = {{0}};
  CHECK(muster_resolve(store, registry, MUSTER_NONE, &entry) == MUSTER_NOT_FOUND);
  CHECK(muster_resolve(store, MUSTER_NONE, 1, &entry) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_resolve(store, registry, 1, NULL) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_find_entries(store, registry, MUSTER_NONE, &first, &count) == MUSTER_NOT_FOUND);
  CHECK(muster_find_entries(store, MUSTER_NONE, 1, &first, &count) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_find_entries(store, registry, 1, NULL, &count) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_find_entries(store, registry, 1, &first, NULL) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_read_entry(store, MUSTER_NONE, &entry) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_read_entry(store, 0, NULL) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_find_bundle(store, &none, &bundle) == MUSTER_NOT_FOUND);
  CHECK(muster_find_bundle(store, NULL, &bundle) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_find_bundle(store, &none, NULL) == MUSTER_INVALID_ARGUMENT);
}

static muster_entry_info first_item(muster_store* store) {
  uint32_t registry = 0;
  muster_entry_info entry;
  entry.struct_size = sizeof entry;
  CHECK(muster_find_registry(store, "ItemRegistry", &registry) == MUSTER_OK);
  CHECK(muster_resolve(store, registry, 1, &entry) == MUSTER_OK);
  return entry;
}

static void check_loading(muster_store* store) {
  const muster_entry_info item = first_item(store);
  muster_request request = 0, again = 0;
  muster_load_state state = MUSTER_FAILED;
  muster_part part;
  part.struct_size = sizeof part;
  CHECK(muster_request_asset(store, &item.guid, NULL, &request) == MUSTER_OK && request != 0);
  CHECK(muster_poll(store, request, &state) == MUSTER_OK && state == MUSTER_LOADING);
  CHECK(muster_bytes(store, request, &item.guid, MUSTER_FLATTENED_PREFAB, &part) == MUSTER_BUSY);
  CHECK(muster_update(store, 1) == MUSTER_OK);
  CHECK(muster_finish(store, request, 2) == MUSTER_OK);
  CHECK(muster_poll(store, request, &state) == MUSTER_OK && state == MUSTER_READY);
  CHECK(muster_bytes(store, request, &item.guid, MUSTER_FLATTENED_PREFAB, &part) == MUSTER_OK);
  CHECK(part.data != NULL && part.size_bytes > 0 && part.kind == MUSTER_KIND_PREFAB);
  CHECK(part.struct_size == sizeof part && part.reserved == 0);
  CHECK(muster_bytes(store, request, &item.guid, INT64_MIN, &part) == MUSTER_NOT_FOUND);
  CHECK(muster_bytes(store, request, NULL, 0, &part) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_bytes(store, request, &item.guid, 1, NULL) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_poll(store, request, NULL) == MUSTER_INVALID_ARGUMENT);

  // A second request keeps the bundle when the first one is released and becomes invalid.
  CHECK(muster_request_bundle(store, item.bundle, NULL, &again) == MUSTER_OK && again != request);
  CHECK(muster_release(store, request) == MUSTER_OK);
  CHECK(muster_poll(store, again, &state) == MUSTER_OK && state == MUSTER_READY);
  CHECK(muster_release(store, request) == MUSTER_STALE_REQUEST);
  CHECK(muster_poll(store, request, &state) == MUSTER_STALE_REQUEST && state == MUSTER_FAILED);
  CHECK(muster_finish(store, request, 3) == MUSTER_STALE_REQUEST);
  CHECK(muster_bytes(store, request, &item.guid, 1, &part) == MUSTER_STALE_REQUEST);
  CHECK(muster_poll(store, 0, &state) == MUSTER_STALE_REQUEST);
  CHECK(muster_poll(store, UINT64_MAX, &state) == MUSTER_STALE_REQUEST);
  CHECK(muster_request_bundle(store, item.bundle, NULL, &request) == MUSTER_OK);
  CHECK(muster_release(store, request) == MUSTER_OK && muster_release(store, again) == MUSTER_OK);
}

static void check_bad_requests(muster_store* store) {
  const muster_entry_info item = first_item(store);
  const muster_guid none = {{0}};
  muster_request request = 0;
  muster_request_options options = {0};
  CHECK(muster_request_asset(store, &none, NULL, &request) == MUSTER_NOT_FOUND);
  CHECK(muster_request_asset(store, NULL, NULL, &request) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_request_asset(store, &item.guid, NULL, NULL) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_request_bundle(store, MUSTER_NONE, NULL, &request) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_request_bundle(store, 0, NULL, NULL) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_request_bundle(store, 0, &options, &request) == MUSTER_INVALID_ARGUMENT);
  options.struct_size = sizeof options;
  options.priority = MUSTER_PRIORITY_NEEDED + 1;
  CHECK(muster_request_bundle(store, 0, &options, &request) == MUSTER_INVALID_ARGUMENT);
  options.priority = -1;
  CHECK(muster_request_bundle(store, 0, &options, &request) == MUSTER_INVALID_ARGUMENT);
  options.priority = MUSTER_PRIORITY_HINT;
  options.deadline_ns = -1;
  CHECK(muster_request_bundle(store, 0, &options, &request) == MUSTER_INVALID_ARGUMENT);
  options.deadline_ns = 5;
  CHECK(request == 0);

  // The deadline of this request passes before its load begins.
  muster_load_state state = MUSTER_READY;
  CHECK(muster_request_bundle(store, 0, &options, &request) == MUSTER_OK);
  CHECK(muster_update(store, -1) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_finish(store, request, -1) == MUSTER_INVALID_ARGUMENT);
  CHECK(muster_update(store, 10) == MUSTER_OK);
  CHECK(muster_poll(store, request, &state) == MUSTER_TIMED_OUT && state == MUSTER_FAILED);
  CHECK(strstr(muster_last_error(store), "deadline") != NULL);
  CHECK(muster_finish(store, request, 10) == MUSTER_TIMED_OUT);
  CHECK(muster_release(store, request) == MUSTER_OK);
}

/// Every bundle of a folder fails with the same status and a message.
static void check_failing(const char* folder, const muster_store_options* options,
                          muster_status reason) {
  muster_store* store = open_build(folder, options);
  const muster_entry_info item = first_item(store);
  muster_request request = 0;
  muster_load_state state = MUSTER_READY;
  muster_part part;
  part.struct_size = sizeof part;
  CHECK(muster_request_bundle(store, item.bundle, NULL, &request) == MUSTER_OK);
  CHECK(muster_finish(store, request, 0) == reason);
  CHECK(muster_poll(store, request, &state) == reason && state == MUSTER_FAILED);
  CHECK(strstr(muster_last_error(store), ".mbundle") != NULL);
  CHECK(muster_bytes(store, request, &item.guid, 1, &part) == reason);
  CHECK(muster_store_close(store) == MUSTER_OK);  // with a request that is still open
}

/// Closes a store while everything is loading.
static void check_closing(const char* folder) {
  muster_store* store = open_build(folder, NULL);
  muster_catalog_info info;
  muster_request request = 0, last = 0;
  info.struct_size = sizeof info;
  CHECK(muster_read_catalog(store, &info) == MUSTER_OK);
  for (uint32_t bundle = 0; bundle < info.bundle_count; ++bundle) {
    CHECK(muster_request_bundle(store, bundle, NULL, &request) == MUSTER_OK && request != last);
    last = request;
  }
  CHECK(muster_update(store, 0) == MUSTER_OK);
  CHECK(muster_store_close(store) == MUSTER_OK);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  check_library();
  check_opening(argv[1]);
  check_fork(argv[1]);
  check_null_store();
  muster_store* store = open_build(argv[1], NULL);
  if (store == NULL) return 1;
  check_structs(store);
  check_registries(store);
  check_entries(store);
  check_loading(store);
  check_bad_requests(store);
  CHECK(muster_store_close(store) == MUSTER_OK);
  check_failing(argv[2], NULL, MUSTER_HASH_MISMATCH);
  check_failing(argv[3], NULL, MUSTER_NOT_FOUND);
  muster_store_options tight = {0};
  tight.struct_size = sizeof tight;
  tight.memory_budget_bytes = 1;
  check_failing(argv[1], &tight, MUSTER_LIMIT_EXCEEDED);
  check_closing(argv[1]);
  printf("%d failures\n", failure_count);
  return failure_count == 0 ? 0 : 1;
}
