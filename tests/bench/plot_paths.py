#!/usr/bin/env python3
"""Draws what muster_path_lab printed: a panel per scene with the path's rate, what each flow sent
through it, and below it the delay in the queue. Standard library only.

usage: plot_paths.py paths.csv paths.svg
"""
import csv
import sys

PANEL, RATE, QUEUE, GAP, COLUMNS = 360, 120, 50, 46, 3
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd")


def read(path):
    """Rows by scene, in the order of the file."""
    scenes = {}
    with open(path, newline="", encoding="ascii") as file:
        for row in csv.DictReader(file):
            numbers = {key: float(value) for key, value in row.items() if key != "scene"}
            scenes.setdefault(row["scene"], []).append(numbers)
    return scenes


def line(points, colour, width=1.0):
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{text}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def label(x, y, text, anchor="start"):
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>'


def panel(name, rows):
    """One scene, with its corner at 0, 0."""
    end = max(row["seconds"] for row in rows)
    most = max(row["path_kbps"] for row in rows) * 1.25
    longest = max(100.0, max(row["queue_ms"] for row in rows if row["seconds"] > 5))

    def across(row):
        return row["seconds"] / end * PANEL

    def rate(row, key):
        return across(row), RATE * (1 - min(row[key] / most, 1))

    def queue(row):
        return across(row), RATE + 8 + QUEUE * (1 - min(row["queue_ms"] / longest, 1))

    flows = sorted({int(row["flow"]) for row in rows})
    first = [row for row in rows if row["flow"] == 0]
    goal = RATE + 8 + QUEUE * (1 - 50 / longest)
    parts = [label(0, -6, name), label(PANEL, -6, f"{most / 1.25:.0f} kbit/s", "end"),
             label(PANEL, RATE + 8 + QUEUE + 14, f"{end:.0f} s", "end"),
             label(0, RATE + 8 + QUEUE + 14, f"queue, to {longest:.0f} ms (50 ms dashed)"),
             f'<rect width="{PANEL}" height="{RATE}" class="frame"/>',
             f'<rect y="{RATE + 8}" width="{PANEL}" height="{QUEUE}" class="frame"/>',
             line([rate(row, "path_kbps") for row in first], "#999", 2.5)]
    for flow in flows:
        own = [row for row in rows if row["flow"] == flow]
        parts.append(line([rate(row, "received_kbps") for row in own], COLOURS[flow % 4]))
    parts.append(line([queue(row) for row in first], "#ff7f0e"))
    parts.append(f'<path d="M0 {goal:.1f}H{PANEL}" stroke="#bbb" stroke-dasharray="3 3"/>')
    return "".join(parts)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    scenes = read(sys.argv[1])
    rows = (len(scenes) + COLUMNS - 1) // COLUMNS
    width = COLUMNS * (PANEL + GAP) + GAP
    height = rows * (RATE + QUEUE + 8 + GAP) + GAP
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">',
           "<style>text{font:11px sans-serif}.frame{fill:#fafafa;stroke:#ccc}</style>",
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for index, (name, data) in enumerate(scenes.items()):
        x = GAP + index % COLUMNS * (PANEL + GAP)
        y = GAP + index // COLUMNS * (RATE + QUEUE + 8 + GAP)
        out.append(f'<g transform="translate({x} {y})">{panel(name, data)}</g>')
    out.append("</svg>\n")
    with open(sys.argv[2], "w", encoding="ascii") as file:
        file.write("\n".join(out))


if __name__ == "__main__":
    main()
