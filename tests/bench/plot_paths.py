#!/usr/bin/env python3
"""Draws the output of muster_path_lab, one panel per scene: the path's rate, the rate of each flow,
and below it the delay in the queue. Needs Debian's python3-matplotlib.

usage: plot_paths.py paths.csv paths.png
"""
import csv
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402 (after the choice of a backend without a display)

COLUMNS = 3
GOAL_MS = 50  # delay in the queue
SETTLED_SECONDS = 5  # the queue may fill before this


def read(path):
    """Returns rows by scene, in the order of the file."""
    scenes = {}
    with open(path, newline="", encoding="ascii") as file:
        for row in csv.DictReader(file):
            numbers = {key: float(value) for key, value in row.items() if key != "scene"}
            scenes.setdefault(row["scene"], []).append(numbers)
    return scenes


def draw(name, rows, rate, queue):
    """Draws one scene: the rates above, the queue below."""
    def column(key, flow):
        return [row[key] for row in rows if row["flow"] == flow]

    rate.set_title(name, fontsize=9)
    rate.plot(column("seconds", 0), column("path_kbps", 0), color="#999999", linewidth=2.5)
    for flow in sorted({row["flow"] for row in rows}):
        rate.plot(column("seconds", flow), column("received_kbps", flow), linewidth=0.8)
    rate.set_ylim(0, 1.25 * max(column("path_kbps", 0)))
    rate.set_ylabel("kbit/s", fontsize=7)
    queue.plot(column("seconds", 0), column("queue_ms", 0), color="#ff7f0e", linewidth=0.8)
    queue.axhline(GOAL_MS, color="#bbbbbb", linestyle="--", linewidth=0.8)
    settled = [row["queue_ms"] for row in rows if row["seconds"] > SETTLED_SECONDS]
    queue.set_ylim(0, max([2 * GOAL_MS, *settled]))
    queue.set_ylabel("queue ms", fontsize=7)
    for axes in (rate, queue):
        axes.tick_params(labelsize=7)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    scenes = read(sys.argv[1])
    rows = (len(scenes) + COLUMNS - 1) // COLUMNS
    figure, panels = pyplot.subplots(
        2 * rows, COLUMNS, figsize=(5 * COLUMNS, 3.4 * rows), squeeze=False,
        gridspec_kw={"height_ratios": [2, 1] * rows})
    for axes in panels.flat:
        axes.set_visible(False)
    for index, (name, data) in enumerate(scenes.items()):
        row, column = 2 * (index // COLUMNS), index % COLUMNS
        for axes in (panels[row][column], panels[row + 1][column]):
            axes.set_visible(True)
        draw(name, data, panels[row][column], panels[row + 1][column])
    figure.tight_layout()
    figure.savefig(sys.argv[2], dpi=110)


if __name__ == "__main__":
    main()
