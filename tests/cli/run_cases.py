#!/usr/bin/env python3
"""Runs golden cases of the `muster` command, or of another program of this project.

usage: run_cases.py PROGRAM SOURCE_FOLDER CASE_FILE... [--rewrite]

A case file is read line by line; README.md in this folder describes the signs:

    # comment
    @ VERB ARGUMENTS    prepares or checks files
    $ muster ARGUMENTS  runs the command; `> FILE` at the end stores its output
    ? CODE              the exit code; 0 if omitted
    < LINE              a line of standard output; `<* PATTERN` a glob, `<...` any lines
    ! LINE              the same for standard error
    % CHECK ARGUMENTS   standard output (or a file) passes a check of report_checks.py

--rewrite replaces the expectations of every failing step by its actual output.
"""

import dataclasses
import fnmatch
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import report_checks
import text_project

TIMEOUT_SECONDS = 120
# Git reads neither the user's nor the machine's configuration.
GIT_SETTINGS = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
PHASE = re.compile(r"(walking the folders|reading sidecars|scanning assets|reading the registries|"
                   r"looking for members|following references|checking|cooking|comparing|"
                   r"checking builds for variants|training|packing \w+|publishing|patching|"
                   r"verifying)( \((\d+|\*)\))?")


@dataclasses.dataclass
class Step:
    command: str
    code: int = 0
    out: list = dataclasses.field(default_factory=list)
    err: list = dataclasses.field(default_factory=list)
    checks: list = dataclasses.field(default_factory=list)


class Mismatch(Exception):
    """The output differs from the case's expectations."""


def parse(text):
    """Returns a list of steps, and of the unchanged lines of comments and verbs."""
    items = []
    for number, line in enumerate(text.splitlines(), start=1):
        sign, rest = line[:1], line[2:]
        step = items[-1] if items and isinstance(items[-1], Step) else None
        if sign in ("", "#", "@"):
            items.append(line)
        elif sign == "$":
            items.append(Step(rest))
        elif step is None:
            raise SystemExit(f"line {number}: '{line}' belongs to no command")
        elif sign == "?":
            step.code = int(rest)
        elif sign in "<!":
            (step.out if sign == "<" else step.err).append(line[1:])
        elif sign == "%":
            step.checks.append(rest)
        else:
            raise SystemExit(f"line {number}: unknown sign '{sign}'")
    return items


def unparse(items):
    lines = []
    for item in items:
        if not isinstance(item, Step):
            lines.append(item)
            continue
        lines.append(f"$ {item.command}")
        lines += [f"? {item.code}"] if item.code else []
        lines += [f"<{line}" for line in item.out]
        lines += [f"!{line}" for line in item.err]
        lines += [f"% {check}" for check in item.checks]
    return "\n".join(lines) + "\n"


def matches(expected, actual):
    """True if lines match expectations: ` exact`, `* glob` and `...` for any number of lines."""
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(matches(expected[1:], actual[skip:]) for skip in range(len(actual) + 1))
    if not actual:
        return False
    wanted = expected[0]
    fits = (fnmatch.fnmatchcase(actual[0], wanted[2:]) if wanted.startswith("* ")
            else wanted[1:] == actual[0])
    return fits and matches(expected[1:], actual[1:])


class World:
    """The folder in which one case runs."""

    def __init__(self, muster, source, folder):
        self.muster, self.source, self.folder = muster, pathlib.Path(source), folder
        self.environment = {**os.environ, **GIT_SETTINGS}

    def path_of(self, name):
        """Returns the path of a case's file; a pattern means the first matching file."""
        if "*" in name:
            found = sorted(self.folder.glob(name))
            if not found:
                raise Mismatch(f"nothing fits {name}")
            return found[0]
        return self.folder / name

    def run_verb(self, line):
        verb, *arguments = shlex.split(line[1:])
        getattr(self, "verb_" + verb.replace("-", "_"))(*arguments)

    def verb_copy(self, source, target):
        shutil.copytree(self.source / source, self.path_of(target), symlinks=True)

    def verb_copy_here(self, source, target):
        shutil.copytree(self.path_of(source), self.path_of(target), symlinks=True)

    def verb_unpack(self, source, target):
        text_project.unpack(self.source / source, self.path_of(target))

    def verb_copy_file(self, source, target):
        shutil.copyfile(self.source / source, self.path_of(target))

    def verb_link(self, source, target):
        os.symlink(self.source / source, self.path_of(target))

    def verb_symlink(self, target, name):
        """Creates a link with this target; `{here}` is the case's folder."""
        self.path_of(name).parent.mkdir(parents=True, exist_ok=True)
        os.symlink(target.replace("{here}", str(self.folder)), self.folder / name)

    def verb_write(self, name, text):
        self.path_of(name).parent.mkdir(parents=True, exist_ok=True)
        self.path_of(name).write_bytes(text.encode().decode("unicode_escape").encode("latin-1"))

    def verb_remove(self, name):
        target = self.path_of(name)
        shutil.rmtree(target) if target.is_dir() else target.unlink()

    def verb_insert_above(self, name, line, text):
        lines = self.path_of(name).read_text().split("\n")
        lines.insert(int(line) - 1, text)
        self.path_of(name).write_text("\n".join(lines))

    def verb_replace(self, name, old, new):
        self.replace_in(self.path_of(name), old, new)

    def verb_replace_all(self, pattern, old, new):
        """Replaces text in each file that the pattern matches."""
        self.path_of(pattern)
        for path in self.folder.glob(pattern):
            self.replace_in(path, old, new)

    @staticmethod
    def replace_in(path, old, new):
        text = path.read_text()
        if old not in text:
            raise Mismatch(f"{path} does not contain '{old}'")
        path.write_text(text.replace(old, new))

    def verb_flip(self, name, offset):
        data = bytearray(self.path_of(name).read_bytes())
        data[int(offset)] ^= 1
        self.path_of(name).write_bytes(data)

    def verb_truncate(self, name, size):
        os.truncate(self.path_of(name), int(size))

    def verb_git(self, name, *arguments):
        """Runs Git in a folder of the case, independently of the user and the Git configuration.
        `{here}` in an argument is the case's folder."""
        settings = dict(GIT_SETTINGS)
        for role in ("AUTHOR", "COMMITTER"):
            settings |= {f"GIT_{role}_NAME": "case", f"GIT_{role}_EMAIL": "case@example.org",
                         f"GIT_{role}_DATE": "2024-01-01T00:00:00Z"}
        arguments = [text.replace("{here}", str(self.folder)) for text in arguments]
        subprocess.run(["git", "-C", self.path_of(name), *arguments], check=True,
                       capture_output=True, env={**os.environ, **settings})

    def verb_environment(self, name, value):
        """Sets a variable for the following commands of the case, but not for the verb `git`."""
        self.environment[name] = value

    def verb_same(self, first, second):
        if self.content(first) != self.content(second):
            raise Mismatch(f"{first} and {second} differ")

    def verb_differ(self, first, second):
        if self.content(first) == self.content(second):
            raise Mismatch(f"{first} and {second} are the same")

    def verb_contains(self, name, text):
        if text not in self.path_of(name).read_text():
            raise Mismatch(f"{name} does not contain '{text}'")

    def verb_absent(self, name):
        if self.path_of(name).exists():
            raise Mismatch(f"{name} is there")

    def verb_at_most(self, count, pattern):
        """Fails if the pattern matches more files than `count`, or none."""
        self.path_of(pattern)
        found = len(list(self.folder.glob(pattern)))
        if found > int(count):
            raise Mismatch(f"{found} files match {pattern}, expected at most {count}")

    def verb_same_fingerprints(self, first, second):
        prints = [report_checks.fingerprints(self.path_of(name).read_text())
                  for name in (first, second)]
        if prints[0] != prints[1] or not prints[0]:
            raise Mismatch(f"fingerprints differ: {sorted(prints[0] ^ prints[1])}")

    def content(self, name):
        """Returns the bytes of a file, or of every file below a folder, except dot files and the
        parts of a build's report that differ from build to build."""
        target = self.path_of(name)
        if target.is_file():
            return target.read_bytes()
        return {str(path.relative_to(target)): self.lasting(path) for path in target.rglob("*")
                if path.is_file() and not path.name.startswith(".")}

    @staticmethod
    def lasting(path):
        if path.name != "build.json":
            return path.read_bytes()
        report = json.loads(path.read_bytes())
        report.pop("build", None)
        report.pop("signature", None)
        return report

    def run(self, step):
        words = shlex.split(step.command)
        target = None
        if len(words) > 2 and words[-2] == ">":
            target, words = words[-1], words[:-2]
        name = os.path.basename(self.muster)
        if words[0] != name:
            raise SystemExit(f"'{step.command}' is not a command of {name}")
        done = subprocess.run([self.muster, *words[1:]], cwd=self.folder, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT_SECONDS, check=False,
                              env=self.environment)
        texts = [stream.decode(errors="surrogateescape").replace(str(self.folder), "{here}")
                 for stream in (done.stdout, done.stderr)]
        if target is not None:
            self.path_of(target).write_bytes(done.stdout)
            texts[0] = ""
        return done.returncode, texts[0], texts[1]


def compare(world, step, code, out, err):
    """Raises Mismatch with all differences from the expectations."""
    problems = []
    if code != step.code:
        problems.append(f"exit code {code}, expected {step.code}")
    streams = [("stderr", step.err, err)]
    if not step.checks or step.out:
        streams.insert(0, ("stdout", step.out, out))
    for name, expected, text in streams:
        if text and not text.endswith("\n"):
            problems.append(f"{name} does not end with a line break")
        if not matches(expected, without_late_phases(expected, text.splitlines())):
            problems += [f"{name} is:"] + [f"    {line}" for line in text.splitlines()[:200]]
    for check in step.checks:
        name, *arguments = shlex.split(check)
        text = out
        if arguments and arguments[0].startswith("@"):
            text = world.path_of(arguments.pop(0)[1:]).read_text()
        try:
            report_checks.CHECKS[name](text, *arguments)
        except (AssertionError, KeyError, ValueError, SyntaxError) as problem:
            problems.append(f"check {check}: {type(problem).__name__}: {problem}")
    if problems:
        raise Mismatch("\n".join(problems))


def without_late_phases(expected, lines):
    """Removes the progress lines that commands print only on a slow machine, unless the case
    expects progress lines."""
    if any(PHASE.fullmatch(line[1:].lstrip()) for line in expected):
        return lines
    return [line for line in lines if not PHASE.fullmatch(line)]


def run_case(muster, source, path, rewrite):
    items = parse(path.read_text())
    failures = []
    with tempfile.TemporaryDirectory(prefix="muster-cli-") as folder:
        world = World(muster, source, pathlib.Path(folder).resolve())
        for item in items:
            if isinstance(item, str):
                if item.startswith("@"):
                    try:
                        world.run_verb(item)
                    except (Mismatch, OSError) as problem:
                        failures.append(f"{item}\n{problem}")
                continue
            code, out, err = world.run(item)
            try:
                compare(world, item, code, out, err)
            except Mismatch as problem:
                failures.append(f"$ {item.command}\n{problem}")
                item.code = code
                item.err = [" " + line for line in err.splitlines()]
                if not item.checks or item.out:
                    item.out = [" " + line for line in out.splitlines()]
    if failures and rewrite:
        path.write_text(unparse(items))
    return failures


def main():
    arguments = [word for word in sys.argv[1:] if word != "--rewrite"]
    if len(arguments) < 3:
        raise SystemExit(__doc__)
    muster, source, *cases = arguments
    bad = 0
    for case in map(pathlib.Path, cases):
        failures = run_case(os.path.abspath(muster), os.path.abspath(source), case,
                            "--rewrite" in sys.argv)
        for failure in failures:
            print(f"{case}: {failure}\n")
        bad += bool(failures)
    print(f"{len(cases) - bad} of {len(cases)} cases passed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
