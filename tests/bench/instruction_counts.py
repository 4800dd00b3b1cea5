#!/usr/bin/env python3
"""Counts the instructions that the snapshot codec takes for each changed entity.

Unlike times, these do not depend on what else the machine does, so two commits can be compared.
They do depend on the compiler, its options and the processor's family. Needs valgrind.

Example: instruction_counts.py build/release/bin/snapshot_bench
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TRACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "traces/muster_arena.mtrc.zst")
COUNTED = {
    "encode": ["muster::SnapshotWriter::begin(*", "muster::SnapshotWriter::write(*"],
    "decode": ["muster::SnapshotReader::read(*"],
}


def count(program, functions, trace):
    """Streams the trace once; returns the instructions inside the functions, and the report."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind",
                   "--callgrind-out-file=" + os.path.join(folder, "callgrind.out")]
        command += ["--toggle-collect=" + function for function in functions]
        run = subprocess.run(command + program + trace, capture_output=True, text=True, check=False)
    collected = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or collected is None or int(collected.group(1)) == 0:
        sys.exit(f"instruction_counts.py: nothing was counted\n{run.stdout}{run.stderr}")
    return int(collected.group(1)), json.loads(run.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="snapshot_bench, of the release preset")
    parser.add_argument("--trace", default=TRACE, help="else the one of the sample game")
    parser.add_argument("--model", help="what snapshot_train wrote; else the built-in model")
    parser.add_argument("--rate", type=int, default=20, help="snapshots a second")
    parser.add_argument("--coder", action="append", choices=["range", "mix"], help="else both")
    arguments = parser.parse_args()
    if shutil.which("valgrind") is None:
        sys.exit("instruction_counts.py: valgrind is not installed")
    # Everything is counted from the first snapshot on, and each stands in one datagram.
    trace = [arguments.trace, "--rate", str(arguments.rate), "--from", "0"]
    trace += ["--datagram", "60000", "--no-peers", "--json"]
    if arguments.model is not None:
        trace += ["--model", arguments.model]
    for coder in arguments.coder or ["range", "mix"]:
        for name, functions in COUNTED.items():
            total, report = count([arguments.program], functions, trace + ["--coder", coder])
            changed = report["changed_entities"]
            print(f"{coder:5} {name}: {total / changed:8.0f} instructions for each of {changed} "
                  f"changed entities, {report['mean_bytes']:.1f} bytes a snapshot")


if __name__ == "__main__":
    main()
