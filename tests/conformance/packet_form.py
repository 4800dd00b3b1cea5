"""Packets and the unencrypted parts of the handshake, by net/WIRE_FORMAT.md only.

Each `check_*` returns the fields, or raises Broken.
"""

from encoding import Broken, fields, require

PACKET_HEADER = 7
TAG = 16
LARGEST_PACKET = 1472
LARGEST_BLOCK = 1 << 26
CHUNK = 256


class Bits:
    """Reads bits. The lowest bit of the first byte is first."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def read(self, count):
        require(self.at + count <= 8 * len(self.data), "a field is inside the data")
        value = int.from_bytes(self.data, "little") >> self.at & (1 << count) - 1
        self.at += count
        return value

    def align(self):
        require(self.read(-self.at % 8) == 0, "padding is zero")
        return self.at // 8


class Cursor:
    def __init__(self, data, at=0):
        self.data = data
        self.at = at

    def read(self, size):
        require(self.at + size <= len(self.data), "bytes lie inside")
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self, size):
        return int.from_bytes(self.read(size), "little")


def check_acknowledgement(bits):
    ack = bits.read(16)
    words = []
    for _ in range(bits.read(3) + 1):
        if bits.read(1):
            words.append(0xFFFFFFFF)
            continue
        words.append(bits.read(32))
        require(words[-1] != 0xFFFFFFFF, "a word that is all set has one bit")
    require(words[0] & 1, "bit 0 of word 0 is `ack` itself")
    sent, hold, delay = bits.read(16), bits.read(16), bits.read(12)
    # If `ack` is 0, no packet or packet 65536 k was received. The body does not distinguish these.
    return {"ack": ack, "words": words, "sent": sent, "hold": hold, "delay": delay}


def check_control(cursor):
    count = cursor.number(1)
    require(1 <= count <= 16, "1 to 16 control items")
    items = []
    for index in range(count):
        kind = cursor.number(1)
        require(1 <= kind <= 8, "a control item has a known type")
        if kind in (2, 3):
            items.append((kind, bytes(cursor.read(8))))
        elif kind == 4:
            size = cursor.number(2)
            require(1201 <= size <= LARGEST_PACKET, "a probe has 1201 to 1472 bytes")
            require(all(item[0] != 4 for item in items), "at most one probe")
            items.append((kind, size))
        elif kind == 5:
            require(index == count - 1, "close is the last item")
            reason, text_bytes = cursor.number(1), cursor.number(1)
            require(text_bytes <= 128, "a text has at most 128 bytes")
            require(1 <= reason <= 9, "a connection ends for a known reason")
            items.append((kind, reason, bytes(cursor.read(text_bytes))))
        elif kind == 6:
            block, reason = cursor.number(2), cursor.number(1)
            require(1 <= reason <= 3, "a block is refused for a known reason")
            items.append((kind, block, reason))
        elif kind == 7:
            require(all(item[0] != 7 for item in items), "at most one map")
            items.append((kind, cursor.number(2)))
        elif kind == 8:
            channel = cursor.number(1)
            require(channel <= 7, "a limit is one of a channel")
            require(all(item[:2] != (8, channel) for item in items), "one limit a channel")
            items.append((kind, channel, cursor.number(2)))
        else:
            require((1,) not in items, "at most one ping")
            items.append((kind,))
    return items


def check_payload(cursor):
    size = cursor.number(2)
    require(size >= 1, "a payload has a byte")
    return bytes(cursor.read(size))


def check_messages(cursor):
    count = cursor.number(1)
    require(1 <= count <= 64, "1 to 64 messages")
    messages = []
    for _ in range(count):
        head = cursor.number(1)
        channel, reliable, ordered = head & 7, head >> 3 & 1, head >> 4 & 1
        require(head >> 5 == 0, "bits 5 to 7 of a message's head are zero")
        require(reliable or not ordered, "ordered only with reliable")
        number = cursor.number(2) if reliable else None
        size = cursor.number(1)
        if size >= 128:
            high = cursor.number(1)
            require(high != 0, "a length has its shortest form")
            size = size & 127 | high << 7
        require(1 <= size <= 1024, "a message has 1 to 1024 bytes")
        messages.append((channel, reliable, ordered, number, bytes(cursor.read(size))))
    return messages


def check_blocks(cursor):
    count = cursor.number(1)
    require(1 <= count <= 4, "1 to 4 fragments")
    fragments = []
    for _ in range(count):
        block, total = cursor.number(2), cursor.number(4)
        require(1 <= total <= LARGEST_BLOCK, "a block has 1 to 2^26 bytes")
        chunks, first = cursor.number(1), cursor.number(3)
        require(1 <= chunks <= 5, "a fragment has 1 to 5 chunks")
        in_all = (total + CHUNK - 1) // CHUNK
        require(first + chunks <= in_all, "chunks are inside their block")
        size = min(total, (first + chunks) * CHUNK) - first * CHUNK
        fragments.append((block, total, first, bytes(cursor.read(size))))
    return fragments


def check_body(data, sealed=True):
    """Returns the fields of a packet's body. If `sealed`, a probe's size includes the tag."""
    bits = Bits(data)
    body = check_acknowledgement(bits)
    sections = bits.read(8)
    require(sections < 16, "bits 4 to 7 of the sections are zero")
    cursor = Cursor(data, bits.align())
    for bit, name, check in ((0, "control", check_control), (1, "payload", check_payload),
                             (2, "messages", check_messages), (3, "blocks", check_blocks)):
        body[name] = check(cursor) if sections >> bit & 1 else None
    rest = data[cursor.at:]
    probes = [item for item in body["control"] or () if item[0] == 4]
    if probes:
        size = len(data) + PACKET_HEADER + (TAG if sealed else 0)
        require(size == probes[0][1], "a probe has the size in its field")
        require(not any(rest), "a probe is filled with zero bytes")
    else:
        require(not rest, "nothing follows the last section")
    return body


def check_packet(data):
    require(16 <= len(data) <= LARGEST_PACKET, "a packet has 16 to 1472 bytes")
    require(data[0] in (0x80, 0xC0), "the first byte of a packet")
    _, connection, sequence = fields(data, 0, "BIH")
    return {"phase": data[0] >> 6 & 1, "connection": connection, "sequence": sequence,
            "head": data[:PACKET_HEADER], "sealed": data[PACKET_HEADER:]}


# --- Handshake: the unencrypted parts


def check_start(data, kind, size):
    require(len(data) == size, "the size of the datagram")
    require(data[0] == kind, "the kind")
    require(data[1] == 2, "the version")
    require(data[2] <= 2, "the mode")
    require(kind == 5 or data[3] == 0, "byte 3 is zero except in a refuse")
    return data[2]


def check_request(data):
    mode = check_start(data, 1, 1200)
    application, connection, key = fields(data, 4, "QI32s")
    require(connection != 0, "a connection id is not 0")
    require(not any(data[48:]), "a request is filled with zero bytes")
    return {"mode": mode, "application": application, "connection": connection, "key": key}


def check_challenge(data):
    mode = check_start(data, 2, 64)
    connection, time, mac, key = fields(data, 4, "IQ16s32s")
    return {"mode": mode, "connection": connection, "time": time, "mac": mac, "key": key}


def check_response(data):
    mode = check_start(data, 3, 1200)
    application, connection, key, time, mac = fields(data, 4, "QI32sQ16s")
    cursor = Cursor(data, 72)
    token_bytes = cursor.number(2)
    require(token_bytes <= 675, "a token has at most 675 bytes")
    require(mode == 1 or token_bytes == 0, "only mode 1 has a token")
    token = bytes(cursor.read(token_bytes))
    hello_bytes = cursor.number(2)
    tag = 0 if mode == 2 else TAG
    require(19 + tag <= hello_bytes <= 19 + 256 + tag, "the size of a hello")
    hello_at = cursor.at
    hello = bytes(cursor.read(hello_bytes))
    require(not any(data[cursor.at:]), "a response is filled with zero bytes")
    return {"mode": mode, "application": application, "connection": connection, "key": key,
            "time": time, "mac": mac, "token": token, "hello": hello, "open": data[:hello_at]}


def check_accept(data):
    mode = data[2] if len(data) > 2 else 0
    check_start(data, 4, 60 if mode == 2 else 76)
    connection, key = fields(data, 4, "I32s")
    return {"mode": mode, "connection": connection, "key": key, "sealed": data[40:],
            "open": data[:40]}


def check_refuse(data):
    require(28 <= len(data) <= 156, "a refuse has 28 to 156 bytes")
    mode = check_start(data, 5, len(data))
    connection, proof, version, text_bytes, zero = fields(data, 4, "I16sBBH")
    require(text_bytes <= 128 and 28 + text_bytes == len(data), "the size of a refuse")
    require(zero == 0, "bytes 26 and 27 are zero")
    require(version == data[1], "byte 1 is the server's version")
    require(1 <= data[3] <= 10, "a refuse has a known reason")
    require(all(32 <= byte <= 126 for byte in data[28:]), "a text is printable ASCII")
    return {"mode": mode, "reason": data[3], "connection": connection, "proof": proof,
            "version": version, "text": bytes(data[28:])}


def check_hello(data):
    fingerprint, descriptions, ciphers, user_bytes = fields(data, 0, "QQBH")
    require(ciphers <= 1, "only bit 0 of the cipher wish is known")
    require(user_bytes <= 256 and 19 + user_bytes == len(data), "the size of a hello")
    return {"fingerprint": fingerprint, "descriptions": descriptions, "ciphers": ciphers,
            "user": bytes(data[19:])}


def check_accepted(data):
    require(len(data) == 20, "the sealed part of an accept has 20 bytes")
    connection, client, cipher, largest, timeout, zero = fields(data, 0, "IQBHH3s")
    require(cipher in (0, 1, 255), "a known cipher")
    require(not any(zero), "the last 3 bytes are zero")
    require(connection != 0, "a connection id is not 0")
    require(largest >= 1200, "a server receives 1200 bytes")
    return {"connection": connection, "client": client, "cipher": cipher, "largest": largest,
            "timeout": timeout}


def check_addresses(cursor):
    count = cursor.number(1)
    require(1 <= count <= 16, "1 to 16 addresses")
    return [(bytes(cursor.read(16)), cursor.number(2)) for _ in range(count)]


def check_token(data):
    """Checks a token in the form that a client receives."""
    magic, version, application, issued, expires = fields(data, 0, "4sIQQQ")
    require(magic == b"MTOK" and version == 1, "magic and version")
    require(issued < expires <= issued + 7 * 86400, "a token lives for 7 days at most")
    nonce, server_key, secret = fields(data, 32, "24s32s32s")
    cursor = Cursor(data, 120)
    addresses = check_addresses(cursor)
    sealed_bytes = cursor.number(2)
    require(56 + sealed_bytes <= 675, "a token has at most 675 bytes")
    sealed = bytes(cursor.read(sealed_bytes))
    require(cursor.at == len(data), "nothing follows a token")
    return {"application": application, "issued": issued, "expires": expires, "nonce": nonce,
            "server_key": server_key, "secret": secret, "addresses": addresses, "sealed": sealed,
            "open": data[:56]}


def check_token_secrets(data):
    cursor = Cursor(data)
    client, token_id, secret = cursor.number(8), bytes(cursor.read(16)), bytes(cursor.read(32))
    addresses = check_addresses(cursor)
    user_bytes = cursor.number(2)
    require(user_bytes <= 256, "at most 256 bytes of user data")
    user = bytes(cursor.read(user_bytes))
    require(cursor.at == len(data), "nothing follows the user data")
    return {"client": client, "id": token_id, "secret": secret, "addresses": addresses,
            "user": user}


CHECKS = {"body": check_body, "open_body": lambda data: check_body(data, sealed=False),
          "request": check_request, "challenge": check_challenge, "response": check_response,
          "accept": check_accept, "refuse": check_refuse, "token": check_token}


def broken_rule(kind, data):
    """Returns the first rule that the bytes break, or None."""
    try:
        CHECKS[kind](bytes(data))
    except Broken as broken:
        return str(broken)
    return None
