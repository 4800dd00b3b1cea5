"""Datagrams that break net/WIRE_FORMAT.md or net/CONNECTION.md in one place each, with the expected
result in the form of `Answer.result`. Each is a changed copy of a correct datagram.
"""

import struct

import handshake_keys as keys
import packet_vectors
from handshake_ends import DATE, SERVER_ADDRESS, Token, flipped, put

DAY = 86400
DROPPED = "not_ours"


def of_any_size(good):
    yield "a byte short", good[:-1], DROPPED
    yield "a byte too long", good + b"\0", DROPPED


def of_request(client):
    good = client.request()
    yield from of_any_size(good)
    for kind in (0, 2, 4, 5, 6, 0x7F):
        yield f"kind {kind}", put(good, 0, bytes([kind])), DROPPED
    for version in (0, 1, 3, 255):
        yield f"version {version}", put(good, 1, bytes([version])), "refuse 1"
    yield "version 3 that fills it", put(good, 1, b"\3")[:-9] + b"something", "refuse 1"
    for mode in (3, 255):
        yield f"mode {mode}", put(good, 2, bytes([mode])), DROPPED
    yield "byte 3", put(good, 3, b"\1"), DROPPED
    for at in (4, 11):
        yield "application", flipped(good, at), "refuse 2"
    yield "connection id 0", put(good, 12, bytes(4)), DROPPED
    for at in (48, 600, 1199):
        yield f"padding at {at}", put(good, at, b"\1"), DROPPED


def of_response(client):
    """Yields responses to a server that requires pinned clients and has sent a challenge."""
    good = client.response()
    end = 76 + int.from_bytes(good[74:76], "little")
    yield from of_any_size(good)
    for version in (1, 3):
        yield f"version {version}", put(good, 1, bytes([version])), DROPPED
    for mode, expected in ((1, DROPPED), (2, "challenges_stale"), (3, DROPPED)):
        yield f"mode {mode}", put(good, 2, bytes([mode])), expected
    yield "byte 3", put(good, 3, b"\1"), DROPPED
    yield "application", flipped(good, 4), DROPPED
    yield "connection id 0", put(good, 12, bytes(4)), DROPPED
    for at in range(12, 72):
        yield f"id, key, time or MAC at {at}", flipped(good, at), "challenges_stale"
    yield "a token in mode 0", client.response(presented=b"t"), DROPPED
    yield "a token that ends outside the datagram", put(good, 72, struct.pack("<H", 1127)), DROPPED
    for size in (end - 77, 1125, 65535):
        yield f"a hello of {size}", put(good, 74, struct.pack("<H", size)), DROPPED
    for at in (end, 1199):
        yield f"padding at {at}", put(good, at, b"\1"), DROPPED
    for size in (0, 15, end - 75, 1124):
        cut = put(good[:76 + min(size, end - 76)], 74, struct.pack("<H", size))
        yield f"a hello of {size}", cut.ljust(1200, b"\0"), "hellos_forged"
    for at in range(76, end):
        yield f"hello at {at}", flipped(good, at), "hellos_forged"
    other = keys.public_key(bytes(range(32)))
    for name, wrong in (
            ("sealed for another server", {"server_key": other}),
            ("sealed with a token's secret", {"token_secret": b"s" * 32}),
            ("another nonce", {"nonce": b"\1" + bytes(11)}),
            ("other additional data", {"open_part": b"open"}),
            ("an unknown cipher wish", {"hello": client.hello(wish=2)}),
            ("too much user data", {"hello": client.hello(user=bytes(257))}),
            ("user data that ends outside the hello", {"hello": client.hello(user_bytes=99)}),
            ("bytes after the user data", {"hello": client.hello(user=b"more", user_bytes=3)}),
            ("half a hello", {"hello": client.hello()[:18]})):
        yield name, client.response(**wrong), "hellos_forged"
    if keys.sodium.HAS_AES:
        yield "sealed by AES", client.response(cipher=1), "hellos_forged"
    for name, wrong, expected in (("content", {"content": 12}, "refuse 8"),
                              ("descriptions", {"descriptions": 23}, "refuse 9"),
                              ("both", {"content": 12, "descriptions": 23}, "refuse 9")):
        yield f"other {name}", client.response(hello=client.hello(**wrong)), expected


def tokens(key, server_key):
    """Tokens that a server at SERVER_ADDRESS refuses at DATE."""
    def make(**wrong):
        return Token(key, server_key, 2, **wrong)

    yield "expired a second ago", make(issued=DATE - 60, expires=DATE - 1)
    yield "expires now", make(issued=DATE - 60, expires=DATE)
    yield "lives too long", make(expires=DATE + 7 * DAY + 1)
    yield "expires before it is issued", make(issued=DATE + 61)
    yield "expires when it is issued", make(issued=DATE + 60)
    yield "of another application", make(application=1)
    yield "for another server", make(addresses=("10.0.0.2:7000",))
    yield "for another port", make(addresses=("10.0.0.1:7001",))
    yield "for no server", make(addresses=())
    yield "for 17 servers", make(addresses=(SERVER_ADDRESS,) * 17, user=b"")
    yield "too much user data", make(user=bytes(257))
    yield "a byte left over", make(more=b"\0")
    yield "another magic", make(magic=b"MTOX")
    yield "version 2", make(version=2)
    yield "under another key", Token(keys.digest(key), server_key, 2)


def presented_tokens(good):
    for at in range(len(good)):
        yield f"a token with another byte {at}", flipped(good, at), "refuse 4"
    for size in (1, 55, 56, 71, len(good) - 1):
        yield f"a token of {size}", good[:size], "refuse 4"
    yield "a token and a byte", good + b"\0", "refuse 4"
    yield "a token of 675", good.ljust(675, b"\0"), "refuse 4"
    yield "a token of 676", good.ljust(676, b"\0"), DROPPED
    yield "no token", b"", DROPPED


def of_packet(packets, unknown):
    """Yields packets. Each has the next packet number, which stays unused."""
    body, next_one = packets.body(), packets.sequence + 1
    good = packets.seal(body, next_one)
    for size in range(1, 7):
        yield f"{size} bytes", good[:size], unknown
    for bit in range(6):
        yield f"bit {bit} of byte 0", packets.seal(body, next_one, first=0x80 | 1 << bit), unknown
    yield "another connection", packets.seal(body, next_one, to=packets.their_id ^ 1 << 16), unknown
    yield "connection 0", packets.seal(body, next_one, to=0), unknown
    yield "1473 bytes", good.ljust(1473, b"\0"), DROPPED
    yield "number 0", packets.seal(body, 0), "duplicate_in"
    yield "a number used before", packets.seal(body, packets.sequence), "duplicate_in"
    for ahead in (16383, 32768, -17000, -100):
        far = packets.sequence + ahead & 0xFFFF
        yield f"a number {ahead} ahead", packets.seal(body, far), "stale_in"
    yield "the other key phase", packets.seal(body, next_one, packets.phase ^ 1), "forged"
    if packets.send_key is None:
        return
    for at in (5, *range(7, len(good))):
        yield f"another byte {at}", flipped(good, at), "forged"
    for size in (7, 15, 22, len(good) - 1):
        yield f"{size} bytes", good[:size], "forged"
    yield "a byte too long", good + b"\0", "forged"
    for name, wrong in (("key", {"key": keys.digest(b"another")}),
                        ("key, the next one", {"key": keys.next_key(packets.send_key)}),
                        ("nonce", {"nonce": keys.packet_nonce(next_one + 65536)}),
                        ("nonce's start", {"nonce": b"\1" + keys.packet_nonce(next_one)[1:]}),
                        ("additional data", {"open_part": b"head"})):
        yield f"another {name}", packets.seal(body, next_one, **wrong), "forged"


# Each of these in the first or second packet of the peer ends the connection.
BODIES = (
    ("a byte left over", packet_vectors.acknowledgement(0) + b"\0", "malformed_in"),
    ("nothing in it", b"", "malformed_in"),
    ("a channel that is not declared", packet_vectors.acknowledgement(4) + packet_vectors.counted(
        packet_vectors.message(7)), "malformed_in"),
    ("an acknowledgement of a packet that was never sent", packet_vectors.acknowledgement(
        0, ack=999, hold=0), "unbelievable_in"))


def of_challenge(server, request):
    good = server.challenge(request)
    yield from of_any_size(good)
    for version in (1, 3):
        yield f"version {version}", put(good, 1, bytes([version])), DROPPED
    for mode in {0, 1, 2, 3} - {server.request["mode"]}:
        yield f"mode {mode}", server.challenge(request, mode=mode), DROPPED
    yield "byte 3", put(good, 3, b"\1"), DROPPED
    for at in range(4, 8):
        yield f"connection id at {at}", flipped(good, at), DROPPED
    if server.request["mode"] != 2:
        for at in range(32, 64):
            yield f"server's key at {at}", flipped(good, at), DROPPED


def of_accept(server):
    good, mode = server.accept(), server.request["mode"]
    yield from of_any_size(good)
    for at in range(1, 8):
        yield f"another byte {at}", flipped(good, at), DROPPED
    wrong = [("cipher 2", {"cipher": 2}), ("a cipher of another mode",
                                           {"cipher": 0 if mode == 2 else 255}),
             ("a largest datagram of 1199", {"largest": 1199}),
             ("connection id 0", {"connection": 0})]
    wrong += [(f"reserved byte {at}", {"zeros": put(bytes(3), at, b"\1")}) for at in range(3)]
    if mode != 2:
        for at in range(8, 76):
            yield f"another byte {at}", flipped(good, at), DROPPED
        wrong += [("another nonce", {"nonce": b"\1" + bytes(11)}),
                  ("other additional data", {"open_part": b"start"}),
                  ("another key", {"wrong_key": bytes(32)}),
                  ("a key without a shared secret", {"key": bytes(32)}),
                  ("a byte more inside", {"more": b"\0"})]
    for name, spelled in wrong:
        yield name, server.accept(**spelled), DROPPED


def of_refuse(server):
    good = server.refuse(6, b"full")
    yield from of_any_size(good)
    for at in (4, 7, *range(8, 24)):
        yield f"id or proof at {at}", flipped(good, at), DROPPED
    for reason in (0, 11, 255):
        yield f"reason {reason}", server.refuse(reason), DROPPED
    for name, wrong in (("two versions", {"server_version": 3}), ("another mode", {"mode": 1}),
                        ("byte 26", {"zeros": 1}), ("byte 27", {"zeros": 256}),
                        ("a text that ends outside the datagram", {"text_bytes": 5}),
                        ("a text of 129", {"text": b"t" * 129}),
                        ("a text with a control character", {"text": b"\x1b[m"}),
                        ("a text that is not ASCII", {"text": b"\xc3\xa9"})):
        yield name, server.refuse(6, **({"text": b"full"} | wrong)), DROPPED
