"""Both ends of a handshake, connect tokens and sealed packets, written from net/WIRE_FORMAT.md.

Methods make correct data unless an argument replaces a field by a wrong value.
"""

import struct

import handshake_keys as keys
import packet_form
import packet_vectors
from encoding import require

VERSION = 2
APPLICATION = 0x6172656E61
DATE = 1_800_000_000
LARGEST = 1472
MAGIC = b"MTOK"
SERVER_ADDRESS = "10.0.0.1:7000"


def put(data, at, value):
    """Returns a copy of the data with changed bytes at an offset."""
    return data[:at] + value + data[at + len(value):]


def flipped(data, at):
    return put(data, at, bytes([data[at] ^ 1 << at % 8]))


def address_bytes(text):
    ip, port = text.split(":")
    return bytes(10) + b"\xff\xff" + bytes(map(int, ip.split("."))) + struct.pack("<H", int(port))


class Token:
    def __init__(self, key, server_key, number=1, issued=DATE, expires=DATE + 60,
                 application=APPLICATION, addresses=(SERVER_ADDRESS,), user=b"of the token",
                 magic=None, version=1, more=b""):
        self.client = 1000 + number
        self.user = user
        self.secret = keys.digest(b"token secret %d" % number)
        nonce = keys.digest(b"token nonce %d" % number)[:24]
        self.open = struct.pack("<4sIQQQ24s", magic or MAGIC, version, application, issued,
                                expires, nonce)
        listed = bytes([len(addresses)]) + b"".join(map(address_bytes, addresses))
        inside = (struct.pack("<Q16s32s", self.client, keys.digest(b"id %d" % number)[:16],
                              self.secret) + listed + struct.pack("<H", len(user)) + user + more)
        self.sealed = keys.seal_token(key, nonce, inside, self.open)
        self.whole = (self.open + server_key + self.secret + listed +
                      struct.pack("<H", len(self.sealed)) + self.sealed)
        self.presented = self.open + self.sealed


class Packets:
    """One end of an established connection. Without keys the packets are not sealed."""

    def __init__(self, cipher, send_key, receive_key, our_id, their_id):
        self.cipher, self.send_key, self.receive_key = cipher, send_key, receive_key
        self.our_id, self.their_id = our_id, their_id
        self.phase = self.their_phase = self.sequence = self.message_id = 0
        self.received = set()

    def body(self, message=None):
        """Returns a body with a message, or with a ping."""
        ack, options = max(self.received, default=0), {}
        if ack:
            word = sum(1 << i for i in range(32) if ack - i < 1 or ack - i in self.received)
            options = {"ack": ack, "words": (word,), "hold": 0}
        start = packet_vectors.acknowledgement(1 if message is None else 4, **options)
        if message is None:
            return start + packet_vectors.counted(b"\x01")
        self.message_id += 1
        return start + packet_vectors.counted(
            packet_vectors.message(0, 1, 1, self.message_id, message))

    def seal(self, body, sequence=None, phase=None, key=None, nonce=None, to=None, first=None,
             open_part=None):
        """Seals a packet. If `sequence` is given, the number of the next packet does not change."""
        if sequence is None:
            self.sequence += 1
            sequence = self.sequence
        phase = self.phase if phase is None else phase
        head = struct.pack("<BIH", first or 0x80 | phase << 6,
                           self.their_id if to is None else to, sequence & 0xFFFF)
        if self.send_key is None:
            return head + body
        return head + keys.seal(self.cipher, key or self.send_key,
                                nonce or keys.packet_nonce(sequence), body, open_part or head)

    def rekey(self):
        self.send_key = keys.next_key(self.send_key)
        self.phase ^= 1

    def open(self, datagram):
        packet = packet_form.check_packet(datagram)
        require(packet["connection"] == self.our_id, "a packet names its receiver's connection")
        body = packet["sealed"]
        if self.receive_key is None:
            require(packet["phase"] == 0, "without protection there is no key phase")
        else:
            if packet["phase"] != self.their_phase:
                self.their_phase ^= 1
                self.receive_key = keys.next_key(self.receive_key)
            body = keys.unseal(self.cipher, self.receive_key,
                               keys.packet_nonce(packet["sequence"]), body, packet["head"],
                               "a packet")
        self.received.add(packet["sequence"])
        return packet_form.check_body(body, sealed=self.receive_key is not None)


class Client:
    def __init__(self, server_key, mode=0, token=None, number=1, wish=0, user=b"of the hello",
                 connection=None, key=None, address=None):
        self.server_key, self.mode, self.token = server_key, mode, token
        self.wish, self.user = wish, user
        self.connection = 0x01020304 + number if connection is None else connection
        self.secret = keys.digest(b"client %d" % number)
        self.key = key or keys.public_key(self.secret)
        self.address = address or f"10.1.{number >> 8}.{number & 255}:1000"
        self.challenge = self.packets = None

    def _start(self, kind):
        return struct.pack("<BBBBQI32s", kind, VERSION, self.mode, 0, APPLICATION,
                           self.connection, self.key)

    def request(self):
        return self._start(1).ljust(1200, b"\0")

    def read_challenge(self, datagram):
        self.challenge = packet_form.check_challenge(datagram)
        require(self.challenge["mode"] == self.mode, "a challenge has the request's mode")
        require(self.challenge["connection"] == self.connection, "a challenge names the request")
        require(self.challenge["key"] == self.server_key, "a challenge shows the server's key")

    def hello(self, content=11, descriptions=22, wish=None, user=None, user_bytes=None):
        user = self.user if user is None else user
        return struct.pack("<QQBH", content, descriptions, self.wish if wish is None else wish,
                           len(user) if user_bytes is None else user_bytes) + user

    def response(self, hello=None, presented=None, server_key=None, token_secret=None,
                 nonce=bytes(12), open_part=None, cipher=0):
        hello = self.hello() if hello is None else hello
        if presented is None:
            presented = self.token.presented if self.token else b""
        secret = token_secret or (self.token.secret if self.token else bytes(32))
        start = (self._start(3) + struct.pack("<Q16sH", self.challenge["time"],
                                              self.challenge["mac"], len(presented)) + presented +
                 struct.pack("<H", len(hello) + (0 if self.mode == 2 else packet_form.TAG)))
        if self.mode != 2:
            server_key = server_key or self.server_key
            shared = keys.dh(self.secret, server_key) if any(self.key) else bytes(32)
            self.c3 = keys.hello_chain(server_key, shared, secret)
            hello = keys.seal(cipher, keys.hello_key(self.c3), nonce, hello, open_part or start)
        self.sent = (start + hello).ljust(1200, b"\0")
        return self.sent

    def read_accept(self, datagram):
        accept = packet_form.check_accept(datagram)
        require(accept["connection"] == self.connection, "an accept names the request")
        require(accept["mode"] == self.mode, "an accept has the request's mode")
        inside, sides = accept["sealed"], {"client": None, "server": None}
        if self.mode != 2:
            sides = keys.packet_keys(self.c3, self.sent, keys.dh(self.secret, accept["key"]))
            inside = keys.unseal(0, sides["accept"], bytes(12), inside, accept["open"], "an accept")
        form = packet_form.check_accepted(inside)
        require((form["cipher"] == 255) == (self.mode == 2), "cipher 255 is that of mode 2")
        self.packets = Packets(form["cipher"], sides["client"], sides["server"], self.connection,
                               form["connection"])
        return form

    def read_refuse(self, datagram):
        form = packet_form.check_refuse(datagram)
        require((form["mode"], form["connection"]) == (self.mode, self.connection),
                "a refuse names the request")
        require(form["proof"] == keys.digest(self.key)[:16], "a refuse proves the request")


class Server:
    def __init__(self, number=1, cipher=0, token_secret=bytes(32)):
        self.secret = keys.digest(b"server %d" % number)
        self.key = keys.public_key(self.secret)
        self.ephemeral = keys.digest(b"server's ephemeral %d" % number)
        self.cipher, self.token_secret = cipher, token_secret
        self.connection, self.client = 0x0A0B0C0D, 0x1122334455667788
        self.request = self.response = self.hello = None

    def challenge(self, request, mode=None, connection=None, key=None):
        self.request = packet_form.check_request(request)
        require(self.request["application"] == APPLICATION, "a request names the application")
        return struct.pack("<BBBBIQ16s32s", 2, VERSION,
                           self.request["mode"] if mode is None else mode, 0,
                           self.request["connection"] if connection is None else connection,
                           123456789, bytes(range(16)), key or self.key)

    def read_response(self, response):
        form = packet_form.check_response(response)
        self.response = response
        require(all(form[name] == self.request[name]
                    for name in ("mode", "application", "connection", "key")),
                "a response repeats the request")
        require((form["time"], form["mac"]) == (123456789, bytes(range(16))),
                "a response repeats the challenge")
        hello = form["hello"]
        if form["mode"] != 2:
            self.c3 = keys.hello_chain(self.key, keys.dh(self.secret, form["key"]),
                                       self.token_secret)
            hello = keys.unseal(0, keys.hello_key(self.c3), bytes(12), hello, form["open"],
                                "a hello")
        self.hello = packet_form.check_hello(hello)
        return form

    def accept(self, cipher=None, largest=LARGEST, zeros=bytes(3), connection=None, key=None,
               nonce=bytes(12), open_part=None, wrong_key=None, more=b""):
        mode, connection = self.request["mode"], (self.connection if connection is None
                                                  else connection)
        inside = struct.pack("<IQBHH3s", connection, self.client,
                             self.cipher if cipher is None else cipher, largest, 50, zeros) + more
        start = struct.pack("<BBBBI32s", 4, VERSION, mode, 0, self.request["connection"],
                            key or keys.public_key(self.ephemeral))
        sides = {"client": None, "server": None}
        if mode != 2:
            shared = keys.dh(self.ephemeral, self.request["key"]) if key is None else bytes(32)
            sides = keys.packet_keys(self.c3, self.response, shared)
            inside = keys.seal(0, wrong_key or sides["accept"], nonce, inside, open_part or start)
        self.packets = Packets(self.cipher, sides["server"], sides["client"], connection,
                               self.request["connection"])
        return start + inside

    def refuse(self, reason, text=b"", text_bytes=None, version=VERSION, server_version=None,
               zeros=0, mode=None):
        return struct.pack("<BBBBI16sBBH", 5, version, self.request["mode"] if mode is None else
                           mode, reason, self.request["connection"],
                           keys.digest(self.request["key"])[:16],
                           version if server_version is None else server_version,
                           len(text) if text_bytes is None else text_bytes, zeros) + text
