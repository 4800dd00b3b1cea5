#!/usr/bin/env python3
"""Counts the instructions of the snapshot codec per changed entity.

Unlike times, counts do not depend on other work of the machine, so two commits can be compared.
They do depend on the compiler, its options and the processor's family. Needs valgrind.

    instruction_counts.py build/release/bin/snapshot_bench
    instruction_counts.py ... --compiler "GNU 12.2.0 -O2" --write instruction_counts.json
    instruction_counts.py ... --compiler "GNU 12.2.0 -O2" --check instruction_counts.json

Exit codes: 0 if the counts are at most the baseline plus its tolerance; 1 if a count is larger, or
if counting failed; 77 if a comparison is impossible, because valgrind is missing or the baseline is
from another compiler or processor.
"""

import argparse
import json
import os
import platform
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


def processor():
    """The properties of the processor that decide which code libraries run."""
    flags = ""
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            flags = next((line for line in info if line.startswith("flags")), "")
    found = [flag for flag in ("avx2", "avx512f") if flag in flags.split()]
    return " ".join([platform.machine(), *found])


def skip(why):
    print("instruction_counts.py: skipped: " + why)
    sys.exit(77)


def compare(counts, baseline, tolerance):
    """Returns increases above the tolerance, one per line; prints decreases."""
    problems = []
    for name, before in baseline.items():
        now = counts.get(name)
        if now is None:
            problems.append(f"{name} was not counted")
        elif now > before * (1 + tolerance):
            problems.append(f"{name}: {now:.0f} instructions, {now / before - 1:+.1%}; "
                            f"the baseline is {before:.0f}")
        elif now < before * (1 - tolerance):
            print(f"{name}: {now / before - 1:+.1%}: update the baseline with --write")
    return problems


def judge(arguments, counts):
    """Writes the baseline, or compares the counts with it."""
    if arguments.write:
        baseline = {"compiler": arguments.compiler, "processor": processor(),
                    "instructions": {name: round(now) for name, now in counts.items()}}
        with open(arguments.write, "w", encoding="utf-8") as file:
            file.write(json.dumps(baseline, indent=2) + "\n")
    if arguments.check:
        wanted = arguments.coder or ["range", "mix"]
        baseline = {name: before for name, before in arguments.baseline["instructions"].items()
                    if name.split()[0] in wanted}
        problems = compare(counts, baseline, arguments.tolerance / 100)
        if problems:
            sys.exit("\n".join(["instruction_counts.py: the codec needs more instructions; if "
                                "that is intended, update the baseline with --write", *problems]))


def read_baseline(arguments):
    """Reads the baseline, before the counting that takes half a minute."""
    if arguments.check is None:
        return
    with open(arguments.check, encoding="utf-8") as file:
        arguments.baseline = json.load(file)
    for key, here in (("compiler", arguments.compiler), ("processor", processor())):
        if arguments.baseline[key] != here:
            skip(f"the baseline was made with {key} '{arguments.baseline[key]}', this is '{here}'")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="snapshot_bench of the release preset")
    parser.add_argument("--trace", default=TRACE, help="default: the trace of the sample game")
    parser.add_argument("--model", help="a model of snapshot_train; default: the built-in one")
    parser.add_argument("--rate", type=int, default=20, help="snapshots per second")
    parser.add_argument("--coder", action="append", choices=["range", "mix"], help="default: both")
    parser.add_argument("--compiler", default="", help="the program's compiler, for the baseline")
    parser.add_argument("--write", metavar="BASELINE", help="write the counts to this file")
    parser.add_argument("--check", metavar="BASELINE", help="fail if counts exceed these")
    parser.add_argument("--tolerance", type=float, default=3, help="accepted increase in percent")
    arguments = parser.parse_args()
    if shutil.which("valgrind") is None:
        skip("valgrind is not installed")
    read_baseline(arguments)
    # Counting begins with the first snapshot. Each snapshot fits into one datagram.
    trace = [arguments.trace, "--rate", str(arguments.rate), "--from", "0"]
    trace += ["--datagram", "60000", "--no-peers", "--json"]
    if arguments.model is not None:
        trace += ["--model", arguments.model]
    counts = {}
    for coder in arguments.coder or ["range", "mix"]:
        for name, functions in COUNTED.items():
            total, report = count([arguments.program], functions, trace + ["--coder", coder])
            changed = report["changed_entities"]
            counts[f"{coder} {name}"] = total / changed
            print(f"{coder:5} {name}: {total / changed:8.0f} instructions for each of {changed} "
                  f"changed entities, {report['mean_bytes']:.1f} bytes per snapshot", flush=True)
    judge(arguments, counts)


if __name__ == "__main__":
    main()
