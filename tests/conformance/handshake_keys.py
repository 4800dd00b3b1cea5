"""The keys of a handshake and every seal by net/WIRE_FORMAT.md, on `cryptography` and hashlib."""

import hashlib
import struct

from encoding import require

try:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
    AVAILABLE = True
except ImportError:
    AVAILABLE = False


def digest(data):
    return hashlib.blake2b(data, digest_size=32).digest()


def mix(key, data):
    return hashlib.blake2b(data, digest_size=32, key=key).digest()


def dh(secret, public):
    return X25519PrivateKey.from_private_bytes(secret).exchange(
        X25519PublicKey.from_public_bytes(public))


def public_key(secret):
    return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def unseal(cipher, key, nonce, sealed, open_part, what):
    box = AESGCM(key) if cipher == 1 else ChaCha20Poly1305(key)
    try:
        return box.decrypt(nonce, sealed, open_part)
    except InvalidTag:
        require(False, f"{what} opens")


def packet_nonce(sequence):
    return bytes(4) + struct.pack("<Q", sequence)


def handshake_keys(server_public, server_dh, ephemeral_dh, token_secret, response):
    """Keys by name from the two shared secrets and the response's 1200 bytes."""
    c1 = mix(digest(b"muster handshake 1"), server_public)
    c2 = mix(c1, server_dh)
    c3 = mix(c2, token_secret)
    c4 = mix(c3, digest(response))
    c5 = mix(c4, ephemeral_dh)
    return {"hello": mix(c3, b"hello"), "accept": mix(c5, b"accept"),
            "client": mix(c5, b"client packets"), "server": mix(c5, b"server packets")}


def _rotate(value, count):
    return (value << count | value >> 32 - count) & 0xFFFFFFFF


def _quarter(state, a, b, c, d):
    for left, right, other, count in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        state[left] = state[left] + state[right] & 0xFFFFFFFF
        state[other] = _rotate(state[other] ^ state[left], count)


def hchacha20(key, nonce):
    state = list(struct.unpack("<4I8I4I", b"expand 32-byte k" + key + nonce))
    for _ in range(10):
        for column in range(4):
            _quarter(state, column, column + 4, column + 8, column + 12)
        for column in range(4):
            _quarter(state, column, 4 + (column + 1) % 4, 8 + (column + 2) % 4,
                     12 + (column + 3) % 4)
    return struct.pack("<8I", *state[:4], *state[12:])


def unseal_token(key, nonce, sealed, open_part):
    """XChaCha20-Poly1305: the first 16 bytes of the nonce make a key, the rest is the nonce."""
    subkey = hchacha20(key, nonce[:16])
    return unseal(0, subkey, bytes(4) + nonce[16:], sealed, open_part, "the token")
