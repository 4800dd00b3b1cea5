#!/usr/bin/env python3
"""Checks the completions of `muster completion bash`.

usage: completion_test.py MUSTER
"""

import os
import subprocess
import sys
import tempfile

SECONDS = 60
SKIPPED = 77
# The words of a command line, and the expected completions of the last word.
CASES = [
    (["bui"], ["build"]),
    (["patch", "cr"], ["create"]),
    (["patch", "create", "--por"], ["--portable"]),
    (["patch", "create", "no"], ["notes.txt"]),
    (["completion", ""], ["bash", "fish", "zsh"]),
    (["build", "--form"], ["--format"]),
    (["build", "--format", ""], ["json", "text"]),
    (["build", "--format", "=", "j"], ["json"]),
    (["build", "--target", "="], ["all", "client", "server"]),
    (["verify", "out", "--format", "t"], ["text"]),
    (["inspect", "no"], ["notes.txt"]),
]


def completed(script, words, folder):
    quoted = " ".join(f"'{word}'" for word in ["muster", *words])
    text = (f'. "{script}"; COMP_WORDS=({quoted}); COMP_CWORD={len(words)}; _muster; '
            'printf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(["bash", "--norc", "-c", text], cwd=folder, capture_output=True,
                          text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return sorted(done.stdout.split())


def main():
    try:
        subprocess.run(["bash", "--version"], stdout=subprocess.DEVNULL, check=True)
    except FileNotFoundError:
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory(prefix="muster-completion-") as folder:
        script = os.path.join(folder, "muster.bash")
        with open(script, "wb") as out:
            subprocess.run([sys.argv[1], "completion", "bash"], stdout=out, check=True)
        open(os.path.join(folder, "notes.txt"), "w", encoding="utf-8").close()
        for words, expected in CASES:
            got = completed(script, words, folder)
            assert got == expected, f"{words}: {got}"


if __name__ == "__main__":
    main()
