#!/usr/bin/env python3
"""Kills 'muster patch apply' at random times. The output must be exactly the old build or the new
build. The same command, started again, must finish the new build.

usage: patch_crash_test.py MUSTER PROJECT

Prints its seeds. CRASH_SEED repeats a run.
"""
import os
import shutil
import signal
import subprocess
import sys
import time

from crash_test import ROUNDS, World, tree


def made_patch(world):
    """Returns a patch between two builds that differ in nearly every bundle, and the old build."""
    outs = []
    for project, options in ((world.old_project, []), (world.new_project, world.new_options)):
        outs.append(os.path.join(world.folder, f"reference-{len(outs)}"))
        subprocess.run(world.build(project, outs[-1], options), check=True, capture_output=True)
    patch = os.path.join(world.folder, "update.mpatch")
    subprocess.run([world.muster, "patch", "create", *outs, "--out", patch], check=True,
                   capture_output=True)
    assert os.path.getsize(patch) > 0
    return outs[0], patch


def rude(world, base, patch, in_place):
    outcomes = [0, 0]
    length = None
    for number in range(ROUNDS + 1):
        old = os.path.join(world.folder, f"old-{in_place}-{number}")
        shutil.copytree(base, old)
        out = old if in_place else os.path.join(world.folder, f"out-{number}")
        command = [world.muster, "patch", "apply", old, patch, "--out", out]
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if length is not None:
            time.sleep(world.random.uniform(0, length * 1.1))
            process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
        if length is None:
            length = time.monotonic() - start
        if in_place:
            outcomes[world.check_old_or_new(out)] += 1
        else:
            # The next run finishes a committed patch. Before the commit, there is no output.
            found = tree(out)
            outcomes[found == world.new] += 1
            assert found in ({}, world.new) or os.path.isdir(os.path.join(out, ".muster-publish"))
        again = subprocess.run(command, capture_output=True, text=True, check=False)
        assert again.returncode == 0, again.stderr
        assert tree(out) == world.new
        world.verify(out)
        assert in_place or tree(old) == world.old
        left = [name for name in os.listdir(out) if name in (".muster-staging", ".muster-publish")]
        assert not left, left
        shutil.rmtree(out)
    print(f"{outcomes[0]} times the old output, {outcomes[1]} times the new one")


def main():
    world = World(*sys.argv[1:3])
    try:
        base, patch = made_patch(world)
        rude(world, base, patch, in_place=True)
        rude(world, base, patch, in_place=False)
    finally:
        shutil.rmtree(world.folder, ignore_errors=True)


if __name__ == "__main__":
    main()
