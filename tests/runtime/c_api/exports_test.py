#!/usr/bin/env python3
"""Compares the exports of the shared library with the golden list and with its header.

usage: exports_test.py LIBRARY HEADER GOLDEN [NM READELF]
"""
import pathlib
import re
import subprocess
import sys


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main():
    library, header, golden = sys.argv[1:4]
    tools = sys.argv[4:] or ["nm", "readelf"]
    exported = sorted(line.split()[-1]
                      for line in run(tools[0], "-D", "--defined-only", library).splitlines())
    text = pathlib.Path(header).read_text(encoding="utf-8")
    declared = sorted(re.findall(r"^MUSTER_API [^(]*?(\w+)\(", text, re.MULTILINE))
    expected = pathlib.Path(golden).read_text(encoding="utf-8").split()
    assert exported == expected, f"exports that are new or gone: {set(exported) ^ set(expected)}"
    assert declared == expected, f"only in header or list: {set(declared) ^ set(expected)}"
    version = re.search(r"#define MUSTER_ABI_VERSION (\d+)", text).group(1)
    dynamic = run(tools[1], "-d", library)
    assert f"soname: [libmuster_runtime.so.{version}]" in dynamic, dynamic


if __name__ == "__main__":
    main()
