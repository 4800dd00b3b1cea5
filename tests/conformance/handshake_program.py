"""Runs `handshake_vectors` as the peer: sends it lines, reads its answers, and summarises them."""

import subprocess

from encoding import Broken
from handshake_ends import APPLICATION, DATE

OURS = {"application": APPLICATION, "content": 11, "descriptions": 22, "date": DATE}
KINDS = {1: "request", 2: "challenge", 3: "response", 4: "accept", 5: "refuse"}


class Answer:
    def __init__(self, lines):
        self.lines = [line.split(" ") for line in lines]

    def datagrams(self, kind=None):
        """Returns sent handshakes of one kind, or sent packets."""
        out = [bytes.fromhex(words[2]) for words in self.lines if words[0] == "out"]
        return [data for data in out if KINDS.get(data[0]) == kind]

    def words(self, event):
        return [words[1:] for words in self.lines if words[0] == event]

    def result(self):
        """A short summary of what the program did, without its packets."""
        words = []
        for line in self.lines:
            if line[0] == "out":
                data = bytes.fromhex(line[2])
                if data[0] in KINDS:
                    words.append(KINDS[data[0]] + (f" {data[3]}" if data[0] == 5 else ""))
            elif line[0] == "count":
                words.append(line[1])
            else:
                words.append(line[0] + (f" {line[1]}" if line[0] in ("closed", "refused") else ""))
        return ", ".join(words) or "nothing"


class Program:
    """One process. A `begin` ends the previous client or server."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def command(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        lines = []
        for answer in iter(self.process.stdout.readline, ".\n"):
            if not answer:
                raise SystemExit(f"the program ended at: {line[:200]}")
            lines.append(answer.rstrip("\n"))
        return Answer(lines)

    def begin(self, what, **settings):
        spelled = {name: value.hex() if isinstance(value, bytes) else value
                   for name, value in (OURS | settings).items()}
        options = [f"{name}={value}" for name, value in spelled.items()]
        return self.command(" ".join([what] + options))

    def give(self, datagram, address):
        return self.command(f"in {address} {datagram.hex()}")

    def wait(self, milliseconds):
        return self.command(f"wait {milliseconds}")

    def send_message(self, message):
        return self.command(f"send {message.hex()}")

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Checks:
    def __init__(self):
        self.count = 0
        self.complaints = []

    def expect(self, name, found, wanted):
        self.count += 1
        if found != wanted:
            self.complaints.append(f"{name}: {found}"[:200] + f"; expected: {wanted}"[:200])

    def run(self, name, check, *rest):
        """Runs a whole check and records an exception as a complaint."""
        try:
            check(self, *rest)
        except (Broken, IndexError, KeyError, ValueError) as error:
            self.complaints.append(f"{name}: {type(error).__name__}: {error}")
