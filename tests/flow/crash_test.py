#!/usr/bin/env python3
"""Kills and disturbs builds, and checks that each output is exactly the old build or the new build.

usage: crash_test.py MUSTER PROJECT SCENE  (kill interrupt rivals full-disk foreign damaged
                                     forged-journal)

Prints its seeds. CRASH_SEED repeats a run.
"""
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROUNDS = 15


def tree(folder):
    """Returns a hash of each file of an output. Ignores muster's dot files and times."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        relative = path.relative_to(folder)
        if path.is_file() and not relative.parts[0].startswith("."):
            if path.name == ".muster-times.json":
                continue
            content = path.read_bytes()
            found[str(relative)] = hashlib.sha256(content).hexdigest()
    return found


class World:
    def __init__(self, muster, project):
        self.muster = muster
        self.folder = tempfile.mkdtemp(prefix="muster-crash-")
        self.old_project = os.path.join(self.folder, "old")
        self.new_project = os.path.join(self.folder, "new")
        shutil.copytree(project, self.old_project)
        shutil.copytree(project, self.new_project)
        # With another level, nearly every bundle of the new version differs.
        self.new_options = ["--level", "12"]
        self.old = self.reference(self.old_project, [])
        self.new = self.reference(self.new_project, self.new_options)
        assert self.old != self.new
        seed = int(os.environ.get("CRASH_SEED", time.time_ns() % 1000000))
        print(f"CRASH_SEED={seed}")
        self.random = random.Random(seed)

    def build(self, project, out, options):
        return [self.muster, "build", project, "--out", out, *options]

    def reference(self, project, options):
        out = tempfile.mkdtemp(dir=self.folder)
        subprocess.run(self.build(project, out, options), check=True, capture_output=True)
        return tree(out)

    def fresh_old_output(self):
        out = tempfile.mkdtemp(dir=self.folder)
        subprocess.run(self.build(self.old_project, out, []), check=True, capture_output=True)
        return out

    def verify(self, out):
        done = subprocess.run([self.muster, "verify", out], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    def check_old_or_new(self, out):
        # Each target is complete, even before a repair. The targets may be from different builds
        # only while the journal exists.
        before = tree(out)
        for target in ("client/", "server/", "build.json"):
            part = {path: digest for path, digest in before.items() if path.startswith(target)}
            assert any(part.items() == {path: digest for path, digest in whole.items()
                                        if path.startswith(target)}.items()
                       for whole in (self.old, self.new)), target
        if before not in (self.old, self.new):
            assert os.path.isdir(os.path.join(out, ".muster-publish")), os.listdir(out)
        self.verify(out)  # first finishes an interrupted publication
        now = tree(out)
        assert now in (self.old, self.new), sorted(set(now.items()) ^ set(self.old.items()))[:6]
        return now == self.new


def duration(world):
    out = world.fresh_old_output()
    start = time.monotonic()
    subprocess.run(world.build(world.new_project, out, world.new_options), check=True,
                   capture_output=True)
    return time.monotonic() - start


def rude(world, how):
    length = duration(world)
    outcomes = [0, 0]
    for number in range(ROUNDS):
        out = world.fresh_old_output()
        process = subprocess.Popen(world.build(world.new_project, out, world.new_options),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(world.random.uniform(0, length * 1.1))
        process.send_signal(how)
        if how == signal.SIGINT and number % 2 == 1:
            # `timeout -s INT` sends the signal to the child and again to its group.
            time.sleep(0.001)
            process.send_signal(how)
        process.wait(timeout=60)
        outcomes[world.check_old_or_new(out)] += 1
        if how == signal.SIGINT and process.returncode not in (0, -signal.SIGINT):
            raise AssertionError(f"exit code {process.returncode} after Ctrl-C")
        if how == signal.SIGINT:
            left = [name for name in os.listdir(out) if name.startswith(".muster-staging")]
            assert not left, left
        # The next build into the folder succeeds.
        subprocess.run(world.build(world.new_project, out, world.new_options), check=True,
                       capture_output=True)
        assert tree(out) == world.new
        shutil.rmtree(out)
    if how == signal.SIGINT:
        interrupted_newcomer(world, length)
    print(f"{outcomes[0]} times the old output, {outcomes[1]} times the new one")


def interrupted_newcomer(world, length):
    """A build that is stopped removes every folder that it created."""
    for number in range(ROUNDS):
        top = os.path.join(world.folder, f"new-{number}")
        process = subprocess.Popen(
            world.build(world.new_project, os.path.join(top, "deep", "out"), world.new_options),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(world.random.uniform(0, length))
        process.send_signal(signal.SIGINT)
        time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        # If the signal arrives after the publication, the build stays.
        if process.returncode == 0 or os.path.exists(top):
            assert tree(os.path.join(top, "deep", "out")) == world.new


def background(world):
    """A build that was started with SIGINT ignored, as a shell starts background jobs, ignores
    Ctrl-C."""
    out = world.fresh_old_output()
    process = subprocess.Popen(
        world.build(world.new_project, out, world.new_options), stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.001)
    assert process.returncode == 0, process.returncode
    assert tree(out) == world.new


def rivals(world):
    refused = 0
    for _ in range(ROUNDS):
        out = world.fresh_old_output()
        both = [subprocess.Popen(world.build(project, out, options), stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True)
                for project, options in ((world.old_project, ["--force"]),
                                         (world.new_project, world.new_options))]
        errors = [process.communicate(timeout=60)[1] for process in both]
        codes = sorted(process.returncode for process in both)
        assert codes in ([0, 0], [0, 2]), (codes, errors)
        if codes == [0, 2]:
            refused += 1
            assert any("another process" in text for text in errors), errors
        world.check_old_or_new(out)
        shutil.rmtree(out)
    print(f"the second build was refused {refused} times of {ROUNDS}")
    assert refused > 0


def full_disk(world):
    mount = os.path.join(world.folder, "small")
    os.mkdir(mount)
    # The size of the old and the new output, in whole pages.
    pages = sum(1 + path.stat().st_size // 4096
                for path in pathlib.Path(world.fresh_old_output()).rglob("*"))
    need = pages * 4096 * 5 // 2
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={need}", "tmpfs", mount],
                      capture_output=True).returncode != 0:
        print("skipped: this user cannot mount a tmpfs")
        sys.exit(77)
    try:
        out = os.path.join(mount, "out")
        subprocess.run(world.build(world.old_project, out, []), check=True, capture_output=True)
        filler = os.path.join(mount, "filler")
        free = os.statvfs(mount)
        for share in (1.0, 0.98, 0.9, 0.8):
            with open(filler, "wb") as file:
                file.write(b"x" * int(free.f_bavail * free.f_frsize * share))
            done = subprocess.run(world.build(world.new_project, out, world.new_options),
                                  capture_output=True, text=True)
            os.remove(filler)
            assert done.returncode == 2, (done.returncode, done.stderr)
            assert "No space left" in done.stderr, done.stderr
            assert tree(out) == world.old
            world.verify(out)
        subprocess.run(world.build(world.new_project, out, world.new_options), check=True,
                       capture_output=True)
        assert tree(out) == world.new
        # An output can also be the mount point itself.
        shutil.rmtree(out)
        subprocess.run(world.build(world.old_project, mount, []), check=True, capture_output=True)
        assert tree(mount) == world.old
    finally:
        subprocess.run(["umount", mount], check=True)


def foreign(world):
    out = os.path.join(world.folder, "documents")
    os.mkdir(out)
    precious = os.path.join(out, "thesis.txt")
    with open(precious, "w", encoding="utf-8") as file:
        file.write("ten years of work")
    done = subprocess.run(world.build(world.old_project, out, []), capture_output=True, text=True)
    assert done.returncode == 2, done.returncode
    assert "'thesis.txt', which is not part of a build" in done.stderr, done.stderr
    assert os.listdir(out) == ["thesis.txt"]
    done = subprocess.run(world.build(world.old_project, precious, []), capture_output=True)
    assert done.returncode == 2, done.returncode
    # A folder with an unrelated build.json or client folder is not a build.
    for report, inside in (("{}", "app.js"), ('{"format": 1, "muster": "0.1.0"}', "app.js")):
        shutil.rmtree(out)
        os.makedirs(os.path.join(out, "client"))
        for name, text in (("build.json", report), ("client/" + inside, "precious")):
            with open(os.path.join(out, name), "w", encoding="utf-8") as file:
                file.write(text)
        before = tree(out)
        done = subprocess.run(world.build(world.old_project, out, []), capture_output=True)
        assert done.returncode == 2, done.returncode
        assert tree(out) == before


def damaged(world):
    """A build into a damaged output repairs any damage."""
    for _ in range(ROUNDS):
        out = world.fresh_old_output()
        files = sorted(path for end in ("*.mbundle", "*.mcat")
                       for path in pathlib.Path(out).rglob(end))
        for path in world.random.sample(files, 3):
            if world.random.random() < 0.5:
                path.unlink()
            else:
                content = bytearray(path.read_bytes())
                content[world.random.randrange(len(content))] ^= 1 << world.random.randrange(8)
                path.write_bytes(content)
        done = subprocess.run([world.muster, "verify", out], capture_output=True)
        assert done.returncode == 1, done.returncode
        subprocess.run(world.build(world.old_project, out, []), check=True, capture_output=True)
        assert tree(out) == world.old
        shutil.rmtree(out)


def forged_journal(world):
    """An invalid journal is refused, and the output does not change."""
    out = world.fresh_old_output()
    journal = os.path.join(out, ".muster-publish")
    for text in ("a/b 00\n", " 00\n", "../x 1\n", "client x\n", "client 1", "secrets 5\n"):
        os.makedirs(journal, exist_ok=True)
        with open(os.path.join(journal, "parts"), "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([world.muster, "verify", out], capture_output=True, text=True)
        assert done.returncode == 2, (text, done.returncode, done.stderr)
        assert "journal" in done.stderr, done.stderr
    shutil.rmtree(journal)
    world.verify(out)
    assert tree(out) == world.old


def main():
    muster, project, scene = sys.argv[1:4]
    world = World(muster, project)
    try:
        {
            "kill": lambda: rude(world, signal.SIGKILL),
            "interrupt": lambda: rude(world, signal.SIGINT),
            "background": lambda: background(world),
            "rivals": lambda: rivals(world),
            "full-disk": lambda: full_disk(world),
            "foreign": lambda: foreign(world),
            "damaged": lambda: damaged(world),
            "forged-journal": lambda: forged_journal(world),
        }[scene]()
    finally:
        shutil.rmtree(world.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
