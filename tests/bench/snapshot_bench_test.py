#!/usr/bin/env python3
"""Streams made-up worlds over ways of every length: each integer arrives, and sizes are sane.

    snapshot_bench_test.py SNAPSHOT_BENCH
"""

import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

TICKS = 300
TICK_RATE = 60


def write_trace(path, name, bits, ticks):
    """A trace of entities of one type; `ticks` gives for each tick a dict of id and values."""
    fields = [{"name": f"f{i}", "kind": "uint", "bits": width, "note": ""}
              for i, width in enumerate(bits)]
    header = json.dumps({"name": name, "seed": 1, "tick_rate": TICK_RATE, "ticks": len(ticks),
                         "entity_types": [{"id": 0, "name": "e", "fields": fields}]}).encode()
    with open(path, "wb") as out:
        out.write(b"MTRC1\0\0\0" + struct.pack("<I", len(header)) + header)
        for number, entities in enumerate(ticks):
            out.write(struct.pack("<II", number, len(entities)))
            for entity, values in sorted(entities.items()):
                out.write(struct.pack(f"<IHH{len(bits)}I", entity, 0, len(bits), *values))


def walkers(count):
    """They go round in circles, each at its own pace: a datagram does not hold them all."""
    ways = random.Random(1)
    paces = [(ways.uniform(0.01, 0.2), ways.uniform(0, 6), ways.uniform(500, 9000))
             for _ in range(count)]

    def at(tick):
        return {i: (int(30000 + radius * math.cos(phase + pace * tick)),
                    int(30000 + radius * math.sin(phase + pace * tick)))
                for i, (pace, phase, radius) in enumerate(paces)}

    return [at(tick) for tick in range(TICKS)]


def noise(bits):
    values = random.Random(2)
    return [{i: tuple(values.getrandbits(bits) for _ in range(10)) for i in range(20)}
            for _ in range(TICKS)]


def newcomers():
    """Every sixth tick another one, with great numbers that never change."""
    great = tuple(0x12345678 + 77 * i for i in range(10))
    return [{i: great for i in range(max(0, tick // 6 - 5), tick // 6 + 1)}
            for tick in range(TICKS)]


def main():
    program = sys.argv[1]
    faults = []

    def stream(path, *options):
        run = subprocess.run([program, path, "--json", *options], capture_output=True, text=True,
                             check=False)
        report = json.loads(run.stdout)
        what = f"{os.path.basename(path)} {' '.join(options)}"
        print(f"{what}: {report['mean_bytes']:.0f} bytes, {report['snapshots']} snapshots,"
              f" {report['snapshots_left_out']} left out")
        if run.returncode != 0 or not report["verified"]:
            faults.append(f"{what}: {report.get('fault')}")
        return report

    def expect(holds, text):
        if not holds:
            faults.append(text)

    with tempfile.TemporaryDirectory() as folder:
        crowd = os.path.join(folder, "crowd.mtrc")
        write_trace(crowd, "made_up_crowd", (16, 16), walkers(700))
        for rtt in ("20", "120", "200", "350", "600", "1000"):
            for loss in ("0", "5"):
                stream(crowd, "--rate", "60", "--rtt-ms", rtt, "--loss", loss, "--no-peers")
        report = stream(crowd, "--rate", "60")
        reference = report["peers"]["reference_bytes"]
        expect(report["peers"]["reference_verified"], "the reference is verified")
        expect(reference < 1.2 * report["peers"]["bit_packed_bytes"],
               f"the reference takes {reference} bytes, far more than fixed widths")
        for coder in ("huffman", "raw", "reference"):
            stream(crowd, "--rate", "60", "--coder", coder, "--no-peers")

        for bits in (8, 16, 24, 32):
            path = os.path.join(folder, f"noise{bits}.mtrc")
            write_trace(path, f"made_up_noise_{bits}", (bits,) * 10, noise(bits))
            for coder in ("range", "mix"):
                report = stream(path, "--coder", coder)
                most = 1.5 * report["peers"]["bit_packed_bytes"]
                expect(report["mean_bytes"] < most, f"noise of {bits} bits takes more than {most}")
        path = os.path.join(folder, "newcomers.mtrc")
        write_trace(path, "made_up_newcomers", (32,) * 10, newcomers())
        plain = stream(path, "--coder", "raw", "--no-peers")["mean_bytes"]
        for coder in ("range", "mix"):
            mean = stream(path, "--coder", coder, "--no-peers")["mean_bytes"]
            expect(mean < 1.5 * plain, f"newcomers take {mean} bytes, plainly {plain}")

    for fault in faults:
        print("FAILED:", fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
