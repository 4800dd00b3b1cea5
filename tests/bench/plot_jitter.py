#!/usr/bin/env python3
"""Draws the output of `jitter_lab --csv`, one panel per file. A panel has the delay with which each
rule shows the world, and the age of the newest snapshot. For output of `--lead`, it has the lead of
each rule, and the time from a command's arrival to its tick. Needs Debian's python3-matplotlib;
without it, the exit code is 2.

usage: plot_jitter.py frames.csv frames.png [RULE...]
"""
import csv
import sys

try:
    import matplotlib
except ImportError:
    print("plot_jitter.py: matplotlib is missing: install python3-matplotlib", file=sys.stderr)
    sys.exit(2)

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402 (after the choice of a backend without a display)

RULES = ("muster", "n4e", "mirror", "ddnet")


def read(path, rules):
    """Returns rows by file and rule, and the names of the columns."""
    files = {}
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        columns = reader.fieldnames[2:]
        for row in reader:
            if row["rule"] in rules:
                points = files.setdefault(row["file"], {}).setdefault(row["rule"], [])
                points.append([float(row[name]) for name in columns])
    return files, columns


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    files, columns = read(sys.argv[1], sys.argv[3:] or RULES)
    if not files:
        print("plot_jitter.py: the file has no rows of the chosen rules", file=sys.stderr)
        sys.exit(2)
    figure, panels = pyplot.subplots(
        len(files), 1, figsize=(14, 4 * len(files)), squeeze=False)
    for axes, (name, rules) in zip(panels.flat, files.items()):
        axes.set_title(name, fontsize=9)
        for index, (rule, points) in enumerate(rules.items()):
            seconds = [point[0] / 1000 for point in points]
            axes.plot(seconds, [point[1] for point in points], linewidth=1.2, label=rule)
            if index == 0 or columns[2] == "early_ms":
                axes.plot(seconds, [point[2] for point in points], linewidth=0.5, alpha=0.6,
                          label=f"{rule}: {columns[2]}")
        axes.set_xlabel("seconds", fontsize=7)
        axes.set_ylabel("ms", fontsize=7)
        axes.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(sys.argv[2], dpi=110)


if __name__ == "__main__":
    main()
