"""The primitives of net/WIRE_FORMAT.md, from libsodium through ctypes."""

import ctypes
import ctypes.util

TAG = 16


def _load():
    name = ctypes.util.find_library("sodium")
    if name is None:
        raise SystemExit("libsodium is not found: the build needs libsodium-dev too")
    library = ctypes.CDLL(name)
    if library.sodium_init() < 0:
        raise SystemExit("libsodium does not start without random bytes")
    return library


_SODIUM = _load()
HAS_AES = _SODIUM.crypto_aead_aes256gcm_is_available() == 1
_CIPHERS = {0: "chacha20poly1305_ietf", 1: "aes256gcm"}


def public_key(secret):
    out = ctypes.create_string_buffer(32)
    _SODIUM.crypto_scalarmult_base(out, bytes(secret))
    return out.raw


def dh(secret, public):
    """Computes X25519. Returns None if the result would be the same for all secrets."""
    out = ctypes.create_string_buffer(32)
    failed = _SODIUM.crypto_scalarmult(out, bytes(secret), bytes(public))
    return None if failed else out.raw


def _sized(data):
    return bytes(data), ctypes.c_ulonglong(len(data))


def seal(cipher, key, nonce, content, open_part):
    function = getattr(_SODIUM, f"crypto_aead_{_CIPHERS[cipher]}_encrypt")
    out = ctypes.create_string_buffer(len(content) + TAG)
    function(out, None, *_sized(content), *_sized(open_part), None, bytes(nonce), bytes(key))
    return out.raw


def unseal(cipher, key, nonce, sealed, open_part):
    """Returns None if the seal does not open."""
    if len(sealed) < TAG:
        return None
    function = getattr(_SODIUM, f"crypto_aead_{_CIPHERS[cipher]}_decrypt")
    out = ctypes.create_string_buffer(len(sealed))
    failed = function(out, None, None, *_sized(sealed), *_sized(open_part), bytes(nonce),
                      bytes(key))
    return None if failed else out.raw[:len(sealed) - TAG]
