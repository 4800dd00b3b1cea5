// Muster's runtime for other languages: finds the asset of a type id and loads its bytes from a
// build. The library is libmuster_runtime.so. Link `muster::runtime_c`, or load the library by
// name.
//
//     muster_store* store = NULL;
//     muster_request hero = 0;
//     muster_load_state state = MUSTER_LOADING;
//     muster_store_open("build/client", NULL, &store, message, sizeof message);
//     muster_request_asset(store, &guid, NULL, &hero);
//     muster_update(store, now_ns);                    // once a frame
//     if (muster_poll(store, hero, &state) == MUSTER_OK && state == MUSTER_READY) ...
//
// Rules for every function:
//
// - Threads: a store is used by one thread at a time. A store has its own threads for loading.
//   Different stores are independent. Functions without a store may be called from any thread.
// - Processes: a store belongs to the process that opened it. After `fork`, its loading threads do
//   not exist in the child process. In the child, every function of the store fails with
//   `MUSTER_WRONG_PROCESS`, and `muster_store_close` frees nothing. The child must open another
//   store.
// - Errors: a function that can fail returns a status, which the caller must check. No function
//   throws. A null pointer, an index out of range or a released request gives an error. The use of
//   a store after `muster_store_close` is not detected.
// - Outputs are written only with `MUSTER_OK`, unless the function says otherwise.
// - Texts are UTF-8, end with a zero byte, and belong to the library.
// - Structs begin with `struct_size`, which the caller sets to the `sizeof` of its struct. New
//   versions of this header add members at the end. In a result, the library fills the members that
//   it knows and sets all further bytes to zero. In options, zero means the default, and members
//   that the library does not know must be zero.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define MUSTER_API __attribute__((visibility("default")))
#else
#define MUSTER_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// NOLINTBEGIN(modernize-*,readability-identifier-naming): this is C.

/// The version of this interface, which is also in the name of the shared library. The version
/// increases when a program that was compiled with an older header could fail. Additions do not
/// increase the version.
#define MUSTER_ABI_VERSION 1

/// The reason why a call failed. The numbers never change. New numbers may be added, so keep a
/// default case.
typedef int32_t muster_status;
enum {
  MUSTER_OK = 0,
  MUSTER_INVALID_ARGUMENT = 1,     ///< A null pointer, an index out of range, or a wrong size.
  MUSTER_NOT_FOUND = 2,            ///< A file, asset, type id or registry does not exist.
  MUSTER_ALREADY_EXISTS = 3,       ///< Not returned by this version.
  MUSTER_PERMISSION_DENIED = 4,    ///< The operating system refused.
  MUSTER_NO_SPACE = 5,             ///< The disk or a quota is full. Not returned by this version.
  MUSTER_IO = 6,                   ///< Any other failure of the disk.
  MUSTER_MALFORMED = 7,            ///< Bytes that do not follow their format.
  MUSTER_TRUNCATED = 8,            ///< Bytes that end too early.
  MUSTER_UNSUPPORTED_VERSION = 9,  ///< A format version that this library does not read.
  MUSTER_LIMIT_EXCEEDED = 10,      ///< A limit was reached, for example the memory budget.
  MUSTER_HASH_MISMATCH = 11,       ///< Content does not match its hash.
  MUSTER_BUSY = 12,                ///< The request is still loading.
  MUSTER_CANCELLED = 13,           ///< The work was cancelled.
  MUSTER_TIMED_OUT = 14,           ///< Loading had not begun by the deadline.
  MUSTER_UNSUPPORTED = 15,         ///< The system or the library does not support the operation.
  MUSTER_STALE_REQUEST = 100,      ///< The request was released, or this store never made it.
  MUSTER_OUT_OF_MEMORY = 101,      ///< There is not enough memory.
  MUSTER_WRONG_PROCESS = 103,      ///< The store was opened before this process was forked.
  MUSTER_INTERNAL = 102            ///< A bug of this library; see the message.
};

/// The program for which a build's folder is made. `targets` of an entry is a set of these values
/// as bits.
typedef uint32_t muster_target;
enum { MUSTER_CLIENT = 1, MUSTER_SERVER = 2 };

/// The priority of a request. Requests with a higher number load first.
typedef int32_t muster_priority;
enum {
  MUSTER_PRIORITY_DEFAULT = 0,  ///< The same as `MUSTER_PRIORITY_VISIBLE`.
  MUSTER_PRIORITY_HINT = 1,     ///< The asset may be needed later.
  MUSTER_PRIORITY_LEVEL = 2,    ///< The asset is needed before the next level starts.
  MUSTER_PRIORITY_VISIBLE = 3,  ///< The asset would be visible if it were loaded.
  MUSTER_PRIORITY_NEEDED = 4    ///< The game waits for the asset.
};

/// The state of a request.
typedef int32_t muster_load_state;
enum { MUSTER_LOADING = 0, MUSTER_READY = 1, MUSTER_FAILED = 2 };

/// The format of a part's bytes; see Muster's BUNDLE_FORMAT.md.
typedef uint32_t muster_entry_kind;
enum {
  MUSTER_KIND_OBJECT = 1,           ///< A YAML asset in the object form.
  MUSTER_KIND_PREFAB = 2,           ///< A flattened prefab.
  MUSTER_KIND_RAW = 3,              ///< The bytes of the asset's file.
  MUSTER_KIND_IMPORT_SETTINGS = 4,  ///< The asset's `.meta`, in the object form.
  MUSTER_KIND_TEXT = 5              ///< The name of an asset that is not packed.
};

/// The fixed local ids of an asset's parts.
enum { MUSTER_MAIN_PAYLOAD = 0, MUSTER_FLATTENED_PREFAB = 1, MUSTER_IMPORT_SETTINGS = 2 };

/// Means "no index", for example for the bundle of an entry that is not packed.
#define MUSTER_NONE 0xFFFFFFFFu

/// The identity of an asset. All bytes are zero if there is no asset. This struct never grows.
typedef struct muster_guid {
  uint8_t bytes[16];
} muster_guid;

/// An open build. The caller owns it from `muster_store_open` to `muster_store_close`.
typedef struct muster_store muster_store;

/// A request keeps a bundle loaded, or loading, until `muster_release`. A request is valid only for
/// its store. Zero is never a valid request.
typedef uint64_t muster_request;

/// Options of a store.
typedef struct muster_store_options {
  size_t struct_size;
  /// The limit in bytes for the files and the decompressed parts of all open bundles; 0 means 1
  /// GiB. When a load needs memory, the store closes bundles without requests, beginning with the
  /// least recently used bundle. If that is not enough, the load fails.
  uint64_t memory_budget_bytes;
  /// The maximum total size of the bundle files whose loading starts in one update, in bytes; 0
  /// means 8 MiB. One bundle may always start.
  uint64_t start_budget_bytes;
  /// The number of loading threads; 0 means 2. The maximum is 64.
  uint32_t thread_count;
  uint32_t reserved;  ///< Must be zero.
  /// The chosen variants of the build, for example "quality=low,language=de". Null and "" choose
  /// the default of each axis. "quality=" chooses no value for the axis `quality`. The text is read
  /// only during the call.
  const char* variants;
} muster_store_options;

/// Facts about the whole build.
typedef struct muster_catalog_info {
  size_t struct_size;
  muster_target target;
  uint32_t registry_count;
  uint32_t entry_count;
  uint32_t bundle_count;
  uint8_t fingerprint[16];  ///< A hash of everything in the build.
  uint8_t agreement[16];  ///< A hash that is equal in the builds of a client and a server that can
                          ///< play together.
} muster_catalog_info;

/// A registry: a class, and a type id for each of its entries.
typedef struct muster_registry_info {
  size_t struct_size;
  const char* class_name;  ///< Valid as long as the store exists.
  const char* path;        ///< The path of the registry's asset. Valid as long as the store exists.
  muster_guid guid;
  uint32_t type_id_end;  ///< All type ids are less than this number. Not every number is assigned.
  uint32_t first_entry;  ///< The index of the registry's first entry. Its entries are consecutive
                         ///< and sorted by type id.
  uint32_t entry_count;
} muster_registry_info;

/// An entry of a registry: an asset with a type id.
typedef struct muster_entry_info {
  size_t struct_size;
  const char* role;   ///< The registry's field that has `guid`. Valid as long as the store exists.
  muster_guid guid;   ///< The asset to load.
  muster_guid owner;  ///< The asset that defines the entry, or zero.
  uint32_t type_id;
  uint32_t bundle;      ///< The index of the bundle; `MUSTER_NONE` if the asset is not packed.
  uint32_t targets;     ///< Bits of `muster_target`.
  uint32_t is_factory;  ///< 1 if code makes the entity from the asset's data; otherwise 0.
} muster_entry_info;

/// Options of a request.
typedef struct muster_request_options {
  size_t struct_size;
  /// The deadline in nanoseconds, from the same starting point as `now_ns` of `muster_update`; 0
  /// means no deadline. If loading has not begun by this time, the request fails with
  /// `MUSTER_TIMED_OUT`.
  int64_t deadline_ns;
  muster_priority priority;
  uint32_t reserved;  ///< Must be zero.
} muster_request_options;

/// A part of an asset in memory.
typedef struct muster_part {
  size_t struct_size;
  const void*
      data;  ///< The bytes. Valid until the request that was passed to `muster_bytes` is released.
  uint64_t size_bytes;
  muster_entry_kind kind;
  uint32_t reserved;  ///< Always zero.
} muster_part;

// --- The library --------------------------------------------------------------------------------

/// Returns the library's `MUSTER_ABI_VERSION`. A program that loads the library by name must
/// compare this number with the `MUSTER_ABI_VERSION` of its header.
MUSTER_API uint32_t muster_abi_version(void);

/// Returns Muster's version, for example "0.1.0". The text is always valid.
MUSTER_API const char* muster_version(void);

/// Returns the name of a status, for example "not_found", or "unknown" for any other number. The
/// text is always valid.
MUSTER_API const char* muster_status_name(muster_status status);

/// Parses 32 lower-case hex digits. Fails with `MUSTER_MALFORMED` for any other text.
MUSTER_API muster_status muster_guid_parse(const char* text, muster_guid* guid);

/// Writes 32 lower-case hex digits and a zero byte to `text`, which must have 33 bytes.
MUSTER_API muster_status muster_guid_print(const muster_guid* guid, char* text);

// --- A store ------------------------------------------------------------------------------------

/// Opens the folder of one target of a build, for example `OUT/client`. Checks the catalog, starts
/// the threads, and loads no bundle. `options` may be null. Files are read, not mapped, so a change
/// of a file affects only later loads. A load fails if the changed file does not match the catalog.
///
/// Fails with `MUSTER_NOT_FOUND` if there is no catalog. Fails with a status such as
/// `MUSTER_MALFORMED` if the catalog is damaged. Fails with `MUSTER_INVALID_ARGUMENT` for variants
/// that the build does not have, and with `MUSTER_LIMIT_EXCEEDED` if the system has no more
/// threads. After a failure, `*store` is null, and `message` contains the reason: at most
/// `message_bytes` with the zero byte, truncated if necessary. `message` may be null if
/// `message_bytes` is 0.
MUSTER_API muster_status muster_store_open(const char* folder, const muster_store_options* options,
                                           muster_store** store, char* message,
                                           size_t message_bytes);

/// Closes a store. All requests, texts and bytes of the store become invalid. Waits for running
/// loads. In a child process made by `fork`, fails with `MUSTER_WRONG_PROCESS` and frees nothing.
MUSTER_API muster_status muster_store_close(muster_store* store);

/// Returns the message of the store's last failed call, as a text for users. The text is empty if
/// no call has failed. The text is valid until the next failed call. For a null store, the message
/// is that the store is null.
MUSTER_API const char* muster_last_error(const muster_store* store);

// --- The catalog --------------------------------------------------------------------------------

MUSTER_API muster_status muster_read_catalog(muster_store* store, muster_catalog_info* info);

/// Reads the registry with this index. The index must be less than `registry_count`. Registries are
/// sorted by class, then by guid.
MUSTER_API muster_status muster_read_registry(muster_store* store, uint32_t registry,
                                              muster_registry_info* info);

/// Finds the first registry of a class, for example "HeroTypeRegistry". Fails with
/// `MUSTER_NOT_FOUND` if the class has no registry.
MUSTER_API muster_status muster_find_registry(muster_store* store, const char* class_name,
                                              uint32_t* registry);

/// Finds the entry of a type id, in constant time. If a type id has several entries (for example an
/// item's prefabs for third and first person), returns the first entry that is packed. Fails with
/// `MUSTER_NOT_FOUND` if the id is not assigned. Every number is allowed, because ids come from the
/// network.
MUSTER_API muster_status muster_resolve(muster_store* store, uint32_t registry, uint32_t type_id,
                                        muster_entry_info* info);

/// Finds all entries of a type id: `*count` entries, beginning at index `*first`. Fails with
/// `MUSTER_NOT_FOUND` if the id is not assigned.
MUSTER_API muster_status muster_find_entries(muster_store* store, uint32_t registry,
                                             uint32_t type_id, uint32_t* first, uint32_t* count);

/// Reads the entry with this index. The index must be less than the catalog's `entry_count`.
MUSTER_API muster_status muster_read_entry(muster_store* store, uint32_t entry,
                                           muster_entry_info* info);

/// Finds the bundle of an asset. Fails with `MUSTER_NOT_FOUND` if the asset is not packed.
MUSTER_API muster_status muster_find_bundle(muster_store* store, const muster_guid* guid,
                                            uint32_t* bundle);

// --- Loading ------------------------------------------------------------------------------------

/// Requests the bundle of an asset, with all its dependencies. `options` may be null. A bundle with
/// several requests is loaded once. A failed bundle is loaded again. Fails with `MUSTER_NOT_FOUND`
/// if the asset is not packed, and with `MUSTER_LIMIT_EXCEEDED` if the store has 2^20 requests. The
/// caller must release the request with `muster_release`.
MUSTER_API muster_status muster_request_asset(muster_store* store, const muster_guid* guid,
                                              const muster_request_options* options,
                                              muster_request* request);

/// Requests the bundle with this index, which must be less than the catalog's `bundle_count`.
/// Otherwise the same as `muster_request_asset`.
MUSTER_API muster_status muster_request_bundle(muster_store* store, uint32_t bundle,
                                               const muster_request_options* options,
                                               muster_request* request);

/// Makes loaded bundles available, drops loads whose deadline has passed, and starts the next
/// loads. Call this function once a frame. Without these calls, no bundle is loaded. Never waits.
/// `now_ns` is the time in nanoseconds since any fixed starting point, and must not be negative.
/// Deadlines have the same starting point.
MUSTER_API muster_status muster_update(muster_store* store, int64_t now_ns);

/// Reads the state of a request. If the load has failed, returns the reason, and
/// `muster_last_error` has the message. `*state` is always written; it is `MUSTER_FAILED` whenever
/// the call fails.
MUSTER_API muster_status muster_poll(muster_store* store, muster_request request,
                                     muster_load_state* state);

/// Updates and waits until a request is ready. Use this function for loading screens. If the load
/// fails, returns the same status as `muster_poll`.
MUSTER_API muster_status muster_finish(muster_store* store, muster_request request, int64_t now_ns);

/// Finds a part of an asset (`MUSTER_MAIN_PAYLOAD`, ..., or an object's own id) in the bundle of a
/// ready request, or in its dependencies. The call is fast, because all parts are already
/// decompressed and verified. Fails with `MUSTER_BUSY` while the request is loading, and with
/// `MUSTER_NOT_FOUND` if these bundles have no such part. If the load has failed, returns the same
/// status as `muster_poll`.
MUSTER_API muster_status muster_bytes(muster_store* store, muster_request request,
                                      const muster_guid* guid, int64_t local_id, muster_part* part);

/// Releases a request. Bytes that were read with the request must not be used any more. If the
/// bundle has no other request, its load may be dropped, and the loaded bundle may be closed when
/// memory is needed. Fails with `MUSTER_STALE_REQUEST` if the request was already released.
MUSTER_API muster_status muster_release(muster_store* store, muster_request request);

// NOLINTEND(modernize-*,readability-identifier-naming)

#ifdef __cplusplus
}
#endif
