#!/usr/bin/env python3
"""Checks emitted packets and handshakes by net/WIRE_FORMAT.md and net/CONNECTION.md only, and makes
vectors that an implementation must accept or refuse.

    packet_checker.py check PROGRAM   `PROGRAM emit` prints lines `KIND HEX`, and `run NAME=HEX...`
                                      for a whole handshake
    packet_checker.py put PROGRAM     `PROGRAM judge` gets lines `accept|drop KIND HEX RULE`
    packet_checker.py make            prints these lines

Shares no code with the implementation. KIND is a name of `packet_form.CHECKS`. A `run` is opened
with keys that are derived by the document. `check` prints the number of each kind; its exit code is
1 if bytes break a rule.
"""

import collections
import subprocess
import sys

import handshake_keys
import packet_form
import packet_vectors
from encoding import Broken, require
from packet_form import TAG


def check_run(values):
    """Checks a handshake with its secrets: both ends derive the same keys, and all seals open."""
    request = packet_form.check_request(values["request"])
    challenge = packet_form.check_challenge(values["challenge"])
    response = packet_form.check_response(values["response"])
    accept = packet_form.check_accept(values["accept"])
    require(values["request"][4:48] == values["response"][4:48], "a response repeats the request")
    require(challenge["connection"] == request["connection"], "a challenge names the request")
    require((response["time"], response["mac"]) == (challenge["time"], challenge["mac"]),
            "a response repeats the challenge")
    require(accept["connection"] == request["connection"], "an accept names the request")
    require(len({form["mode"] for form in (request, challenge, response, accept)}) == 1, "one mode")
    if request["mode"] == 2:
        packet_form.check_hello(response["hello"])
        check_run_packets(values, request, packet_form.check_accepted(accept["sealed"]), None)
        return
    token_secret = bytes(32)
    if request["mode"] == 1:
        token_secret = check_run_token(values, response)
    keys = handshake_keys.handshake_keys(
        challenge["key"], handshake_keys.dh(values["client_secret"], challenge["key"]),
        handshake_keys.dh(values["client_secret"], accept["key"]), token_secret,
        values["response"])
    client_key = handshake_keys.public_key(values["client_secret"])
    require(client_key == request["key"], "a request has the client's key")
    hello = handshake_keys.unseal(0, keys["hello"], bytes(12), response["hello"], response["open"],
                                  "the hello")
    packet_form.check_hello(hello)
    accepted = handshake_keys.unseal(0, keys["accept"], bytes(12), accept["sealed"], accept["open"],
                                     "the accept")
    check_run_packets(values, request, packet_form.check_accepted(accepted), keys)


def check_run_token(values, response):
    token = packet_form.check_token(values["token"])
    require(response["token"] == token["open"] + token["sealed"],
            "a response has the start of the token and its sealed part")
    secrets = packet_form.check_token_secrets(handshake_keys.unseal_token(
        values["token_key"], token["nonce"], token["sealed"], token["open"]))
    require(secrets["secret"] == token["secret"], "both parts of a token agree on the secret")
    require(secrets["addresses"] == token["addresses"], "both parts of a token agree on addresses")
    return token["secret"]


def check_run_packets(values, request, accepted, keys):
    receivers = {"server": request["connection"], "client": accepted["connection"]}
    for name, data in values.items():
        if not name.startswith("packet_"):
            continue
        sender = name.split("_")[1]
        packet = packet_form.check_packet(data)
        require(packet["connection"] == receivers[sender], "the receiver chose the connection id")
        if keys is None:
            packet_form.check_body(packet["sealed"], sealed=False)
            continue
        require(packet["phase"] == 0, "the first key has phase 0")
        require(len(packet["sealed"]) >= TAG, "a sealed body has a tag")
        body = handshake_keys.unseal(
            accepted["cipher"], keys[sender], handshake_keys.packet_nonce(packet["sequence"]),
            packet["sealed"], packet["head"], "a packet")
        packet_form.check_body(body)


def check_line(line):
    kind, *rest = line.split()
    try:
        if kind == "run":
            check_run({name: bytes.fromhex(value)
                       for name, value in (field.split("=") for field in rest)})
            return kind, None
        return kind, packet_form.broken_rule(kind, bytes.fromhex(rest[0]))
    except Broken as broken:
        return kind, str(broken)


def check_program(program):
    emitted = subprocess.run([program, "emit"], check=True, capture_output=True, text=True).stdout
    counts = collections.Counter()
    complaints = []
    for number, line in enumerate(emitted.splitlines(), 1):
        kind, broken = check_line(line)
        counts[kind] += 1
        if broken:
            complaints.append(f"line {number}: {kind}: broken rule: {broken}")
    print("\n".join(complaints) or ", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return 1 if complaints or not counts["run"] or not counts["body"] else 0


def put_to_program(program):
    vectors = "".join(f"{line}\n" for line in packet_vectors.lines())
    return subprocess.run([program, "judge"], input=vectors, check=False, text=True).returncode


def main(arguments):
    if arguments == ["make"]:
        for line in packet_vectors.lines():
            print(line)
        return 0
    if len(arguments) == 2 and arguments[0] in ("check", "put"):
        return (check_program if arguments[0] == "check" else put_to_program)(arguments[1])
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
