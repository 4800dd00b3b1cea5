"""The keys of a handshake and all seals by net/WIRE_FORMAT.md, computed with libsodium and
hashlib."""

import hashlib
import struct

import sodium
from encoding import require
from sodium import dh, public_key, seal

LABELS = {"start": b"muster handshake 1", "hello": b"hello", "accept": b"accept",
          "client": b"client packets", "server": b"server packets", "next": b"next"}


def digest(data):
    return hashlib.blake2b(data, digest_size=32).digest()


def mix(key, data):
    return hashlib.blake2b(data, digest_size=32, key=key).digest()


def unseal(cipher, key, nonce, sealed, open_part, what):
    content = sodium.unseal(cipher, key, nonce, sealed, open_part)
    require(content is not None, f"{what} opens")
    return content


def packet_nonce(sequence):
    return bytes(4) + struct.pack("<Q", sequence)


def hello_chain(server_public, server_dh, token_secret):
    """Computes c3, the secret that both ends share before the response."""
    c1 = mix(digest(LABELS["start"]), server_public)
    return mix(mix(c1, server_dh), token_secret)


def hello_key(c3):
    return mix(c3, LABELS["hello"])


def packet_keys(c3, response, ephemeral_dh):
    """The keys of an accept and of both directions, derived from c3."""
    c5 = mix(mix(c3, digest(response)), ephemeral_dh)
    return {name: mix(c5, LABELS[name]) for name in ("accept", "client", "server")}


def next_key(key):
    return mix(key, LABELS["next"])


def handshake_keys(server_public, server_dh, ephemeral_dh, token_secret, response):
    """Returns the keys by name, from the two shared secrets and the 1200 bytes of the response."""
    c3 = hello_chain(server_public, server_dh, token_secret)
    return {"hello": hello_key(c3)} | packet_keys(c3, response, ephemeral_dh)


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


def token_box(key, nonce):
    """XChaCha20-Poly1305: derives a key from 16 bytes of the nonce; the other bytes are the inner
    nonce."""
    return hchacha20(key, nonce[:16]), bytes(4) + nonce[16:]


def seal_token(key, nonce, content, open_part):
    return seal(0, *token_box(key, nonce), content, open_part)


def unseal_token(key, nonce, sealed, open_part):
    return unseal(0, *token_box(key, nonce), sealed, open_part, "the token")
