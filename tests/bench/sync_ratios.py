#!/usr/bin/env python3
"""Compares the cost of a match with the rules of Muster and of FPSSample on the same delays and
inputs. Prints the means over recordings and losses, and their ratios: corrections, replayed ticks,
starved ticks, lead, interpolation delay, and the share of shots with equal verdicts on client and
server. A recording without shots does not count for the last one.

usage: sync_ratios.py SYNC_LAB [DELAYS... --inputs INPUTS...]
"""
import argparse
import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).parent
ROWS = ("corrections_per_minute", "resimulated_ticks_per_tick", "starved_ticks_per_10000",
        "lead_ticks_p50", "interpolation_delay_ms_mean", "command_bits_mean",
        "shown_error_mm_p99", "hit_agreement")
SEEDS = range(1, 6)


def play(program, rules, delays, inputs, loss, seed):
    done = subprocess.run(
        [program, "--rules", rules, "--delays", delays, "--inputs", *inputs, "--loss", str(loss),
         "--seed", str(seed), "--seconds", "40", "--json"],
        capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"sync_ratios.py: {done.stderr or 'a match was not verified'}")
    figures = json.loads(done.stdout)
    if figures["presses_lost"] or figures["presses_doubled"] or not figures["presses"]:
        raise SystemExit(
            f"sync_ratios.py: {rules}: presses were lost or doubled, or no press was made")
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("delays", nargs="*", default=[HERE / "traces" / "stalls.csv"])
    parser.add_argument("--inputs", nargs="+", default=[HERE / "inputs" / "made_60hz_01.csv"])
    options = parser.parse_args()
    means = {"muster": {}, "fpssample": {}}
    matches = [(delays, loss, seed) for delays in options.delays for loss in (0, 5)
               for seed in SEEDS]
    for rules, mean_of in means.items():
        played = [play(options.program, rules, delays, options.inputs, loss, seed)
                  for delays, loss, seed in matches]
        for row in ROWS:
            values = [figures[row] for figures in played if figures[row] is not None]
            mean_of[row] = sum(values) / len(values) if values else 0.0
    print(f"{'':<30} {'muster':>10} {'fpssample':>10} {'ratio':>7}")
    for row in ROWS:
        ours, theirs = means["muster"][row], means["fpssample"][row]
        ratio = f"{ours / theirs:.2f}" if theirs else "-"
        print(f"{row:<30} {ours:>10.4g} {theirs:>10.4g} {ratio:>7}")


if __name__ == "__main__":
    main()
