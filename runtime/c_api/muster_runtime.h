// Muster's runtime for other languages: from a type id to the bytes of a build. The library is
// libmuster_runtime.so; link `muster::runtime_c`, or load it by its name.
//
//     muster_store* store = NULL;
//     muster_request hero = 0;
//     muster_load_state state = MUSTER_LOADING;
//     muster_store_open("build/client", NULL, &store, message, sizeof message);
//     muster_request_asset(store, &guid, NULL, &hero);
//     muster_update(store, now_ns);                    // once a frame
//     if (muster_poll(store, hero, &state) == MUSTER_OK && state == MUSTER_READY) ...
//
// What holds for every function:
//
// - Threads: a store is used by one thread at a time; it has threads of its own for loading.
//   Different stores know nothing of each other. Functions without a store may be called anywhere.
// - Processes: a store belongs to the process that opened it. After `fork` the threads that load do
//   not exist in the child: there every function of the store fails with `MUSTER_WRONG_PROCESS`,
//   and `muster_store_close` frees nothing. The child opens a store of its own.
// - Errors: a function that can fail returns a status and must have it looked at. No exception
//   leaves it. Null pointers, indices out of range and requests that were released are refused.
//   What cannot be noticed is the use of a store after `muster_store_close`.
// - Outputs are written only with `MUSTER_OK`, unless the function says otherwise.
// - Texts are UTF-8, end with a zero byte, and belong to the library.
// - Structs begin with `struct_size`, which the caller sets to `sizeof` of the struct that it was
//   compiled with. New members come at the end: of a result, the library fills what both know and
//   clears the rest; of options, zero means the default, and what it does not know must be zero.
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

/// The version of this interface, also that of the shared library's name. It rises when a program
/// that was compiled against an older header could go wrong; additions leave it alone.
#define MUSTER_ABI_VERSION 1

/// Why a call failed. The numbers never change; new ones may come, so keep a default case.
typedef int32_t muster_status;
enum {
  MUSTER_OK = 0,
  MUSTER_INVALID_ARGUMENT = 1,     ///< A null pointer, an index out of range, a wrong size.
  MUSTER_NOT_FOUND = 2,            ///< A file, asset, type id or registry does not exist.
  MUSTER_ALREADY_EXISTS = 3,       ///< Not returned by this version; nor is `MUSTER_NO_SPACE`.
  MUSTER_PERMISSION_DENIED = 4,    ///< The operating system refused.
  MUSTER_NO_SPACE = 5,             ///< The disk or a quota is full.
  MUSTER_IO = 6,                   ///< Any other failure of the disk.
  MUSTER_MALFORMED = 7,            ///< Bytes that do not follow their format.
  MUSTER_TRUNCATED = 8,            ///< Bytes that end too early.
  MUSTER_UNSUPPORTED_VERSION = 9,  ///< A format version that this library does not read.
  MUSTER_LIMIT_EXCEEDED = 10,      ///< A bound was reached, such as the memory budget.
  MUSTER_HASH_MISMATCH = 11,       ///< Content is not what its hash promises.
  MUSTER_BUSY = 12,                ///< Not there yet: the request is still loading.
  MUSTER_CANCELLED = 13,           ///< Somebody asked to stop.
  MUSTER_TIMED_OUT = 14,           ///< It had not begun by its deadline.
  MUSTER_UNSUPPORTED = 15,         ///< The system or this build of the library has no such thing.
  MUSTER_STALE_REQUEST = 100,      ///< The request was released, or never made by this store.
  MUSTER_OUT_OF_MEMORY = 101,      ///< The allocator refused.
  MUSTER_WRONG_PROCESS = 103,      ///< The store was opened before this process was forked.
  MUSTER_INTERNAL = 102            ///< A bug of this library; the message tells more.
};

/// Which program a build's folder is for. An entry's `targets` holds several of them as bits.
typedef uint32_t muster_target;
enum { MUSTER_CLIENT = 1, MUSTER_SERVER = 2 };

/// What is loaded first.
typedef int32_t muster_priority;
enum {
  MUSTER_PRIORITY_DEFAULT = 0,  ///< As `MUSTER_PRIORITY_VISIBLE`.
  MUSTER_PRIORITY_HINT = 1,     ///< May be wanted some time.
  MUSTER_PRIORITY_LEVEL = 2,    ///< Wanted before the next level starts.
  MUSTER_PRIORITY_VISIBLE = 3,  ///< Would show if it were there.
  MUSTER_PRIORITY_NEEDED = 4    ///< The game waits for it.
};

/// How far a request is.
typedef int32_t muster_load_state;
enum { MUSTER_LOADING = 0, MUSTER_READY = 1, MUSTER_FAILED = 2 };

/// What the bytes of a part are. Their formats are in Muster's BUNDLE_FORMAT.md.
typedef uint32_t muster_entry_kind;
enum {
  MUSTER_KIND_OBJECT = 1,           ///< A YAML asset in the object form.
  MUSTER_KIND_PREFAB = 2,           ///< A flattened prefab.
  MUSTER_KIND_RAW = 3,              ///< The bytes of the asset's file.
  MUSTER_KIND_IMPORT_SETTINGS = 4,  ///< The asset's `.meta`, in the object form.
  MUSTER_KIND_TEXT = 5              ///< The name of something that is not packed.
};

/// The parts of an asset that have fixed local ids.
enum { MUSTER_MAIN_PAYLOAD = 0, MUSTER_FLATTENED_PREFAB = 1, MUSTER_IMPORT_SETTINGS = 2 };

/// "None" where an index is expected: an entry without a bundle has this one.
#define MUSTER_NONE 0xFFFFFFFFu

/// The identity of an asset; all zero is none. This struct never grows.
typedef struct muster_guid {
  uint8_t bytes[16];
} muster_guid;

/// An open build. Owned by the caller from `muster_store_open` to `muster_store_close`.
typedef struct muster_store muster_store;

/// Keeps a bundle loaded, or on the way, until it is released. Belongs to its store; zero is none.
typedef uint64_t muster_request;

/// How a store is opened.
typedef struct muster_store_options {
  size_t struct_size;
  /// Files and decompressed parts of all open bundles; 0 is 1 GiB. Bundles without requests are
  /// closed to stay below it, the one used longest ago first; if that is not enough, a load fails.
  uint64_t memory_budget_bytes;
  /// Bytes of bundle files whose loading starts in one update; 0 is 8 MiB. One bundle always may.
  uint64_t start_budget_bytes;
  /// How many threads load; 0 is 2, at most 64.
  uint32_t thread_count;
  uint32_t reserved;  ///< Must be zero.
  /// What is chosen of the build's variants, as in "quality=low,language=de"; null or "" leaves all
  /// as they are by default, "quality=" chooses none of an axis. Read during the call only.
  const char* variants;
} muster_store_options;

/// What a catalog says about the whole build.
typedef struct muster_catalog_info {
  size_t struct_size;
  muster_target target;
  uint32_t registry_count;
  uint32_t entry_count;
  uint32_t bundle_count;
  uint8_t fingerprint[16];  ///< Of everything in the build.
  uint8_t agreement[16];    ///< Equal in builds of client and server that can play together.
} muster_catalog_info;

/// One registry: a class, and a type id for each thing of it.
typedef struct muster_registry_info {
  size_t struct_size;
  const char* class_name;  ///< Lives as long as the store.
  const char* path;        ///< Of the registry's asset. Lives as long as the store.
  muster_guid guid;
  uint32_t type_id_end;  ///< Type ids are below it; not every number is assigned.
  uint32_t first_entry;  ///< The registry's entries lie in a row, sorted by type id.
  uint32_t entry_count;
} muster_registry_info;

/// One entry of a registry: what a type id stands for.
typedef struct muster_entry_info {
  size_t struct_size;
  const char* role;   ///< The registry's field that names `guid`. Lives as long as the store.
  muster_guid guid;   ///< The asset to load.
  muster_guid owner;  ///< The asset that makes the entry; zero for none.
  uint32_t type_id;
  uint32_t bundle;      ///< An index of the catalog; `MUSTER_NONE` when it is not packed.
  uint32_t targets;     ///< Bits of `muster_target`.
  uint32_t is_factory;  ///< 1 when the entity is made by code from the asset's data, else 0.
} muster_entry_info;

/// How something is requested.
typedef struct muster_request_options {
  size_t struct_size;
  /// When it is of no use any more, on the time line of `muster_update`; 0 is never. If loading has
  /// not begun by then, it fails with `MUSTER_TIMED_OUT`.
  int64_t deadline_ns;
  muster_priority priority;
  uint32_t reserved;  ///< Must be zero.
} muster_request_options;

/// One part of an asset in memory.
typedef struct muster_part {
  size_t struct_size;
  const void* data;  ///< Lives until the request by which it was got is released.
  uint64_t size_bytes;
  muster_entry_kind kind;
  uint32_t reserved;  ///< Zero.
} muster_part;

// --- The library --------------------------------------------------------------------------------

/// Returns the library's `MUSTER_ABI_VERSION`. A program that loads it by name compares the two.
MUSTER_API uint32_t muster_abi_version(void);

/// Returns Muster's version, such as "0.1.0". Lives for ever.
MUSTER_API const char* muster_version(void);

/// Returns a status's name, such as "not_found"; "unknown" for other numbers. Lives for ever.
MUSTER_API const char* muster_status_name(muster_status status);

/// Reads 32 lower-case hex digits. Fails with `MUSTER_MALFORMED` for every other spelling.
MUSTER_API muster_status muster_guid_parse(const char* text, muster_guid* guid);

/// Writes 32 lower-case hex digits and a zero byte to `text`, which has room for 33.
MUSTER_API muster_status muster_guid_print(const muster_guid* guid, char* text);

// --- A store ------------------------------------------------------------------------------------

/// Opens one target's folder of a build (`OUT/client`), checks its catalog, and starts the threads;
/// loads no bundle. `options` may be null. Files are read into memory: what happens to one later
/// shows only in loads to come, which fail if it does not fit the catalog any more.
///
/// Fails with `MUSTER_NOT_FOUND` when there is no catalog, with what is wrong with it, with
/// `MUSTER_INVALID_ARGUMENT` for variants that the build does not have, and with
/// `MUSTER_LIMIT_EXCEEDED` when the system has no more threads. Then `*store` is null, and the
/// reason is written to `message`: at most `message_bytes` with the zero byte at the end, cut if
/// need be. `message` may be null when `message_bytes` is 0.
MUSTER_API muster_status muster_store_open(const char* folder, const muster_store_options* options,
                                           muster_store** store, char* message,
                                           size_t message_bytes);

/// Ends a store with all its requests, texts and bytes. Waits for what is being loaded just now.
/// Fails with `MUSTER_WRONG_PROCESS` in a child of `fork`, and leaves the child's copy of the
/// memory until the child ends.
MUSTER_API muster_status muster_store_close(muster_store* store);

/// Returns why the latest failing call on this store failed, for a person; empty when none has.
/// Lives until the next failing call. A null store has a message that says so.
MUSTER_API const char* muster_last_error(const muster_store* store);

// --- The catalog --------------------------------------------------------------------------------

MUSTER_API muster_status muster_read_catalog(muster_store* store, muster_catalog_info* info);

/// Reads a registry by its index, below `registry_count`; they are sorted by class, then by guid.
MUSTER_API muster_status muster_read_registry(muster_store* store, uint32_t registry,
                                              muster_registry_info* info);

/// Finds the first registry of a class, such as "HeroTypeRegistry". Fails with `MUSTER_NOT_FOUND`.
MUSTER_API muster_status muster_find_registry(muster_store* store, const char* class_name,
                                              uint32_t* registry);

/// Finds what a type id stands for: of several entries, such as an item in the third and in the
/// first person, the first one that is packed. Constant time. Fails with `MUSTER_NOT_FOUND` when
/// the id is not assigned; every number is safe, for ids come from the network.
MUSTER_API muster_status muster_resolve(muster_store* store, uint32_t registry, uint32_t type_id,
                                        muster_entry_info* info);

/// Finds all entries of a type id: `*count` of them from index `*first`. Fails as
/// `muster_resolve` does.
MUSTER_API muster_status muster_find_entries(muster_store* store, uint32_t registry,
                                             uint32_t type_id, uint32_t* first, uint32_t* count);

/// Reads an entry by its index, below the catalog's `entry_count`.
MUSTER_API muster_status muster_read_entry(muster_store* store, uint32_t entry,
                                           muster_entry_info* info);

/// Finds the bundle that holds an asset. Fails with `MUSTER_NOT_FOUND` when none does.
MUSTER_API muster_status muster_find_bundle(muster_store* store, const muster_guid* guid,
                                            uint32_t* bundle);

// --- Loading ------------------------------------------------------------------------------------

/// Wants the bundle that holds an asset, and all that it depends on. `options` may be null. What
/// several requests want is loaded once; what has failed before is tried again. Fails with
/// `MUSTER_NOT_FOUND` when the asset is not packed, and with `MUSTER_LIMIT_EXCEEDED` when the store
/// has a million requests. The caller owes a `muster_release`.
MUSTER_API muster_status muster_request_asset(muster_store* store, const muster_guid* guid,
                                              const muster_request_options* options,
                                              muster_request* request);

/// The same for a bundle by its index, below the catalog's `bundle_count`.
MUSTER_API muster_status muster_request_bundle(muster_store* store, uint32_t bundle,
                                               const muster_request_options* options,
                                               muster_request* request);

/// Takes in what has been loaded, drops what comes too late and starts what is next. Call it once a
/// frame: nothing is loaded without it. Never waits. `now_ns` is the time since any start of the
/// caller's, and not negative; deadlines are compared with it.
MUSTER_API muster_status muster_update(muster_store* store, int64_t now_ns);

/// Tells how far a request is. When its load has failed, returns the reason, and the message is
/// that of `muster_last_error`. `*state` is always written, `MUSTER_FAILED` with every failure.
MUSTER_API muster_status muster_poll(muster_store* store, muster_request request,
                                     muster_load_state* state);

/// Updates and waits until a request is ready: for loading screens. Fails as `muster_poll` does.
MUSTER_API muster_status muster_finish(muster_store* store, muster_request request, int64_t now_ns);

/// Finds one part of an asset (`MUSTER_MAIN_PAYLOAD`, ..., or an object's own id) in the bundle of
/// a request that is ready, or in those that it depends on. Does no work: everything has been
/// decompressed and verified. Fails with `MUSTER_BUSY` while it is loading, as `muster_poll` does
/// when that failed, and with `MUSTER_NOT_FOUND` when these bundles have no such part.
MUSTER_API muster_status muster_bytes(muster_store* store, muster_request request,
                                      const muster_guid* guid, int64_t local_id, muster_part* part);

/// Gives up a request: its bytes must not be used any more. What nobody else wants is not loaded
/// any more, or closed when memory is needed. Fails with `MUSTER_STALE_REQUEST`.
MUSTER_API muster_status muster_release(muster_store* store, muster_request request);

// NOLINTEND(modernize-*,readability-identifier-naming)

#ifdef __cplusplus
}
#endif
