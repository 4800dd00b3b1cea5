#!/usr/bin/env python3
"""Runs sync_lab on the recordings in the tree, and on invalid or unusual input.

usage: sync_lab_test.py SYNC_LAB PLOT_SYNC
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
PLOT = ""
HERE = pathlib.Path(__file__).parent
STALLS = HERE / "traces" / "stalls.csv"
MADE = HERE / "inputs" / "made_60hz_01.csv"
FPS_HEADER = "tick,buttons,move_x,move_y,yaw_deg,pitch_deg\n"
FIGHT_HEADER = "frame,player,buttons,stick_x,stick_y\n"


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          check=False)


def play(*arguments, delays=STALLS, inputs=MADE, seconds=12):
    done = run("--delays", delays, "--inputs", inputs, "--seconds", seconds, "--json", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


class SyncLabTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def sound(self, figures):
        self.assertTrue(figures["verified"])
        self.assertEqual(figures["presses_lost"], 0)
        self.assertEqual(figures["presses_doubled"], 0)
        self.assertEqual(figures["effects_doubled"], 0)
        self.assertEqual(figures["effects_lost"], 0)

    def test_both_rules_play_the_same_match_without_a_lost_press(self):
        # A shorter match has too few corrections for a comparison.
        ours = play("--loss", 5, seconds=60)
        theirs = play("--loss", 5, "--rules", "fpssample", seconds=60)
        for figures in (ours, theirs):
            self.sound(figures)
            # A match without activity proves nothing.
            self.assertGreater(figures["presses"], 100)
            self.assertGreater(figures["states_compared"], 1000)
            self.assertGreater(figures["shots"], 20)
            self.assertGreater(figures["effects"], 40)
        self.assertLess(ours["starved_ticks_per_10000"], theirs["starved_ticks_per_10000"])
        for name in ("corrections_per_minute", "resimulated_ticks_per_tick"):
            self.assertLess(ours[name], theirs[name], name)
        self.assertGreaterEqual(ours["hit_agreement"], 0.99)

    def test_a_report_has_all_fields(self):
        figures = play(seconds=6)
        for name in ("verified", "corrections_per_minute", "resimulated_ticks_per_tick",
                     "late_snapshot_share", "interpolation_delay_ms_mean", "lead_ticks_p50",
                     "starved_ticks_per_10000", "presses", "presses_lost", "presses_doubled",
                     "command_bits_mean", "view_claim_bits_mean", "shown_error_mm_p99", "shots",
                     "hit_agreement", "effects_doubled", "effects_lost", "world_hash"):
            self.assertIn(name, figures)

    def test_equal_seeds_print_equal_bytes_and_other_seeds_differ(self):
        arguments = ("--delays", STALLS, "--inputs", MADE, "--seconds", 6, "--loss", 10, "--json")
        first = run(*arguments, "--seed", 7)
        self.assertEqual(first.stdout, run(*arguments, "--seed", 7).stdout)
        other = json.loads(run(*arguments, "--seed", 8).stdout)
        self.assertNotEqual(json.loads(first.stdout)["world_hash"], other["world_hash"])

    def test_outages_lose_no_press_while_the_connection_lives(self):
        for seconds in (1, 4, 12):
            rows = [f"{at},{max(30, 10_000 + seconds * 1000 - at) if at >= 10_000 else 30}"
                    for at in range(0, 40_000, 50)]
            path = self.write("outage.csv", "send_ms,rtt_ms\n" + "\n".join(rows) + "\n")
            figures = play(delays=path, seconds=35)
            self.sound(figures)
            self.assertEqual(figures["presses_disconnected"], 0, seconds)
            self.assertEqual(figures["reconnects"], 0, seconds)

    def test_after_an_outage_of_half_a_minute_the_same_players_continue(self):
        for delay in (lambda at: max(30, 40_000 - at), lambda at: ""):
            rows = [f"{at},{delay(at) if 10_000 <= at < 40_000 else 30}"
                    for at in range(0, 60_000, 50)]
            path = self.write("outage.csv", "send_ms,rtt_ms\n" + "\n".join(rows) + "\n")
            figures = play(delays=path, seconds=58)
            self.sound(figures)
            self.assertGreaterEqual(figures["reconnects"], 1)
            self.assertEqual(figures["presses_disconnected"], 0)

    def test_lost_packets_and_short_recordings_are_played(self):
        draw = random.Random(3)
        rows = [f"{at},{'' if draw.random() < 0.3 else 40}" for at in range(0, 20_000, 16)]
        self.sound(play(delays=self.write("lossy.csv", "send_ms,delay_ms\n" + "\n".join(rows))))
        self.sound(play(delays=self.write("one.csv", "send_ms,rtt_ms\n0,25\n")))
        self.sound(play(delays=self.write("late.csv", "send_ms,rtt_ms\n5000,25\n5000,60\n"),
                        inputs=self.write("one_row.csv", FPS_HEADER + "0,16,0,1,0,0\n")))

    def test_a_fight_has_four_players(self):
        draw = random.Random(5)
        rows = []
        for frame in range(600):
            for player in (0, 1, 2, 3):
                if player == 3 and frame > 300:
                    continue  # Out.
                buttons = 1 << draw.randrange(12) if draw.random() < 0.2 else 0
                rows.append(f"{frame},{player},{buttons},{draw.randint(-80, 80)},80")
        path = self.write("fight.csv", FIGHT_HEADER + "\n".join(rows) + "\n")
        figures = play(inputs=path)
        self.sound(figures)
        self.assertEqual(figures["clients"], 4)
        self.assertGreater(figures["presses"], 100)

    def refused(self, text, line, option, name="bad.csv"):
        path = self.write(name, text)
        others = {"--delays": STALLS, "--inputs": MADE}
        others[option] = path
        done = run(*(word for pair in others.items() for word in pair), "--seconds", 2)
        self.assertEqual(done.returncode, 2, text[:60])
        self.assertIn(f"{path}:{line}:" if line else str(path), done.stderr)
        self.assertEqual(done.stdout, "")

    def test_errors_name_file_and_line(self):
        self.refused("", 1, "--delays")
        self.refused("send_ms,rtt_ms\n", 1, "--delays")
        self.refused("send_ms,rtt_ms\n0,\n1,\n", 3, "--delays")
        self.refused("send_ms,rtt_ms\n0,1\nx,1\n", 3, "--delays")
        self.refused("", 1, "--inputs")
        self.refused(FPS_HEADER, 1, "--inputs")
        self.refused(FPS_HEADER + "0,1,0,0,0,0\n1,1,0,0,zero,0\n", 3, "--inputs")
        self.refused(FPS_HEADER + "0,1,0,nan,0,0\n", 2, "--inputs")
        self.refused(FIGHT_HEADER + "0,0,1,0,0\n0,99,1,0,0\n", 3, "--inputs")
        self.refused("send_ms,rtt_ms\n0,1\n", None, "--delays", "bad.csv.zst")
        for option in ("--delays", "--inputs"):
            done = run("--delays", STALLS, "--inputs", MADE, option, self.folder / "none.csv")
            self.assertEqual(done.returncode, 2)
            self.assertIn("none.csv", done.stderr)
        for mistake in (("--rules", "other"), ("--model", "none"), ("--loss", "nan"),
                        ("--loss", "101"), ("--clients", "0"), ("--seconds", "-1")):
            self.assertEqual(run("--delays", STALLS, "--inputs", MADE, *mistake).returncode, 2)
        self.assertEqual(run().returncode, 2)

    def test_frames_are_written_and_plotted(self):
        frames = self.folder / "frames.csv"
        play("--csv", frames)
        self.assertGreater(len(frames.read_text().splitlines()), 100)
        picture = self.folder / "frames.png"
        drawn = subprocess.run([sys.executable, PLOT, frames, picture], capture_output=True,
                               text=True, check=False)
        if drawn.returncode == 2:
            self.assertIn("matplotlib is missing", drawn.stderr)
        else:
            self.assertEqual(drawn.returncode, 0, drawn.stderr)
            self.assertTrue(picture.is_file())

    def test_help_has_examples(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("Examples:", done.stdout)


if __name__ == "__main__":
    PROGRAM, PLOT = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
