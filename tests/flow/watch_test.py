#!/usr/bin/env python3
"""Edits a project while `muster watch` builds it and a game runs with the builds.

usage: watch_test.py MUSTER ARENA_LIVE PROJECT
"""

import os
import pathlib
import queue
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

SECONDS = 60
SETTLE_SECONDS = 1.5  # longer than the time for which a watch waits after an edit
LIFT = "plain/replicated/platform.yaml"


class Program:
    """A running program. A test can wait for its output for at most SECONDS."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True, encoding="utf-8", bufsize=1)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def until(self, word):
        """Returns the lines up to the first line that contains this word."""
        seen = []
        while not seen or word not in seen[-1]:
            try:
                line = self.lines.get(timeout=SECONDS)
            except queue.Empty:
                line = None
            assert line is not None, f"no '{word}' after:\n" + "\n".join(seen)
            seen.append(line)
        return seen

    def prints_nothing_for(self, seconds):
        try:
            line = self.lines.get(timeout=seconds)
        except queue.Empty:
            return
        raise AssertionError(f"said '{line}'")

    def end(self, sent=None):
        if sent is not None:
            self.process.send_signal(sent)
        return self.process.wait(timeout=SECONDS)


def edit(path, old, new):
    text = path.read_text()
    assert old in text, f"{path} has no '{old}'"
    path.write_text(text.replace(old, new))


class Listener:
    """A client that receives a notification for each build."""

    def __init__(self, out):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(SECONDS)
        info = os.stat(out)
        self.socket.connect(f"\0muster-watch-{info.st_dev}-{info.st_ino}")

    def receive(self):
        return self.socket.recv(100)

    def receive_to_the_end(self):
        received = b""
        while piece := self.receive():
            received += piece
        return received


def follow_dictionaries(muster, project, out):
    """Edits the dictionaries of a project in a folder that is not content."""
    for kept in ("Dictionaries~", "Kept~/for/builds"):
        follow_kept(muster, project, kept, out)


def follow_kept(muster, project, kept, out):
    config = project / "muster.yaml"
    before = config.read_text(encoding="utf-8")
    config.write_text(before + f"compression: {{dictionaries: {kept}}}\n", encoding="utf-8")
    watch = Program(muster, "watch", str(project), "--out", out)
    watch.until("watching")
    for _ in range(2):  # First without the folder, then with the folder.
        subprocess.run([muster, "train", str(project)], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        assert any("built in" in line for line in watch.until("watching"))
        os.remove(project / kept / "object.mdict")
        assert any("built in" in line for line in watch.until("watching"))
    watch.end(signal.SIGINT)
    config.write_text(before, encoding="utf-8")


def follow_packages(muster, project, out):
    """Adds, changes and moves a local package beside the project."""
    shared, manifest = project.parent / "shared", project / "Packages" / "manifest.json"
    manifest.parent.mkdir()
    manifest.write_text('{"dependencies": {"com.studio.shared": "file:../../shared"}}')
    watch = Program(muster, "watch", str(project), "--out", out, "--level", "1")
    watch.until("watching")
    (shared / "Art").mkdir(parents=True)
    watch.until("watching")
    (shared / "Art" / "notes.txt").write_text("one")
    watch.until("watching")
    (shared / "Art" / "notes.txt").write_text("two")
    watch.until("watching")
    # Another package in the manifest adds another folder to watch.
    other = project.parent / "other"
    other.mkdir()
    edit(manifest, "../../shared", "../../other")
    watch.until("watching")
    (other / "notes.txt").write_text("three")
    watch.until("watching")
    watch.end(signal.SIGINT)
    shutil.rmtree(manifest.parent)


def main():
    muster, live, content = sys.argv[1:4]
    with tempfile.TemporaryDirectory(prefix="muster-watch-") as folder:
        project, out = pathlib.Path(folder, "game"), os.path.join(folder, "out")
        shutil.copytree(content, project)
        watch = Program(muster, "watch", str(project), "--out", out, "--level", "1")
        watch.until("watching")
        second = Program(muster, "watch", str(project), "--out", out)
        assert any("another 'muster watch'" in line for line in second.until("watching"))
        second.end(signal.SIGINT)
        game = Program(live, out, "--reloads", "2")
        game.until("live: ")
        listener, deaf = Listener(out), Listener(out)
        subprocess.run([muster, "verify", out], check=True, stdout=subprocess.DEVNULL)
        deaf.socket.close()

        # New values are applied to existing entities.
        edit(project / LIFT, "periodSeconds: 6", "periodSeconds: 3")
        assert "1 updated, 0 rebuilt" in (output := "\n".join(game.until("new build"))), output
        assert any("periodSeconds: 3" in line for line in game.until("periodSeconds"))
        watch.until("watching")
        assert listener.receive() == b"built\n", "a connected client is notified of a build"

        # A failed build is reported, and the last good build stays.
        edit(project / LIFT, "variation: 0", "variation: much")
        assert any(LIFT in line and "'much'" in line for line in watch.until("watching"))

        # A new folder with a new component's values, and the fixed file, give one more build.
        (project / "plain/new").mkdir()
        watch.until("watching")
        edit(project / LIFT, "variation: much", "variation: 0")
        edit(project / LIFT, "y: 4", "y: 9")
        assert any("y: 9" in line for line in game.until("travel"))
        watch.until("watching")
        assert game.end() == 0, "the game ends after two new builds"
        assert watch.end(signal.SIGINT) == -signal.SIGINT, "Ctrl-C ends the watch"
        assert set(listener.receive_to_the_end().splitlines()) == {b"built"}, "and of the end"

        # A killed watch does not disturb the next one.
        for _ in range(2):
            watch = Program(muster, "watch", str(project), "--out", out)
            watch.until("watching")
            Listener(out)
            watch.end(signal.SIGKILL)
        subprocess.run([muster, "verify", out], check=True, stdout=subprocess.DEVNULL)

        # A build into the project starts no other build, but an edit beside its output does.
        for inside in ("built", "builds/game"):
            watch = Program(muster, "watch", str(project), "--out", str(project / inside))
            watch.until("watching")
            watch.prints_nothing_for(SETTLE_SECONDS)
            edit(project / LIFT, "y: 9", "y: 8")
            assert any("built in" in line for line in watch.until("watching"))
            watch.prints_nothing_for(SETTLE_SECONDS)
            edit(project / LIFT, "y: 8", "y: 9")
            watch.until("watching")
            watch.end(signal.SIGINT)
        follow_dictionaries(muster, project, os.path.join(folder, "trained"))
        follow_packages(muster, project, os.path.join(folder, "packaged"))

        # A missing bundle is reported once, and the game continues.
        meta = (project / (LIFT + ".meta")).read_text()
        guid = meta.split("guid: ")[1].split()[0]
        os.remove(os.path.join(out, "client", "bundles", guid + ".mbundle"))
        game = Program(live, out, "--reloads", "0")
        reported = [line for line in game.until("live: ") if line.startswith("arena_live: ")]
        assert len(reported) == 1 and guid in reported[0] and "missing" in reported[0], reported
        assert game.end() == 0, "a missing bundle does not end the game"

        wrong = Program(muster, "watch", str(project), "--out", str(project / "Assets"))
        assert wrong.end() == 2, "an unusable output folder ends the watch"


if __name__ == "__main__":
    main()
