#!/usr/bin/env python3
"""Compares the example in README.md with the quoted files and the output of the programs.

usage: readme_test.py ROOT MUSTER ARENA_DEMO

If the first line of a block names a file, the block must consist of lines of this file in the same
order. The same applies to the C++ code of the component. Comments are ignored. The last blocks must
equal the output of build and demo, without times.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

def blocks_of(text):
    """Returns (language, lines) of every fenced block."""
    return [(language, body.splitlines())
            for language, body in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.S | re.M)]


def first_missing(wanted, lines):
    """Returns the first wanted line that does not follow the earlier wanted lines in `lines`; None
    if there is none."""
    rest = iter(lines)
    return next((line for line in wanted if line not in rest), None)


def words_without_times(line):
    """Returns the words of a printed line, with the times of the demo replaced."""
    words = re.sub(r"\d+ us", "TIME us", line).split()
    if words and words[0] in ("client", "server") and len(words) == 9:
        words[6] = "TIME"
    return words


def code_of(line):
    return line.split("  //")[0]


def check_quotes(root, blocks):
    problems = []
    quoted = 0
    for language, lines in blocks:
        if language == "yaml":
            path, wanted = lines[0].removeprefix("# "), lines[1:]
        elif language == "cpp" and lines[0].startswith("// content/"):
            path, wanted = lines[0].removeprefix("// "), lines[1:]
        elif language == "cpp":
            path, wanted = "content/arena/game/movement.h", lines
        else:
            continue
        quoted += 1
        missing = first_missing([code_of(line) for line in wanted if line.strip()],
                                map(code_of, (root / path).read_text().splitlines()))
        if missing is not None:
            problems.append(f"README quotes a line that {path} does not have there: {missing!r}")
    if quoted < 3:
        problems.append(f"README quotes {quoted} files: this test expects other blocks")
    return problems


def printed_by(root, muster, demo, out):
    build = [muster, "build", str(root / "content/arena"), "--out", out]
    return "".join(
        subprocess.run(command, check=True, text=True, capture_output=True).stdout
        for command in (build, [demo, out]))


def check_output(blocks, printed):
    wanted = [line for language, lines in blocks if language == "" for line in lines
              if lines[0].startswith("target ") and line != "..."]
    if len(wanted) < 8:
        return ["README shows no output of build and demo"]
    missing = first_missing([words_without_times(line) for line in wanted],
                            [words_without_times(line) for line in printed.splitlines()])
    return [] if missing is None else [f"README shows unprinted text: {' '.join(missing)}"]


def main():
    root, muster, demo = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    blocks = blocks_of((root / "README.md").read_text())
    problems = check_quotes(root, blocks)
    with tempfile.TemporaryDirectory() as folder:
        problems += check_output(blocks, printed_by(root, muster, demo, folder + "/out"))
    print("\n".join(problems) or "README matches the files and the output")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
