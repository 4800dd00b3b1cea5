#!/usr/bin/env python3
"""Runs jitter_lab on the recording in the tree and on invalid input.

usage: jitter_lab_test.py JITTER_LAB PLOT_JITTER
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
PLOT = ""
STALLS = pathlib.Path(__file__).parent / "traces" / "stalls.csv"


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          check=False)


def figures(*arguments):
    done = run(STALLS, "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class JitterLabTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def refused(self, text, line, name="bad.csv"):
        path = self.folder / name
        path.write_text(text)
        done = run(path)
        self.assertEqual(done.returncode, 2, text[:60])
        self.assertIn(f"{path}:{line}:" if line else str(path), done.stderr)

    def test_the_default_policy_has_fewer_late_snapshots_and_less_delay(self):
        mean = figures()["mean"]
        ours = mean["muster"]
        self.assertLess(mean["muster_quick"]["added_ms"], ours["added_ms"])
        self.assertLess(ours["added_ms"], mean["muster_smooth"]["added_ms"])
        for rule in ("n4e", "fixed_2"):
            self.assertGreater(mean[rule]["late_percent"], 0)
            self.assertLessEqual(ours["late_percent"], mean[rule]["late_percent"], rule)
            self.assertLess(ours["added_ms"], mean[rule]["added_ms"], rule)
        self.assertEqual(ours["stopped_percent"], 0)

    def test_the_servo_starves_fewer_ticks_with_no_larger_lead(self):
        mean = figures("--lead")["mean"]
        ours = mean["muster"]
        for rule in ("n4e", "fpssample"):
            self.assertLess(ours["starved_per_10000"], mean[rule]["starved_per_10000"], rule)
            self.assertLessEqual(ours["early_p50_ms"], mean[rule]["early_p50_ms"], rule)

    def test_the_servo_follows_a_step_of_the_delay_with_at_most_one_turn(self):
        done = run("--steps", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        steps = json.loads(done.stdout)
        self.assertEqual(steps["kind"], "steps")
        self.assertEqual(len(steps["files"]), 3)
        for step in steps["files"]:
            ours = step["rules"]["muster"]
            self.assertLessEqual(ours["turns"], 1, step["file"])
        for step in steps["files"][:2]:
            self.assertLess(step["rules"]["muster"]["settle_ms"], 2000, step["file"])
            self.assertLess(step["rules"]["muster"]["overshoot_ms"], 1.5 * 1000 / 60, step["file"])
        # The delay rises by more than the lead, so ticks starve with every rule.
        for step in (steps["files"][0], steps["files"][2]):
            for name, rule in step["rules"].items():
                self.assertGreater(rule["starved_ticks"], 0, name)
        self.assertNotIn("mean", steps)

    def test_a_file_is_required_without_steps_and_refused_with_steps(self):
        self.assertEqual(run().returncode, 2)
        self.assertEqual(run(STALLS, "--steps").returncode, 2)
        self.assertEqual(run("--steps", "--csv", "frames.csv").returncode, 2)

    def test_equal_runs_print_equal_bytes(self):
        for arguments in ((), ("--lead",), ("--rate", 10, "--fps", 144)):
            self.assertEqual(run(STALLS, *arguments).stdout, run(STALLS, *arguments).stdout)

    def test_errors_name_file_and_line(self):
        good = STALLS.read_text()
        self.refused("", 1)
        self.refused("time,delay\n0,1\n", 1)
        self.refused(good + "x,1\n", 1002)
        self.refused(good + "40000\n", 1002)
        self.refused(good + "40000,nan\n", 1002)
        self.refused(good + "40000,-1\n", 1002)
        self.refused(good + "0,1\n", 1002)
        self.refused("send_ms,rtt_ms\n0,1\n", 2)
        self.refused(good, None, "bad.csv.zst")
        self.assertEqual(run(self.folder / "missing.csv").returncode, 2)
        self.assertIn("missing.csv", run(self.folder / "missing.csv").stderr)
        self.assertEqual(run().returncode, 2)
        self.assertEqual(run(STALLS, "--rate", "nan").returncode, 2)
        self.assertEqual(run(STALLS, "--csv", self.folder / "no" / "x.csv").returncode, 2)

    def test_a_compressed_file_gives_the_same_output(self):
        packed = self.folder / "stalls.csv.zst"
        done = subprocess.run(["zstd", "-q", STALLS, "-o", packed], check=False)
        if done.returncode != 0:
            self.skipTest("zstd is missing")
        self.assertEqual(run(packed, "--json").stdout, run(STALLS, "--json").stdout)

    def test_frames_are_written_and_plotted(self):
        frames = self.folder / "frames.csv"
        self.assertEqual(run(STALLS, "--csv", frames).returncode, 0)
        self.assertGreater(len(frames.read_text().splitlines()), 10_000)
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
