#!/usr/bin/env python3
"""Writes generated delays in the format of jitter_lab. The link has little jitter most of the time.
Sometimes it has lost packets, periods of jitter, and stalls after which packets arrive together.
Equal seeds give equal bytes.

usage: make_delays.py SEED > delays.csv
"""
import random
import sys

PACKETS = 1000
GAP_MS = 40
LOSS_CHANCE = 0.01
SPELL_MS = 5000  # the time after which a link may become good or bad
BAD_CHANCE = 0.35
STALL_CHANCE = 0.03  # per packet, in a bad spell
STALL_MS = (60, 250)
JITTER_MS = (4, 12)  # the mean, for a good and for a bad link


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    draw = random.Random(int(sys.argv[1]))
    print("send_ms,delay_ms")
    free_ms = 0  # when the link delivers again
    is_bad = False
    for number in range(PACKETS):
        sent_ms = number * GAP_MS
        if number > 0 and sent_ms % SPELL_MS == 0:
            is_bad = draw.random() < BAD_CHANCE
        if is_bad and draw.random() < STALL_CHANCE:
            free_ms = sent_ms + draw.randint(*STALL_MS)
        jitter_ms = draw.expovariate(1 / JITTER_MS[is_bad])
        delay_ms = max(20 + jitter_ms, free_ms - sent_ms)
        is_lost = draw.random() < LOSS_CHANCE
        print(f"{sent_ms}," + ("" if is_lost else f"{delay_ms:.1f}"))


if __name__ == "__main__":
    main()
