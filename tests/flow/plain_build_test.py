#!/usr/bin/env python3
"""Builds the runtime library as a game's project does: with CMAKE_BUILD_TYPE and without a preset.

usage: plain_build_test.py CMAKE SOURCE_DIR [CMAKE OPTIONS...]

The build has no tests and no assertions, and prints no warning.
"""
import os
import subprocess
import sys
import tempfile


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


def main():
    cmake, source = sys.argv[1:3]
    with tempfile.TemporaryDirectory(prefix="muster-plain-") as build:
        printed = run(cmake, "-S", source, "-B", build, "-G", "Ninja", "-DMUSTER_TESTS=OFF",
                      "-DCMAKE_BUILD_TYPE=MinSizeRel", "-DCMAKE_UNITY_BUILD=ON",
                      *sys.argv[3:])
        printed += run(cmake, "--build", build, "--target", "muster_runtime", "--", "-j2")
        assert "-DNDEBUG" in open(os.path.join(build, "build.ninja"), encoding="utf-8").read()
        assert "warning:" not in printed and "CMake Warning" not in printed, printed


if __name__ == "__main__":
    main()
