#!/usr/bin/env python3
"""Makes handshakes, connect tokens and sealed packets by net/WIRE_FORMAT.md and net/CONNECTION.md
only, and sends them to an implementation. The implementation must accept, drop or refuse each of
them for the documented reason.

    handshake_put.py PROGRAM               PROGRAM is `handshake_vectors`, which has both ends
    handshake_put.py --self-test PROGRAM   changes one constant at a time, and requires that no
                                           handshake succeeds

Prints the differences; exit code 1 if there are any. Shares no code with the implementation.
"""

import sys

import handshake_ends
import handshake_keys as keys
import handshake_wrong as wrong
import packet_form
import packet_vectors
from encoding import require
from handshake_ends import DATE, SERVER_ADDRESS, Client, Server, Token
from handshake_program import Checks, Program

IDENTITY = keys.digest(b"identity")
SERVER_KEY = keys.public_key(IDENTITY)
BACKEND = keys.digest(b"backend")
ROUNDS_OF_A_KEY = 160  # Of 4 s each: longer than the 10 minutes that a key is used.


def begin_server(program, **settings):
    program.begin("server", **{"identity": IDENTITY, "backend": BACKEND, "unprotected": 1,
                               "clients": 250, "public": SERVER_ADDRESS} | settings)


def challenged(program, **settings):
    """Returns a client with a challenge. Each has its own address, as budgets are per address."""
    client = Client(SERVER_KEY, **settings)
    answer = program.give(client.request(), client.address)
    require(answer.result() == "challenge", f"a request is answered: {answer.result()}")
    client.read_challenge(answer.datagrams("challenge")[0])
    return client


def accepted(program, client):
    answer = program.give(client.response(), client.address)
    require(answer.result() == "accept", f"a response is answered: {answer.result()}")
    return client.read_accept(answer.datagrams("accept")[0])


def connected(program, **settings):
    client = challenged(program, **settings)
    accepted(program, client)
    answer = program.give(client.packets.seal(client.packets.body()), client.address)
    require(answer.result() == "connected", f"the first packet connects: {answer.result()}")
    return client


# --- Both ends


def messages_in(packets, answer):
    """Returns all messages in packets, each of which must open."""
    return [message[4] for data in answer.datagrams()
            for message in packets.open(data)["messages"] or ()]


def put_packets(checks, program, packets, address, unknown):
    """Sends an exchange, all wrong packets, and new keys in both directions."""
    def give(name, expected, datagram):
        answer = program.give(datagram, address)
        messages_in(packets, answer)
        checks.expect(name, answer.result(), expected)
        return answer

    answer = give("a message", "message", packets.seal(packets.body(b"to you")))
    checks.expect("the content of the message", answer.words("message"), [[b"to you".hex()]])
    checks.expect("a message back", messages_in(packets, program.send_message(b"to me")),
                  [b"to me"])
    for name, datagram, expected in list(wrong.of_packet(packets, unknown)):
        give(f"a packet, {name}", expected, datagram)
    datagram = packets.seal(packets.body())
    give("a valid packet with the number of the wrong ones", "nothing", datagram)
    packets.sequence += 257
    give("a packet with a later number", "message", packets.seal(packets.body(b"x")))
    give("255 below", "nothing", packets.seal(packets.body(), packets.sequence - 255))
    give("256 below", "stale_in", packets.seal(packets.body(), packets.sequence - 256))
    if packets.send_key is None:
        return
    for phase in (1, 0, 1):
        old_key, packets.sequence = packets.send_key, packets.sequence + 1
        late = packets.seal(packets.body(), packets.sequence)
        packets.rekey()
        give(f"phase {phase}", "message", packets.seal(packets.body(b"new key")))
        give("a late packet of the last key", "nothing", late)
        give("the last key again", "forged", packets.seal(
            packets.body(), packets.sequence + 1, 1 - phase, old_key))
        give("the new key under the old phase", "forged", packets.seal(
            packets.body(), packets.sequence + 1, 1 - phase))
    for _ in range(ROUNDS_OF_A_KEY):
        messages_in(packets, program.wait(4000))
        give("a packet in each round", "nothing", packets.seal(packets.body()))
    checks.expect("the phase after 10 minutes", packets.their_phase, 1)
    packets.sequence += 16382
    give("a number 16382 on", "nothing", packets.seal(packets.body(), packets.sequence))


def put_ends(checks, program, packets, address, name, body, expected):
    answer = program.give(packets.seal(body), address)
    checks.expect(f"a body with {name}", answer.result(), f"{expected}, closed 4")
    closes = [item for data in answer.datagrams()
              for item in packets.open(data)["control"] or () if item[0] == 5]
    checks.expect(f"the close reason for {name}", [close[1] for close in closes[:1]], [4])


# --- Our server, the document's client


def put_to_server(checks, program, mode, cipher):
    begin_server(program)
    token = Token(BACKEND, SERVER_KEY) if mode == 1 else None
    client = challenged(program, mode=mode, token=token, wish=cipher == 1)
    answer = program.give(client.response(), client.address)
    form = client.read_accept(answer.datagrams("accept")[0])
    checks.expect("the accept", (form["cipher"], form["client"], form["largest"]),
                  (cipher, token.client if token else 0, handshake_ends.LARGEST))
    again = program.give(client.sent, client.address)
    checks.expect("the same response", again.datagrams("accept"), answer.datagrams("accept"))
    other = program.give(client.response(hello=client.hello(user=b"another")), client.address)
    checks.expect("another response with its key", other.result(), "accept")
    client.read_accept(other.datagrams("accept")[0])
    answer = program.give(client.packets.seal(client.packets.body()), client.address)
    checks.expect("the connected client", answer.words("connected"),
                  [[str(form["client"]), token.user.hex() if token else "-", b"another".hex()]])
    checks.expect("a response of a connected client",
                  program.give(client.sent, client.address).result(), "nothing")
    put_packets(checks, program, client.packets, client.address, "unknown_connection")


def put_wrong_to_server(checks, program):
    begin_server(program)
    client = Client(SERVER_KEY)
    for name, request, expected in wrong.of_request(client):
        answer = program.give(request, client.address)
        checks.expect(f"a request, {name}", answer.result(), expected)
        for refuse in answer.datagrams("refuse"):
            client.read_refuse(refuse)
    count = sum(1 for _ in wrong.of_response(challenged(program)))
    for number in range(count):  # After a wrong response a new client must be accepted.
        if number % 200 == 0:
            begin_server(program)
        program.wait(10)  # Time adds to the budget for work.
        client = challenged(program, number=number)
        name, response, expected = list(wrong.of_response(client))[number]
        answer = program.give(response, client.address)
        checks.expect(f"a response, {name}", answer.result(), expected)
        for refuse in answer.datagrams("refuse"):
            client.read_refuse(refuse)
        accepted(program, client)
    client = challenged(program, key=bytes(32), number=400)
    checks.expect("a key without a shared secret",
                  program.give(client.response(), client.address).result(), "hellos_forged")
    client = challenged(program, number=401)
    for address in ("10.1.1.146:1000", "10.1.1.145:1001"):
        answer = program.give(client.response(), address)
        checks.expect(f"a response from {address}", answer.result(), "challenges_stale")
    program.wait(5000)
    accepted(program, client)
    client = challenged(program, number=402)
    program.wait(5001)
    checks.expect("an old challenge", program.give(client.response(), client.address).result(),
                  "challenges_stale")


def put_tokens_to_server(checks, program):
    begin_server(program)
    longest = Token(BACKEND, SERVER_KEY, 1, DATE + 1, DATE + 7 * 86400 + 1,
                    addresses=[SERVER_ADDRESS] * 16, user=bytes(256))
    packet_form.check_token(longest.whole)
    accepted(program, challenged(program, mode=1, token=longest, user=bytes(256)))
    thief = challenged(program, mode=1, token=longest, number=2)
    checks.expect("a token used twice", program.give(thief.response(), thief.address).result(),
                  "refuse 5")
    cases = [(f"a token that {name}", token.presented, "refuse 4", token)
             for name, token in wrong.tokens(BACKEND, SERVER_KEY)]
    good = Token(BACKEND, SERVER_KEY, 2)
    cases += [(*case, good) for case in wrong.presented_tokens(good.presented)]
    for number, (name, presented, expected, token) in enumerate(cases, 3):
        client = challenged(program, mode=1, token=token, number=number)
        answer = program.give(client.response(presented=presented), client.address)
        checks.expect(name, answer.result(), expected)
    client = challenged(program, mode=1, token=good, number=1000)
    for name, spelled, expected in (("secret", {"token_secret": bytes(32)}, "hellos_forged"),
                                ("content", {"hello": client.hello(content=1)}, "refuse 8")):
        answer = program.give(client.response(**spelled), client.address)
        checks.expect(f"a token with another {name}", answer.result(), expected)
    accepted(program, client)  # A refusal did not use up the token.


def put_refused_by_server(checks, program):
    """Tests refusals that do not depend on the client, and limits."""
    token = Token(BACKEND, SERVER_KEY)
    for name, settings, mode, expected in (
            ("the game refuses", {"closed_door": "no"}, 0, "refuse 10"),
            ("the game accepts other content", {"content": 12, "admitted": 11}, 0, "accept"),
            ("tokens only", {"pinned": 0}, 0, "refuse 3"),
            ("protection only", {"unprotected": 0}, 2, "refuse 3"),
            ("no room for used tokens", {"used_tokens": 0}, 1, "refuse 7"),
            ("a free slot", {"clients": 1}, 0, "accept")):
        begin_server(program, **settings)
        client = challenged(program, mode=mode, token=token if mode == 1 else None)
        answer = program.give(client.response(), client.address)
        checks.expect(name, answer.result(), expected)
        for refuse in answer.datagrams("refuse"):
            client.read_refuse(refuse)
    client = challenged(program, number=2)
    checks.expect("the slot of a pending client",
                  program.give(client.response(), client.address).result(), "accept")
    begin_server(program, clients=1)
    connected(program, number=1)
    client = challenged(program, number=2)
    checks.expect("no slot", program.give(client.response(), client.address).result(), "refuse 6")
    begin_server(program)
    client = challenged(program)
    bad = client.response(hello=b"")
    results = [program.give(bad, client.address).result() for _ in range(17)]
    checks.expect("17 responses at once", results, ["hellos_forged"] * 16 + ["responses_limited"])
    for number in range(1, 10):
        client = challenged(program, number=number, address=f"10.9.0.1:{number}")
        checks.expect(f"client {number} of an address", program.give(
            client.response(), client.address).result(), "accept" if number < 9 else "refuse 6")
    for number, case in enumerate(wrong.BODIES, 20):
        client = connected(program, number=number)
        put_ends(checks, program, client.packets, client.address, *case)


# --- Our client, the document's server


def begin_client(program, mode=0, cipher=0, **more):
    """Starts our client, and returns its first request and the server that it connects to."""
    token = Token(BACKEND, Server().key, addresses=("10.0.0.9:1", SERVER_ADDRESS))
    server = Server(cipher=cipher, token_secret=token.secret if mode == 1 else bytes(32))
    settings = {"token": token.whole, "presented": token.presented} if mode == 1 else {}
    presented = settings.pop("presented", b"")
    answer = program.begin("client", mode=mode, address=SERVER_ADDRESS, server_key=server.key,
                           user_data=b"of the client", **settings | more)
    return server, answer, presented


def respond(program, server, request):
    answer = program.give(server.challenge(request), SERVER_ADDRESS)
    require(answer.result() == "response", f"a challenge is answered: {answer.result()}")
    return server.read_response(answer.datagrams("response")[0])


def put_to_client(checks, program, mode, cipher):
    server, answer, presented = begin_client(program, mode, cipher)
    request = answer.datagrams("request")[0]
    checks.expect("the request after 249 ms", program.wait(249).result(), "nothing")
    checks.expect("the request after 250 ms", program.wait(1).datagrams("request"), [request])
    checks.expect("an early accept", program.give(
        bytes([4, 2, mode]).ljust(60 if mode == 2 else 76, b"\0"), SERVER_ADDRESS).result(),
        "not_ours")
    server.challenge(request)
    for name, challenge, expected in list(wrong.of_challenge(server, request)):
        answer = program.give(challenge, SERVER_ADDRESS)
        checks.expect(f"a challenge, {name}", answer.result(), expected)
    answer = program.give(server.challenge(request), "10.0.0.1:7001")
    checks.expect("a challenge from elsewhere", answer.result(), "not_ours")
    checks.expect("the token", respond(program, server, request)["token"], presented)
    checks.expect("the hello", (server.hello["fingerprint"], server.hello["descriptions"],
                                server.hello["user"], server.hello["ciphers"]),
                  (11, 22, b"of the client", int(mode != 2 and keys.sodium.HAS_AES)))
    for name, accept, expected in list(wrong.of_accept(server)):
        answer = program.give(accept, SERVER_ADDRESS)
        checks.expect(f"an accept, {name}", answer.result(), expected)
    checks.expect("the response again", program.wait(250).datagrams("response"), [server.response])
    answer = program.give(server.accept(), SERVER_ADDRESS)
    checks.expect("the accept", answer.words("connected"), [[str(server.client), "-", "-"]])
    checks.expect("the first packet", len(answer.datagrams()), 1)
    messages_in(server.packets, answer)
    checks.expect("the accept again", program.give(server.accept(), SERVER_ADDRESS).result(),
                  "not_ours")
    put_packets(checks, program, server.packets, SERVER_ADDRESS, "not_ours")


def put_wrong_to_client(checks, program):
    for reason in range(1, 11):
        server, answer, _ = begin_client(program)
        server.challenge(answer.datagrams("request")[0])
        for name, refuse, expected in list(wrong.of_refuse(server)):
            answer = program.give(refuse, SERVER_ADDRESS)
            checks.expect(f"a refuse, {name}", answer.result(), expected)
        refuse = server.refuse(reason, b"a ~text", version=2 + (reason == 1))
        answer = program.give(refuse, SERVER_ADDRESS)
        checks.expect(f"refuse {reason}", answer.result(), f"refused {reason}, closed 9")
        checks.expect("its words", answer.words("refused"),
                      [[str(reason), str(2 + (reason == 1)), "a", "~text"]])
    server, answer, _ = begin_client(program)
    respond(program, server, answer.datagrams("request")[0])
    checks.expect("a challenge of 5 s", [program.wait(time).result() for time in (4999, 1)],
                  ["response", "request"])
    checks.expect("no answer in 10 s", program.wait(5000).result(), "closed 8")
    for damage in (lambda token: token[:-1], lambda token: token + b"\0",
                   lambda token: b"m" + token[1:]):
        answer = begin_client(program, 1, token=damage(Token(BACKEND, Server().key).whole))[1]
        checks.expect("an invalid token", answer.result(), "token_unreadable")
    for case in wrong.BODIES:
        server, answer, _ = begin_client(program)
        respond(program, server, answer.datagrams("request")[0])
        answer = program.give(server.accept(), SERVER_ADDRESS)
        messages_in(server.packets, answer)
        put_ends(checks, program, server.packets, SERVER_ADDRESS, *case)


# --- All of it


def put_all(checks, program):
    kinds = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 255)]
    if not keys.sodium.HAS_AES:
        print("SKIPPED: AES-256-GCM, which libsodium does not have on this processor")
        kinds = [kind for kind in kinds if kind[1] != 1]
    for kind in kinds:
        checks.run(f"to the server, mode and cipher {kind}", put_to_server, program, *kind)
        checks.run(f"to the client, mode and cipher {kind}", put_to_client, program, *kind)
    for check in (put_wrong_to_server, put_tokens_to_server, put_refused_by_server,
                  put_wrong_to_client):
        checks.run(check.__name__, check, program)


def self_test(program):
    """A wrong byte in any constant must be detected from both ends."""
    unseen = []
    wrongs = [(keys.LABELS, name, keys.LABELS[name] + b"!") for name in keys.LABELS]
    wrongs += [(vars(handshake_ends), name, value)
               for name, value in (("VERSION", 3), ("APPLICATION", 7), ("LARGEST", 1471),
                                   ("MAGIC", b"KTOM"))]
    for table, name, value in wrongs:
        right, table[name] = table[name], value
        for check in (put_to_server, put_to_client):
            checks = Checks()
            checks.run(name, check, program, 1, 0)
            if not checks.complaints and (name, check) != ("LARGEST", put_to_client):
                unseen.append(f"another {name} is not detected in {check.__name__}")
        table[name] = right
    program.end()
    print("\n".join(unseen) or f"{len(wrongs)} wrong constants, all detected")
    return 1 if unseen else 0


def main(arguments):
    is_self_test = arguments[:1] == ["--self-test"]
    if len(arguments) != 1 + is_self_test:
        print(__doc__)
        return 2
    program = Program(arguments[-1])
    if is_self_test:
        return self_test(program)
    checks = Checks()
    put_all(checks, program)
    program.end()
    for complaint in checks.complaints[:100]:
        print(complaint)
    print(f"{checks.count} checks, {len(checks.complaints)} failed")
    return 1 if checks.complaints or not checks.count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
