#!/usr/bin/env python3
"""Builds the sample game and loads it from C and from Python.

usage: c_api_test.py abi MUSTER PROJECT PROGRAM
       c_api_test.py memory MUSTER PROJECT PROGRAM
       c_api_test.py examples MUSTER PROJECT EXAMPLE_C EXAMPLE_PY LIBRARY
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{command} returned {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_abi(build, program):
    client, damaged, empty = (build / name for name in ("client", "damaged", "empty"))
    shutil.copytree(client, damaged)
    for path in damaged.rglob("*.mbundle"):
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(data)
    empty.mkdir()
    shutil.copy(client / "catalog.mcat", empty)
    assert run(program, client, damaged, empty) == "0 failures\n"


def check_memory(build, program):
    assert run(program, build / "client") == "0 failures\n"


def check_examples(build, example_c, example_py, library):
    for target in ("client", "server"):
        from_c = run(example_c, build / target)
        from_python = run(sys.executable, example_py, library, build / target)
        assert from_c == from_python, f"{from_c}\n--- from Python ---\n{from_python}"
        assert from_c.startswith(f"{target}, ") and from_c.count(" bytes\n") > 20, from_c


def main():
    scene, muster, project, *rest = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="muster-c-api-") as folder:
        build = pathlib.Path(folder) / "out"
        run(muster, "build", project, "--out", build)
        checks = {"abi": check_abi, "memory": check_memory, "examples": check_examples}
        checks[scene](build, *rest)


if __name__ == "__main__":
    main()
