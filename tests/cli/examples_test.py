#!/usr/bin/env python3
"""Checks that the examples of bundler/README.md are valid YAML and work on the sample game.

usage: examples_test.py MUSTER SOURCE_FOLDER
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

TIMEOUT_SECONDS = 60
GAME = "my-game"
BASELINE = f"{GAME}/muster-baseline.json"


def blocks_of(text):
    """Returns the YAML blocks by the file name in their first line."""
    blocks = {}
    for block in re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        name = re.match(r"# (\S+?),?\s", block).group(1)
        blocks[name] = yaml.safe_load(block)
    return blocks


def commands_of(blocks):
    workflow = blocks[".github/workflows/content.yml"]
    assert set(workflow) == {"name", True, "permissions", "jobs"}  # YAML 1.1 reads `on` as true
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step), step
            if step.get("run", "").startswith("muster "):
                yield step["run"]
    for repository in blocks[".pre-commit-config.yaml"]["repos"]:
        for hook in repository["hooks"]:
            assert {"id", "name", "entry", "language"} <= set(hook), hook
            yield hook["entry"]


def prepare_folder(folder, source, muster):
    """Creates a repository with the game, and the base revision of a pull request."""
    shutil.copytree(source / "content/arena", folder / GAME)
    settings = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    settings |= {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
                 for what, value in (("NAME", "test"), ("EMAIL", "test@example.org"))}
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "game"],
                      ["update-ref", "refs/remotes/origin/main", "HEAD"]):
        subprocess.run(["git", *arguments], cwd=folder, env=settings, check=True)
    subprocess.run([muster, "validate", GAME, "--write-baseline", BASELINE], cwd=folder, check=True)


def main():
    muster, source = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    blocks = blocks_of((source / "bundler/README.md").read_text(encoding="utf-8"))
    schemas = blocks[".vscode/settings.json"]["yaml.schemas"]
    commands = [*commands_of(blocks)]
    assert len(commands) == 6, commands
    failures = []
    with tempfile.TemporaryDirectory(prefix="muster-examples-") as name:
        folder = pathlib.Path(name)
        prepare_folder(folder, source, muster)
        for command in commands:
            words = shlex.split(command.replace("${{ github.base_ref }}", "main"))
            assert words[0] == "muster", command
            done = subprocess.run([muster, *words[1:]], cwd=folder, capture_output=True,
                                  timeout=TIMEOUT_SECONDS, check=False)
            if done.returncode != 0:
                failures.append(f"{command}: exit code {done.returncode}\n{done.stderr.decode()}")
        for pattern in schemas.values():
            assert [*folder.glob(pattern)], f"nothing fits {pattern}"
        assert (folder / "findings.sarif").exists()
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
