#!/usr/bin/env python3
"""Installs the build tree, builds a program against the installed package, and runs it.

usage: install_test.py CMAKE BUILD_DIR CONSUMER_DIR PROJECT
"""
import os
import subprocess
import sys
import tempfile


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    cmake, build, consumer, project = sys.argv[1:5]
    with tempfile.TemporaryDirectory(prefix="muster-install-") as folder:
        prefix, out = os.path.join(folder, "prefix"), os.path.join(folder, "out")
        work = os.path.join(folder, "consumer")
        run(cmake, "--install", build, "--prefix", prefix)
        run(cmake, "-S", consumer, "-B", work, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
            *sys.argv[5:])
        run(cmake, "--build", work)
        muster = os.path.join(prefix, "bin", "muster")
        assert "muster 0." in run(muster, "--version")
        run(muster, "build", project, "--out", out)
        printed = run(os.path.join(work, "consumer"), os.path.join(out, "client", "catalog.mcat"))
        assert printed == "9 registries\n", printed
        from_c = run(os.path.join(work, "consumer_c"), os.path.join(out, "client"))
        assert from_c == printed, from_c


if __name__ == "__main__":
    main()
