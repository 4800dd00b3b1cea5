#!/usr/bin/env python3
"""Runs a match of the arena over a link with loss and delay: one server, several clients, real
sockets. At the end, every client's world must equal the server's world for that player.

usage: net_demo.py BIN BUILD [--clients N] [--seconds N] [--loss PERCENT] [--delay MS] [--seed N]

BIN is the folder of arena_server and arena_client. BUILD is an output of 'muster build'. The exit
code is 1 if a world differs or a program fails."""

import argparse
import json
import pathlib
import subprocess
import sys

PATIENCE_SECONDS = 30


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("build")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--loss", type=float, default=5)
    parser.add_argument("--delay", type=float, default=40)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


class Match:
    """A server and its clients as processes, which end with the match."""

    def __init__(self, options):
        self.options = options
        self.processes = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def start(self, program, *arguments, build=None):
        command = [str(self.options.bin / program), build or self.options.build,
                   *map(str, arguments), "--json"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        self.processes.append(process)
        return process

    def link(self, seed):
        options = self.options
        return ("--loss", options.loss, "--delay", options.delay, "--seed", seed)

    def start_server(self, *arguments):
        server = self.start("arena_server", *arguments)
        words = server.stdout.readline().split()
        if len(words) != 3 or words[0] != "listening":
            raise SystemExit("net_demo: " + server.communicate()[1])
        return server, words[1:]

    def start_client(self, endpoint, *arguments, build=None):
        return self.start("arena_client", *endpoint, *arguments, build=build)


def finish(process):
    """Waits for a process to end, and returns its exit code, report and errors."""
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    lines = out.strip().splitlines()
    return process.returncode, json.loads(lines[-1]) if lines else None, err


def play(options):
    """Runs a match, and returns the server's report, the clients' reports and the errors."""
    with Match(options) as match:
        server, endpoint = match.start_server("--seconds", options.seconds,
                                              *match.link(options.seed))
        clients = [match.start_client(endpoint, *match.link(options.seed + 1 + i))
                   for i in range(options.clients)]
        ended = [finish(client) for client in clients]
        code, report, err = finish(server)
    faults = [f"the server ended with {code}: {err}"] if code != 0 else []
    faults += [f"a client ended with {code}: {err}" for code, _, err in ended if code != 0]
    reports = [report for _, report, _ in ended if report is not None]
    return report, reports, faults + compare(report, reports, options.clients)


def compare(server, clients, count):
    """Returns the differences, one per line."""
    faults = []
    seen = {client["player"]: client for client in clients}
    on_server = {client["player"]: client for client in server["clients"]}
    if len(on_server) != count or set(on_server) != set(seen):
        faults.append(f"{count} clients were started, the server knows {sorted(on_server)}, "
                      f"and {sorted(map(str, seen))} reported")
    for player in sorted(set(on_server) & set(seen)):
        mine, theirs = on_server[player], seen[player]
        if (mine["world"], mine["entities"]) != (theirs["world"], theirs["entities"]):
            faults.append(f"player {player} has another world: {theirs['entities']} entities "
                          f"{theirs['world']}, the server has {mine['entities']} {mine['world']}")
        for what in ("divergences", "malformed", "failed_loads"):
            if theirs[what]:
                faults.append(f"player {player} counts {theirs[what]} {what}")
    return faults


def hit_agreement(on_server, seen):
    """Returns "N/M": server and client both know M shots, and N of them have the same result."""
    there = dict(map(tuple, on_server["shots"]))
    both = [(there[tick], target) for tick, target in seen["shots"] if tick in there]
    return f"{sum(mine == theirs for mine, theirs in both)}/{len(both)}"


def table(server, clients, seconds):
    on_server = {client["player"]: client for client in server["clients"]}
    rows = [("player", "entities", "kbit/s in", "out", "snapshot B", "lost % in", "out",
             "round trip ms", "loaded ms", "longest", "longest frame ms", "effects",
             "corrections/min", "lead ms", "interpolation ms", "hits agree")]
    for client in sorted(clients, key=lambda one: one["player"]):
        mine = on_server[client["player"]]
        rows.append((
            client["player"], client["entities"],
            f"{client['bytes_in'] * 8e-3 / seconds:.1f}",
            f"{client['bytes_out'] * 8e-3 / seconds:.1f}",
            f"{client['snapshot_bytes'] / max(client['snapshots'], 1):.0f}",
            f"{mine['loss_percent']:.1f}", f"{client['loss_percent']:.1f}",
            f"{client['round_trip_ms']:.1f}", f"{client['load']['mean_ms']:.2f}",
            f"{client['load']['longest_ms']:.2f}", f"{client['frames']['longest_ms']:.2f}",
            client["effects"]["played"], f"{client['corrections_per_minute']:.1f}",
            f"{client['lead_ms']:.1f}", f"{client['interpolation_ms']:.1f}",
            hit_agreement(mine, client)))
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(str(cell).rjust(width) for cell, width in zip(row, widths))
                     for row in rows)


def main(arguments):
    options = parse(arguments)
    server, clients, faults = play(options)
    print(f"a server and {options.clients} clients for {options.seconds:g} s, each way "
          f"{options.loss:g} % loss and {options.delay:g} to {options.delay * 1.25:g} ms:")
    print(table(server, [one for one in clients if one["player"] is not None], options.seconds))
    print(f"{server['tick']} ticks, {server['spawned']} entities spawned, "
          f"{server['despawned']} despawned")
    for fault in faults:
        print(f"net_demo: {fault}", file=sys.stderr)
    if not faults:
        print("every client's world equals the server's")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
