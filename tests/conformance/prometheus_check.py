#!/usr/bin/env python3
"""Checks files against the rules of the Prometheus text format, version 0.0.4.

usage: prometheus_check.py FILE...
       prometheus_check.py --self-test FILE    also checks that damage to FILE is detected
"""

import pathlib
import re
import sys

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"'
ROW = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*,?)\}})? (\S+)(?: (-?\d+))?")
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?Inf|NaN")
TYPES = {"counter", "gauge", "histogram", "summary", "untyped"}


def complaints(text):
    """Yields the errors of the text."""
    if text and not text.endswith("\n"):
        yield "the last line does not end with a line break"
    helped, types, closed, rows, current = set(), {}, set(), set(), None
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        if not line.strip():
            continue
        comment = re.fullmatch(rf"# (HELP|TYPE) ({NAME}) (.*)", line)
        row = ROW.fullmatch(line)
        name = comment.group(2) if comment else row.group(1) if row else None
        if name is None:
            if line.startswith("#") and not re.match(r"#\s*(HELP|TYPE)\b", line):
                continue
            yield f"{number}: neither a comment nor a row: {line}"
            continue
        if name != current:
            if name in closed:
                yield f"{number}: the rows of {name} are not consecutive"
            closed.add(current)
            current = name
        if comment and comment.group(1) == "HELP":
            if name in helped:
                yield f"{number}: a second HELP of {name}"
            helped.add(name)
            if re.search(r"\\[^\\n]", comment.group(3)):
                yield f"{number}: a wrong escape in HELP"
        elif comment:
            if name in types or any(key[0] == name for key in rows):
                yield f"{number}: TYPE of {name} is not before its first row, or is repeated"
            types[name] = comment.group(3)
            if comment.group(3) not in TYPES:
                yield f"{number}: there is no type {comment.group(3)}"
        else:
            yield from row_complaints(number, row, types, helped, rows)


def row_complaints(number, row, types, helped, rows):
    name, value = row.group(1), row.group(row.re.groups - 1)
    labels = re.findall(LABEL, row.group(2) or "")
    if len({label for label, _ in labels}) != len(labels):
        yield f"{number}: a label is repeated"
    key = (name, tuple(sorted(labels)))
    if key in rows:
        yield f"{number}: this row of {name} is repeated"
    rows.add(key)
    if not NUMBER.fullmatch(value):
        yield f"{number}: {value} is not a number"
    if name not in types or name not in helped:
        yield f"{number}: {name} has no TYPE or no HELP"
    if (types.get(name) == "counter") != name.endswith("_total"):
        yield f"{number}: the names of counters, and only these, end with _total: {name}"
    if types.get(name) == "counter" and value.startswith("-"):
        yield f"{number}: a counter below zero"


DAMAGE = (
    (r"\n$", "", "no line break at the end"),
    (r"# TYPE (\S+) counter", r"# TYPE \1 meter", "an unknown type"),
    (r"# TYPE \S+ gauge\n", "", "no TYPE"),
    (r"_total", "_count", "a counter without _total"),
    (r'(client="7")', r'\1,\1', "a label twice"),
    (r'\\"', '"', "a quote without escape"),
    (r" \d+\n", " many\n", "no number"),
    (r"(\n[a-z]\S* \d+)(?=\n)", r"\1\1", "a row twice"),
)


def main():
    names = [name for name in sys.argv[1:] if name != "--self-test"]
    if not names:
        raise SystemExit(__doc__)
    bad = 0
    for name in names:
        text = pathlib.Path(name).read_text(encoding="utf-8")
        for complaint in complaints(text):
            print(f"{name}:{complaint}")
            bad = 1
        for pattern, instead, what in DAMAGE if "--self-test" in sys.argv else ():
            damaged = re.sub(pattern, instead, text, count=1)
            if damaged == text or not list(complaints(damaged)):
                print(f"{name}: {what} is not detected")
                bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
