#!/usr/bin/env python3
"""Compares the bundler with common tools in one run.

Generates a project of 10,000 prefabs, or copies --project DIR, because the project is edited.
Prints the time of each task as a ratio to its peer. Times are medians of alternating rounds.
Also prints the maximum memory of each process. Peers that are not installed are reported and
skipped.

usage: bundler_bench.py BIN [--project DIR] [--prefabs N] [--rounds N] [--json FILE]

BIN is the folder of `muster` and `muster_bench`, build/release/bin.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from patch_bench import generate

SIZED_PREFABS = 1000  # Prefabs of the generated project; more would take minutes at level 19.
LEVEL = 6  # The default of `muster build`.
TEXT = ("prefab", "unity", "asset", "mat", "meta", "controller", "anim", "vfx", "playable", "mask",
        "yaml")


class Run:
    """The time and the maximum memory of a command."""

    def __init__(self, command, **options):
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   **options)
        error = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        self.seconds = time.monotonic() - start
        self.peak_mb = usage.ru_maxrss / 1024
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"bundler_bench: {' '.join(map(str, command))}\n{error.decode()}")


class Bench:
    """Rows of a task and its peer, which are measured in alternation."""

    def __init__(self, rounds):
        self.rounds = rounds
        self.rows = []

    def time(self, name, subject, peer_name, peer, prepare=lambda: None):
        """`subject` and `peer` are commands; `peer` is None if it is not installed."""
        if peer is None:
            print(f"bundler_bench: {peer_name} is not installed: not measured", file=sys.stderr)
        ours, theirs = [], []
        for _ in range(self.rounds):
            prepare()
            ours.append(Run(subject))
            if peer is not None:
                theirs.append(Run(peer))
        mine = statistics.median(run.seconds for run in ours)
        row = {"case": name, "seconds": mine, "peak_mb": max(run.peak_mb for run in ours)}
        if theirs:
            other = statistics.median(run.seconds for run in theirs)
            row.update({"peer": peer_name, "peer_seconds": other, "ratio": mine / other,
                        "peer_peak_mb": max(run.peak_mb for run in theirs)})
        self.rows.append(row)

    def bytes(self, name, size, peer_name, peer):
        self.rows.append({"case": name, "bytes": size, "peer": peer_name, "peer_bytes": peer,
                          "ratio": size / peer})

    def print(self, first=0):
        print(f"{'case':<44} {'peer':<28} {'subject':>12} {'peer':>12} {'ratio':>8} {'peak':>8}")
        for row in self.rows[first:]:
            if "bytes" in row:
                shown = (f"{row['bytes']:>12}", f"{row['peer_bytes']:>12}", "")
            else:
                other = row.get("peer_seconds")
                shown = (f"{row['seconds'] * 1e3:>9.1f} ms",
                         f"{other * 1e3:>9.1f} ms" if other else "", f"{row['peak_mb']:.0f} MB")
            ratio = f"{row['ratio']:.3f}" if "ratio" in row else ""
            print(f"{row['case']:<44} {row.get('peer', ''):<28} {shown[0]:>12} {shown[1]:>12} "
                  f"{ratio:>8} {shown[2]:>8}", flush=True)


def packed_files(project, out, targets):
    """The source files of all packed assets, once per target, like the bundler packs them."""
    report = json.loads(pathlib.Path(out, "build.json").read_text(encoding="utf-8"))
    for target in targets:
        paths = {asset["path"] for bundle in report["targets"][target]["bundles"]
                 for asset in bundle["assets"]}
        for path in sorted(paths):
            yield pathlib.Path(project, path)


class SetAside:
    """Makes room for an output without deleting the old output.

    ext4 does not reuse an inode in the 30 seconds after its deletion. After thousands of deletions,
    ext4 skips all deleted inodes for each new file, and the next build takes twice as long. So
    everything is deleted together at the end.
    """

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.count = 0

    def __call__(self):
        self.folder.rename(f"{self.folder}.{self.count}")
        self.count += 1


def write_payload(files, target):
    with open(target, "wb") as payload:
        for path in files:
            payload.write(path.read_bytes())
    return target


def ninja_project(folder, count):
    """Writes a ninja project with the same number of inputs, each with an existing output."""
    folder = pathlib.Path(folder)
    (folder / "in").mkdir(parents=True)
    (folder / "out").mkdir()
    # Outputs of a generator need no entry in ninja's log.
    lines = ["rule copy", "  command = cp $in $out", "  generator = 1"]
    for number in range(count):
        (folder / "in" / f"{number}").write_text("x")
        lines.append(f"build out/{number}: copy in/{number}")
    for number in range(count):
        (folder / "out" / f"{number}").write_text("x")
    (folder / "build.ninja").write_text("\n".join(lines) + "\n")
    subprocess.run(["ninja", "-C", folder], check=True, stdout=subprocess.DEVNULL)
    return folder


def godot_pack_bytes(files, project):
    """The size of Godot's .pck (format 2): header, a record per file, files at multiples of 32."""
    header = 4 + 4 * 4 + 4 + 8 + 16 * 4 + 4
    records = data = 0
    for path in files:
        name = f"res://{path.relative_to(project)}".encode()
        records += 4 + (len(name) + 3) // 4 * 4 + 8 + 8 + 16 + 4
        data += (path.stat().st_size + 31) // 32 * 32
    return (header + records + 31) // 32 * 32 + data


def zstd_bytes(files, level):
    """The size of all files, each compressed alone."""
    total = 0
    for path in files:
        done = subprocess.run(["zstd", f"-{level}", "-c", "-q", path], capture_output=True,
                              check=True)
        total += len(done.stdout)
    return total


def bundle_bytes(out, target):
    """The size of the bundles and of their dictionaries."""
    return sum(path.stat().st_size for path in pathlib.Path(out, target).rglob("*")
               if path.suffix in (".mbundle", ".mdict"))


def touch_content(path):
    """Changes a number in a file, as an edit by a user does."""
    text = path.read_text(encoding="utf-8")
    at = next(i for i in range(len(text) // 2, len(text)) if text[i] in "0123456789")
    path.write_text(text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1:], encoding="utf-8")


def measure(arguments, work):
    muster = os.path.join(arguments.bin, "muster")
    project, out = os.path.join(work, "project"), os.path.join(work, "out")
    if arguments.project:
        shutil.copytree(arguments.project, project, symlinks=True)
    else:
        generate(project, 1, arguments.prefabs)
    build = [muster, "build", project, "--out", out]
    subprocess.run(build, check=True, capture_output=True)
    bench = Bench(arguments.rounds)
    files = list(packed_files(project, out, ("client", "server")))
    payload = write_payload(files, os.path.join(work, "payload"))
    has_zstd = shutil.which("zstd") is not None
    bench.time("cold build", build, f"zstd -T2 -{LEVEL} of the payload",
               ["zstd", f"-{LEVEL}", "-T2", "-c", "-q", payload] if has_zstd else None,
               prepare=SetAside(out))
    inputs = sum(len(names) for _, _, names in os.walk(project))
    ninja = ninja_project(os.path.join(work, "ninja"), inputs) if shutil.which("ninja") else None
    bench.time(f"build with nothing to do, {inputs} files", build, "ninja, as many files",
               ["ninja", "-C", ninja] if ninja else None)
    edited = next(path for path in files if path.suffix in (".prefab", ".asset", ".yaml"))

    def save_one():
        touch_content(edited)
        if ninja:
            (ninja / "in" / "0").write_text("y")

    bench.time("build after one file", build, "ninja, one file copied",
               ["ninja", "-C", ninja] if ninja else None, prepare=save_one)
    scan = ["rg", "-j2", "-N", "--no-ignore", "-o", "guid: [0-9a-f]{32}", "-g",
            f"*.{{{','.join(TEXT)}}}", project]
    validate = ["sh", "-c", '"$@" > /dev/null; test $? -le 1', "sh", muster, "validate", project]
    bench.time("validate", validate, "ripgrep for every reference",
               scan if shutil.which("rg") else None)
    bench.print()
    if has_zstd:  # At level 19 this takes minutes.
        timed = len(bench.rows)
        measure_bytes(arguments, work, project, bench)
        bench.print(timed)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(bench.rows, indent=1) + "\n")
    print(flush=True)
    subprocess.run([os.path.join(arguments.bin, "muster_bench"), "--build", out, "--filter",
                    "runtime/load/build"], check=True)


def measure_bytes(arguments, work, project, bench):
    if not arguments.project and arguments.prefabs > SIZED_PREFABS:
        project = os.path.join(work, "sized")
        generate(project, 1, SIZED_PREFABS)
    small = os.path.join(work, "small")
    subprocess.run([os.path.join(arguments.bin, "muster"), "build", project, "--out", small,
                    "--level", "19"], check=True, capture_output=True)
    files = list(packed_files(project, small, ("client",)))
    solid = write_payload(files, os.path.join(work, "solid"))
    ours = bundle_bytes(small, "client")
    bench.bytes(f"bytes of the client, {len(files)} assets, --level 19", ours, "each file zstd -19",
                zstd_bytes(files, 19))
    bench.bytes("", ours, "one solid zstd -19", zstd_bytes([solid], 19))
    bench.bytes("", ours, "Godot's .pck of the files", godot_pack_bytes(files, project))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin")
    parser.add_argument("--project", default="")
    parser.add_argument("--prefabs", type=int, default=10000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", default="")
    arguments = parser.parse_args()
    work = tempfile.mkdtemp(prefix="muster-bundler-bench-")
    try:
        measure(arguments, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
