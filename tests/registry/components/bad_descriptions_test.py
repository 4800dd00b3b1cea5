#!/usr/bin/env python3
"""Compiles bad_descriptions.cpp and checks that the compiler names each violated rule.

usage: bad_descriptions_test.py COMPILER SOURCE_DIR
"""
import pathlib
import re
import subprocess
import sys

compiler, root = sys.argv[1], pathlib.Path(sys.argv[2])
source = root / "tests/registry/components/bad_descriptions.cpp"
all_errors = "-ferror-limit=0" if "clang" in compiler else "-fmax-errors=0"
run = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", all_errors, f"-I{root}", source],
                     capture_output=True, text=True)
lines = source.read_text().splitlines()
expected = [(i + 2, line[4:]) for i, line in enumerate(lines) if line.startswith("//! ")]
# The compiler names the rule and points at the line below it.
missing = [(line, rule) for line, rule in expected
           if rule not in run.stderr or f"{source.name}:{line}:" not in run.stderr]
if run.returncode == 0 or missing or len(expected) < 54:
    print(run.stderr)
    sys.exit(f"compiled: {run.returncode == 0}; not named by the compiler: {missing}")
# Without the bad lines the file must compile, so that only those lines cause the errors.
good = re.sub(r"//! .+?;\n", "", source.read_text(), flags=re.DOTALL)
# Also with sanitizers, where g++ accepts fewer constant expressions.
for sanitize in [], ["-fsanitize=address,undefined"]:
    clean = subprocess.run(
        [compiler, "-std=c++20", "-fsyntax-only", f"-I{root}", *sanitize, "-x", "c++", "-"],
        input=good, capture_output=True, text=True)
    if clean.returncode != 0:
        sys.exit("the rest of the file does not compile:\n" + clean.stderr)
print(f"{len(expected)} bad descriptions were refused with the right rule")
