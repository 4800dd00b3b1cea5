#!/usr/bin/env python3
"""Loads all assets in the registries of a build, and prints their sizes. Uses only ctypes.

    example_load.py LIBRARY build/demo/client

LIBRARY is libmuster_runtime.so.1. Exit codes: 0 all are loaded, 1 some failed, 2 usage or
unreadable build. The output is that of example_load.c.
"""

import ctypes
import sys
import time
from ctypes import (POINTER, byref, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64,
                    c_void_p)

ABI_VERSION = 1
OK, NOT_FOUND = 0, 2
LOADING = 0
CLIENT = 1
NONE = 0xFFFFFFFF
MAIN_PAYLOAD, FLATTENED_PREFAB = 0, 1


class Guid(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint8 * 16)]

    def __str__(self):
        return bytes(self.bytes).hex()


class Sized(ctypes.Structure):
    """A struct that begins with its size."""

    def __init__(self):
        super().__init__(struct_size=ctypes.sizeof(self))


class CatalogInfo(Sized):
    _fields_ = [("struct_size", c_size_t), ("target", c_uint32), ("registry_count", c_uint32),
                ("entry_count", c_uint32), ("bundle_count", c_uint32),
                ("fingerprint", ctypes.c_uint8 * 16), ("agreement", ctypes.c_uint8 * 16)]


class RegistryInfo(Sized):
    _fields_ = [("struct_size", c_size_t), ("class_name", c_char_p), ("path", c_char_p),
                ("guid", Guid), ("type_id_end", c_uint32), ("first_entry", c_uint32),
                ("entry_count", c_uint32)]


class EntryInfo(Sized):
    _fields_ = [("struct_size", c_size_t), ("role", c_char_p), ("guid", Guid), ("owner", Guid),
                ("type_id", c_uint32), ("bundle", c_uint32), ("targets", c_uint32),
                ("is_factory", c_uint32)]


class Part(Sized):
    _fields_ = [("struct_size", c_size_t), ("data", c_void_p), ("size_bytes", c_uint64),
                ("kind", c_uint32), ("reserved", c_uint32)]


def load_library(path):
    library = ctypes.CDLL(path)
    arguments = {
        "muster_store_open": (c_char_p, c_void_p, POINTER(c_void_p), c_char_p, c_size_t),
        "muster_store_close": (c_void_p,),
        "muster_read_catalog": (c_void_p, POINTER(CatalogInfo)),
        "muster_read_registry": (c_void_p, c_uint32, POINTER(RegistryInfo)),
        "muster_resolve": (c_void_p, c_uint32, c_uint32, POINTER(EntryInfo)),
        "muster_request_bundle": (c_void_p, c_uint32, c_void_p, POINTER(c_uint64)),
        "muster_update": (c_void_p, c_int64),
        "muster_poll": (c_void_p, c_uint64, POINTER(c_int32)),
        "muster_bytes": (c_void_p, c_uint64, POINTER(Guid), c_int64, POINTER(Part)),
        "muster_release": (c_void_p, c_uint64),
    }
    for name, types in arguments.items():
        getattr(library, name).argtypes = types
        getattr(library, name).restype = c_int32
    library.muster_abi_version.restype = c_uint32
    for name, types in (("muster_last_error", (c_void_p,)), ("muster_status_name", (c_int32,))):
        getattr(library, name).argtypes = types
        getattr(library, name).restype = c_char_p
    return library


class Store:
    """An open build; use it in a `with` statement, which closes it."""

    def __init__(self, library, folder):
        self.library, self.handle = library, c_void_p()
        message = ctypes.create_string_buffer(512)
        if library.muster_store_open(folder.encode(), None, byref(self.handle), message,
                                     len(message)) != OK:
            raise OSError(message.value.decode())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.library.muster_store_close(self.handle)

    def check(self, status):
        if status != OK:
            raise OSError(self.library.muster_last_error(self.handle).decode())

    def catalog(self):
        info = CatalogInfo()
        self.check(self.library.muster_read_catalog(self.handle, byref(info)))
        return info

    def registry(self, index):
        info = RegistryInfo()
        self.check(self.library.muster_read_registry(self.handle, index, byref(info)))
        return info

    def resolve(self, registry, type_id):
        """Returns the entry of a type id; None if the id is not assigned."""
        entry = EntryInfo()
        status = self.library.muster_resolve(self.handle, registry, type_id, byref(entry))
        if status == NOT_FOUND:
            return None
        self.check(status)
        return entry

    def request(self, bundle):
        request = c_uint64()
        self.check(self.library.muster_request_bundle(self.handle, bundle, None, byref(request)))
        return request

    def is_loading(self, request):
        state = c_int32()
        self.library.muster_poll(self.handle, request, byref(state))
        return state.value == LOADING

    def part(self, request, guid):
        """Returns the status and the bytes: the flattened form of a prefab, or the main payload."""
        part = Part()
        for local_id in (FLATTENED_PREFAB, MAIN_PAYLOAD):
            status = self.library.muster_bytes(self.handle, request, byref(guid), local_id,
                                               byref(part))
            if status != NOT_FOUND:
                break
        # Copy: the memory is valid only until the request is released.
        return status, ctypes.string_at(part.data, part.size_bytes) if status == OK else b""


def load_registry(store, index):
    """Prints a line for each type id, and returns the number of failed entries."""
    info = store.registry(index)
    entries = [store.resolve(index, type_id) for type_id in range(info.type_id_end)]
    wanted = [(entry, None if entry.bundle == NONE else store.request(entry.bundle))
              for entry in entries if entry is not None]
    start_ns = time.monotonic_ns()
    while True:
        store.library.muster_update(store.handle, time.monotonic_ns() - start_ns)
        if not any(request and store.is_loading(request) for _, request in wanted):
            break
        time.sleep(0.001)
    print(f"{info.class_name.decode()} ({info.path.decode()})")
    failures = 0
    for entry, request in wanted:
        result = "not packed"
        if request:
            status, data = store.part(request, entry.guid)
            failures += status != OK
            name = store.library.muster_status_name(status).decode()
            result = f"{len(data)} bytes" if status == OK else name
            store.library.muster_release(store.handle, request)
        print(f"{entry.type_id:5}  {entry.guid}  {result}")
    return failures


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    library = load_library(sys.argv[1])
    if library.muster_abi_version() != ABI_VERSION:
        print("example_load.py: the library has another version", file=sys.stderr)
        return 2
    try:
        with Store(library, sys.argv[2]) as store:
            catalog = store.catalog()
            target = "client" if catalog.target == CLIENT else "server"
            print(f"{target}, {catalog.registry_count} registries, {catalog.bundle_count} bundles")
            failures = sum(load_registry(store, i) for i in range(catalog.registry_count))
    except OSError as error:
        print(f"example_load.py: {error}", file=sys.stderr)
        return 2
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
