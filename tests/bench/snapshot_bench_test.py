#!/usr/bin/env python3
"""Streams generated worlds over links of every length. Each integer must arrive, and sizes must be
plausible. Invalid traces and options give exit code 2.

    snapshot_bench_test.py SNAPSHOT_BENCH SNAPSHOT_TRAIN
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
    """Writes a trace of one entity type; `ticks` has a dict of id and values for each tick."""
    fields = [{"name": f"f{i}", "kind": "uint", "bits": width, "note": ""}
              for i, width in enumerate(bits)]
    header = json.dumps({"name": name, "seed": 1, "tick_rate": TICK_RATE, "ticks": len(ticks),
                         "entity_types": [{"id": 0, "name": "e", "fields": fields}]}).encode()
    with open(path, "wb") as out:
        out.write(b"MTRC1\0\0\0" + struct.pack("<I", len(header)) + header)
        for number, entities in enumerate(ticks):
            out.write(struct.pack("<II", number, len(entities)))
            # Lists keep their order, even if the order is invalid.
            pairs = sorted(entities.items()) if isinstance(entities, dict) else entities
            for entity, values in pairs:
                out.write(struct.pack(f"<IHH{len(bits)}I", entity, 0, len(bits), *values))


def walkers(count):
    """Entities move in circles, each at its own speed. One datagram cannot contain them all."""
    rng = random.Random(1)
    paces = [(rng.uniform(0.01, 0.2), rng.uniform(0, 6), rng.uniform(500, 9000))
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
    """Every sixth tick adds an entity with large numbers that never change."""
    great = tuple(0x12345678 + 77 * i for i in range(10))
    return [{i: great for i in range(max(0, tick // 6 - 5), tick // 6 + 1)}
            for tick in range(TICKS)]


def giants():
    """Two entities with so many random fields that neither fits into a usual datagram."""
    values = random.Random(3)
    return [{i: tuple(values.getrandbits(32) for _ in range(300)) for i in range(2)}
            for _ in range(TICKS)]


def check_rates(stream, expect, path):
    """Checks the bandwidth at several rates. Whole ticks may change the requested rate."""
    for requested, sent in ((20, 20), (25, 30), (45, 60), (120, 60)):
        report = stream(path, "--rate", str(requested), "--no-peers")
        expect(math.isclose(report["snapshots_per_second"], sent), f"{sent} snapshots a second")
        kbps = report["mean_bytes"] * report["snapshots"] * 8e-3 / (TICKS / TICK_RATE - 1)
        expect(math.isclose(report["kbps"], kbps, rel_tol=0.02),
               f"at {requested} snapshots per second: {report['kbps']} kbps, expected {kbps}")
    # A snapshot that is left out uses no bytes of the link.
    report = stream(path, "--rate", "60", "--rtt-ms", "1000", "--no-peers")
    expect(report["snapshots_left_out"] > 0, "some snapshots are omitted")
    expect(report["snapshots_per_second"] < 60, "omitted snapshots are not sent")
    kbps = report["mean_bytes"] * report["snapshots"] * 8e-3 / (TICKS / TICK_RATE - 1)
    expect(math.isclose(report["kbps"], kbps, rel_tol=0.02),
           f"{report['kbps']} kbps, expected {kbps}")


def check_refusals(program, trainer, folder, expect):
    """Exit code 2, and a message with the error and its position."""

    def refuse(text, path, *options):
        run = subprocess.run([program, path, "--json", "--no-peers", *options],
                             capture_output=True, text=True, check=False)
        what = f"{os.path.basename(path)} {' '.join(options)}"
        expect(run.returncode == 2 and text in run.stderr,
               f"{what}: exit code {run.returncode}, {run.stderr.strip()}")

    good = [[(2, (1,)), (5, (2,))]] * TICKS
    for name, text, ids in (("unsorted", "tick 1: entity 2 follows entity 5", (5, 2)),
                            ("twice", "tick 1: entity 5 is listed twice", (5, 5)),
                            ("no_id", "tick 1: entity 4294967295", (2**32 - 1,))):
        path = os.path.join(folder, name + ".mtrc")
        second = [(entity, (1,)) for entity in ids]
        write_trace(path, "made_up", (8,), [good[0], second, *good[2:]])
        refuse(text, path)
        refuse(name + ".mtrc", path)
    path = os.path.join(folder, "good.mtrc")
    write_trace(path, "made_up", (8,), good)
    for options in (("--loss", "nan"), ("--seed", "-1"), ("--from", "-1"), ("--rate", "0")):
        refuse(options[0], path, *options)
    model = os.path.join(folder, "range.mdl")
    subprocess.run([trainer, path, "--out", model], capture_output=True, check=True)
    refuse("has no tables for mix", path, "--model", model, "--coder", "mix")
    with open(path, "ab") as out:
        out.write(b"abc")
    refuse("3 bytes follow its last tick", path)
    path = os.path.join(folder, "header.mtrc")
    with open(path, "wb") as out:
        out.write(b"MTRC1\0\0\0" + struct.pack("<I", 10) + b'{"name":1}')
    refuse("header.mtrc", path)
    path = os.path.join(folder, "wide.mtrc")
    write_trace(path, "made_up", (8,) * 1025, [])
    refuse("at most 1024", path)


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
        expect(report["peers"]["reference_verified"], "the peer `reference` is verified")
        expect(reference < 1.2 * report["peers"]["bit_packed_bytes"],
               f"the reference takes {reference} bytes, far more than fixed widths")
        for coder in ("huffman", "raw", "reference"):
            stream(crowd, "--rate", "60", "--coder", coder, "--no-peers")

        for bits in (8, 16, 24, 32):
            path = os.path.join(folder, f"noise{bits}.mtrc")
            write_trace(path, f"made_up_noise_{bits}", (bits,) * 10, noise(bits))
            for coder in ("range", "mix"):
                report = stream(path, "--coder", coder)
                bytes_max = 1.5 * report["peers"]["bit_packed_bytes"]
                expect(report["mean_bytes"] < bytes_max,
                       f"noise of {bits} bits takes more than {bytes_max} bytes")
        path = os.path.join(folder, "newcomers.mtrc")
        write_trace(path, "made_up_newcomers", (32,) * 10, newcomers())
        plain = stream(path, "--coder", "raw", "--no-peers")["mean_bytes"]
        for coder in ("range", "mix"):
            mean = stream(path, "--coder", coder, "--no-peers")["mean_bytes"]
            expect(mean < 1.5 * plain,
                   f"new entities take {mean} bytes; the coder raw takes {plain}")

        path = os.path.join(folder, "giants.mtrc")
        write_trace(path, "made_up_giants", (32,) * 300, giants())
        for coder in ("range", "mix"):
            report = stream(path, "--coder", coder, "--loss", "5", "--no-peers")
            expect(1200 < report["datagram_bytes"] < 2400,
                   "a large entity has a datagram of its size")
        report = stream(crowd, "--no-peers")
        expect(report["datagram_bytes"] <= 1200, "other datagrams stay within the limit")
        check_rates(stream, expect, crowd)
        check_refusals(program, sys.argv[2], folder, expect)

    for fault in faults:
        print("FAILED:", fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
