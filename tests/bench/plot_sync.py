#!/usr/bin/env python3
"""Draws the output of `sync_lab --csv` for the first client: the delay of its packets, the delay
with which it shows other players, the lead of its own time, the error of the shown positions, and
the corrections. Needs Debian's python3-matplotlib; without it, the exit code is 2.

usage: plot_sync.py frames.csv frames.png
"""
import csv
import sys

try:
    import matplotlib
except ImportError:
    print("plot_sync.py: matplotlib is missing: install python3-matplotlib", file=sys.stderr)
    sys.exit(2)

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402 (after the choice of a backend without a display)

PANELS = (("ms", ("delay_ms", "shown_behind_ms")),
          ("ticks", ("lead_ticks",)),
          ("mm", ("others_error_mm",)))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        print("plot_sync.py: the file has no frames", file=sys.stderr)
        sys.exit(2)
    seconds = [float(row["seconds"]) for row in rows]
    corrected = [at for at, row in zip(seconds, rows) if int(row["corrections"]) > 0]
    figure, panels = pyplot.subplots(len(PANELS), 1, figsize=(14, 9), sharex=True)
    for axes, (unit, columns) in zip(panels, PANELS):
        for column in columns:
            axes.plot(seconds, [float(row[column]) for row in rows], linewidth=0.9, label=column)
        axes.set_ylabel(unit, fontsize=8)
        axes.legend(fontsize=8)
    panels[1].plot(corrected, [0] * len(corrected), "|", markersize=9, label="corrections")
    panels[1].legend(fontsize=8)
    panels[-1].set_xlabel("seconds", fontsize=8)
    figure.tight_layout()
    figure.savefig(sys.argv[2], dpi=110)


if __name__ == "__main__":
    main()
