#!/usr/bin/env python3
"""Checks the destinations of reports: pipes that close early, full devices, links, long names; and
behaviour at system limits.

usage: streams_test.py MUSTER

Golden cases cannot test this, because these tests need special standard outputs.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

MUSTER = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "muster"
FILES = 2000


def run(*arguments, **options):
    options.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([MUSTER, *map(str, arguments)], stderr=subprocess.PIPE, text=True,
                          timeout=60, check=False, **options)


class StreamsTest(unittest.TestCase):
    """All tests validate one project, whose report is longer than the buffer of a pipe."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="muster-streams-")
        cls.addClassCleanup(holder.cleanup)
        cls.project = pathlib.Path(holder.name) / "project"
        (cls.project / "Assets").mkdir(parents=True)
        for number in range(FILES):
            (cls.project / "Assets" / f"{number}.txt").touch()
        registry = cls.project / "Assets" / "registry.yaml"
        registry.write_text("class: ItemRegistry\nentries: []\n")
        sidecar = registry.with_name("registry.yaml.meta")
        sidecar.write_text("guid: 6f1d2c3b4a5948d7a0e1b2c3d4f5a697\n")
        whole = run("validate", cls.project, "--format", "json", "--strict")
        cls.report, cls.code = whole.stdout, whole.returncode
        assert cls.code == 1 and len(cls.report) > 200_000, whole.stderr

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="muster-streams-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def validate(self, *arguments, **options):
        return run("validate", self.project, "--format", "json", "--strict", *arguments, **options)

    def test_a_reader_that_stops_early_causes_no_error(self):
        process = subprocess.Popen(
            [MUSTER, "validate", str(self.project), "--format", "json", "--strict"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.read(10), self.report[:10])
        process.stdout.close()
        self.assertEqual(process.stderr.read(), "")
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60), self.code)

    def test_a_closed_output_pipe_causes_no_error(self):
        for arguments, code in ((["validate", "--explain", "all"], 0), (["--help"], 0)):
            reading, writing = os.pipe()
            os.close(reading)
            done = run(*arguments, stdout=writing)
            os.close(writing)
            self.assertEqual((done.returncode, done.stderr), (code, ""))

    def test_a_full_device_is_reported(self):
        for arguments in (["validate", self.project, "--strict"], ["--version"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = run(*arguments, stdout=full)
            self.assertEqual(done.returncode, 2)
            self.assertIn("could not be written: No space left on device", done.stderr)

    def test_a_full_device_given_by_name_is_reported(self):
        done = self.validate("--output", "/dev/full")
        self.assertEqual(done.returncode, 2)
        self.assertIn("No space left on device", done.stderr)

    def test_standard_streams_are_accepted_by_name(self):
        self.assertEqual(self.validate("--output", "/dev/stdout").stdout, self.report)
        self.assertEqual(self.validate("--output", "-").stdout, self.report)
        done = self.validate("--output", "/dev/stderr")
        self.assertEqual((done.returncode, done.stderr), (self.code, self.report))

    def test_a_descriptor_from_process_substitution_is_accepted(self):
        reading, writing = os.pipe()
        process = subprocess.Popen(
            [MUSTER, "validate", str(self.project), "--format", "json", "--strict", "--output",
             f"/dev/fd/{writing}"], pass_fds=[writing], stderr=subprocess.PIPE, text=True)
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as stream:
            self.assertEqual(stream.read(), self.report)
        self.assertEqual(process.communicate(timeout=60)[1], "")
        self.assertEqual(process.returncode, self.code)

    def test_an_output_may_be_a_link_or_have_a_long_name(self):
        inner = self.folder / "inner"
        inner.mkdir()
        (self.folder / "old.json").write_text("old", encoding="utf-8")
        (inner / "absolute").symlink_to(self.folder / "old.json")
        (inner / "upwards").symlink_to("../old.json")
        (inner / "broken").symlink_to("../new.json")
        for name in ("absolute", "upwards", "broken", "n" * 255):
            with self.subTest(name=name):
                done = self.validate("--output", inner / name)
                self.assertEqual((done.returncode, done.stderr), (self.code, ""))
                self.assertEqual((inner / name).read_text(encoding="utf-8"), self.report)
        self.assertTrue((inner / "absolute").is_symlink())
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["inner", "new.json", "old.json"])

    def test_a_baseline_may_be_a_link(self):
        known = self.folder / "known.json"
        link = self.folder / "links" / "baseline.json"
        link.parent.mkdir()
        link.symlink_to(known)
        self.assertEqual(self.validate("--write-baseline", link).returncode, 0)
        self.assertTrue(known.is_file())
        self.assertEqual(self.validate("--baseline", link).returncode, 0)


class LimitsTest(unittest.TestCase):
    """A command at a resource limit ends with a message, and leaves no incomplete file."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="muster-limits-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        (self.folder / "project" / "Assets").mkdir(parents=True)

    def add(self, name, text):
        path = self.folder / "project" / "Assets" / name
        path.write_text(text)
        path.with_name(f"{name}.meta").write_text("guid: 6f1d2c3b4a5948d7a0e1b2c3d4f5a697\n")

    def test_a_lack_of_memory_is_reported(self):
        limit = 64 << 20
        self.add("a.yaml", "x" * limit)

        def restrain():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        try:
            plain = run("--version", preexec_fn=restrain).returncode
        except subprocess.TimeoutExpired:
            plain = -1
        if plain != 0:
            self.skipTest("this program needs more memory to start, as with sanitizers")
        out = self.folder / "out"
        for command in (["validate"], ["list"], ["build", "--out", out]):
            done = run(command[0], self.folder / "project", *command[1:], preexec_fn=restrain)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("out of memory", done.stderr)
        self.assertFalse(out.exists())

    def test_a_limit_on_file_sizes_is_reported_as_a_write_error(self):
        self.add("registry.yaml", "class: ItemRegistry\nentries: []\n")

        def restrain():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        # ThreadSanitizer writes a file at the start of the program.
        if b"__tsan_init" in pathlib.Path(MUSTER).read_bytes():
            self.skipTest("the thread sanitizer does not start correctly under this limit")

        done = run("build", self.folder / "project", "--out", self.folder / "out",
                   "--allow-empty", preexec_fn=restrain)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("cannot write", done.stderr)
        self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
