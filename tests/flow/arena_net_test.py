#!/usr/bin/env python3
"""Runs the arena's server and clients over real sockets and files: a match over a lossy link, and
every kind of error and interruption.

usage: arena_net_test.py MUSTER BIN ARENA SCENE"""

import argparse
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

CRATE = "1968e147ed397ae4d733ff98e458214b"
# The maximum time of a program, which is enough for a slow machine.
PATIENCE_SECONDS = 60


class Stage:
    """A build of the arena in a new folder."""

    def __init__(self, muster, programs, arena, folder):
        self.muster, self.bin, self.arena = muster, programs, arena
        self.folder = pathlib.Path(folder)
        self.build = self.make_build(arena, "build")

    def make_build(self, project, name):
        out = self.folder / name
        subprocess.run([self.muster, "build", project, "--out", out], check=True,
                       capture_output=True, timeout=PATIENCE_SECONDS)
        return str(out)

    def options(self, **changes):
        values = {"bin": self.bin, "build": self.build, "clients": 1, "seconds": 3, "loss": 0,
                  "delay": 1, "seed": 7}
        return argparse.Namespace(**{**values, **changes})


def play_of(stage, record, *codes):
    """Plays a recording at maximum speed, and returns the client's report and errors."""
    ended = subprocess.run([stage.bin / "arena_client", stage.build, "--play", record, "--json",
                            "--speed", "max"], capture_output=True, text=True,
                           timeout=PATIENCE_SECONDS)
    assert ended.returncode in codes, ended
    return json.loads(ended.stdout), ended.stderr


def end_of(net_demo, process, code):
    found, report, err = net_demo.finish(process)
    assert found == code, (found, err)
    return report, err


def match_over_a_lossy_link(stage, net_demo):
    """Every client's world equals the server's world. Entities were spawned and despawned, and
    effects were played."""
    server, clients, faults = net_demo.play(
        stage.options(clients=4, seconds=5, loss=8, delay=30))
    assert not faults, faults
    assert server["despawned"] > 5, server
    for client in clients:
        assert client["despawned"] > 0 and client["effects"]["played"] > 20, client
        assert client["shown"] > 20, client
        assert client["checksums"] > 0 and client["is_still"], client
        # An entity that despawns before its bundle arrives is not loaded.
        stayed = client["spawned"] - client["despawned"]
        assert stayed <= client["load"]["count"] <= client["spawned"], client


def clients_come_and_go(stage, net_demo):
    """One client leaves during the match, and one client joins late. Both have correct reports."""
    with net_demo.Match(stage.options(seconds=5)) as match:
        server, endpoint = match.start_server("--seconds", 5)
        first = match.start_client(endpoint)
        leaving = match.start_client(endpoint, "--seconds", 1)
        report, _ = end_of(net_demo, leaving, 0)
        assert report["player"] is not None and report["end"] == "", report
        late = match.start_client(endpoint)
        reports = [end_of(net_demo, one, 0)[0] for one in (first, late)]
        server_report, _ = end_of(net_demo, server, 0)
    faults = net_demo.compare(server_report, reports, 2)
    assert not faults, faults
    # The entities of the player that left were removed.
    assert reports[0]["despawned"] >= 3, reports[0]


def other_content_is_refused(stage, net_demo):
    """A server refuses a client with other type ids, unless an option admits it."""
    project = stage.folder / "other"
    shutil.copytree(stage.arena, project)
    registry = next(project.glob("plain/registries/*itscan*.yaml"))
    text = registry.read_text(encoding="utf-8")
    assert "type_id: 3" in text
    registry.write_text(text.replace("type_id: 3", "type_id: 9"), encoding="utf-8")
    other = stage.make_build(project, "other_build")
    with net_demo.Match(stage.options()) as match:
        _, endpoint = match.start_server("--seconds", 20)
        client = match.start_client(endpoint, build=other)
        report, err = end_of(net_demo, client, 1)
        assert "refuses this client" in err and "content differs" in err, err
        assert report["player"] is None and report["entities"] == 0, report
    with net_demo.Match(stage.options()) as match:
        server, endpoint = match.start_server("--seconds", 3, "--admit-other-content")
        client = match.start_client(endpoint, build=other)
        reports = [end_of(net_demo, client, 0)[0]]
        server_report, _ = end_of(net_demo, server, 0)
    assert not net_demo.compare(server_report, reports, 1), (server_report, reports)


def missing_bundles_are_named(stage, net_demo):
    """A client continues without a missing bundle and reports it. A server does not start."""
    broken = stage.folder / "broken"
    shutil.copytree(stage.build, broken)
    (broken / "client/bundles" / f"{CRATE}.mbundle").unlink()
    (broken / "server/bundles" / f"{CRATE}.mbundle").unlink()
    with net_demo.Match(stage.options()) as match:
        server, endpoint = match.start_server("--seconds", 3)
        client = match.start_client(endpoint, build=str(broken))
        report, err = end_of(net_demo, client, 1)
        assert CRATE in err and "could not be loaded" in err, err
        server_report, _ = end_of(net_demo, server, 0)
        # Crates have no replicated children, so their placeholders have the same replicated state.
        # Barrels are variants of crates, and the level contains both, so the level is not shown.
        assert report["failed_loads"] == 4 and "the level is not shown" in err, (report, err)
        assert report["world"] == server_report["clients"][0]["world"], (report, server_report)
        refused = match.start("arena_server", build=str(broken))
        out, err = refused.communicate(timeout=PATIENCE_SECONDS)
        assert refused.returncode == 2 and CRATE in err and not out, (out, err)


def killed_server_is_missed(stage, net_demo):
    """A client reports a killed server, an address without a server, and a server with another
    key."""
    with net_demo.Match(stage.options()) as match:
        server, endpoint = match.start_server()
        client = match.start_client(endpoint)
        unanswered = match.start_client(["127.0.0.1:9", endpoint[1]])
        wrong_key = match.start_client([endpoint[0], "00" * 31 + "09"])
        time.sleep(1.5)
        server.kill()
        report, err = end_of(net_demo, client, 1)
        assert "the server is lost" in err, err
        assert report["spawned"] > 50, report
        for one in (unanswered, wrong_key):
            _, err = end_of(net_demo, one, 1)
            assert "no server answers" in err, err


def interrupted_server_closes(stage, net_demo):
    """Ctrl-C and SIGTERM end a match like its time limit: the reports and the recording are
    complete, and the client receives the close."""
    for sent in (signal.SIGINT, signal.SIGTERM):
        record = stage.folder / f"{sent.name}.mrec"
        with net_demo.Match(stage.options()) as match:
            server, endpoint = match.start_server("--record", record, "--workers", 3)
            client = match.start_client(endpoint)
            time.sleep(1.5)
            server.send_signal(sent)
            server_report, _ = end_of(net_demo, server, 0)
            before = time.monotonic()
            report, err = end_of(net_demo, client, 0)
            assert time.monotonic() - before < 3, "the client did not receive the close"
        assert not err and report["spawned"] > 50, (report, err)
        players = [one["player"] for one in server_report["clients"]]
        assert players == [report["player"]], server_report
        played, _ = play_of(stage, record, 0)
        assert played["last_tick"] == server_report["tick"], (played, server_report)


def interrupted_client_leaves(stage, net_demo):
    """After Ctrl-C, a client leaves the match and prints its report. A replay also prints its
    report."""
    record = stage.folder / "match.mrec"
    with net_demo.Match(stage.options()) as match:
        server, endpoint = match.start_server("--seconds", 4, "--record", record)
        client = match.start_client(endpoint)
        unanswered = match.start_client(["127.0.0.1:9", endpoint[1]])
        time.sleep(1.5)
        for process in (client, unanswered):
            process.send_signal(signal.SIGINT)
        report, err = end_of(net_demo, client, 0)
        assert report["spawned"] > 50 and not err, (report, err)
        report, err = end_of(net_demo, unanswered, 0)
        assert report["player"] is None and not err, (report, err)
        server_report, _ = end_of(net_demo, server, 0)
        assert not server_report["clients"], server_report
        replay = match.start("arena_client", "--play", record)
        time.sleep(1)
        replay.send_signal(signal.SIGINT)
        report, _ = end_of(net_demo, replay, 0)
        assert 0 < report["ticks"] < server_report["tick"] - 30, report
        # A very slow replay also ends at once.
        replay = match.start("arena_client", "--play", record, "--speed", 0.00001)
        time.sleep(1)
        before = time.monotonic()
        replay.send_signal(signal.SIGINT)
        end_of(net_demo, replay, 0)
        assert time.monotonic() - before < 5, "the replay waited for the next tick"


def killed_servers_recording_is_played(stage, net_demo):
    """The recording of a killed server can be played."""
    record = stage.folder / "killed.mrec"
    with net_demo.Match(stage.options()) as match:
        server, _ = match.start_server("--record", record)
        time.sleep(1.5)
        server.kill()
        server.wait()
    # The file ends after a tick, or within a tick.
    report, err = play_of(stage, record, 0, 1)
    assert report["last_tick"] > 60 and ("truncated" in err or not err), (report, err)


def usage_is_printed(stage, _):
    """Wrong arguments give exit code 2 and the usage. An unreadable build or a malformed key gives
    exit code 2 and the reason."""
    for program, words in (
            ("arena_server", []), ("arena_server", ["x", "nowhere"]),
            ("arena_server", [stage.build, "--loss", "101"]),
            ("arena_server", [stage.build, "--seconds"]),
            ("arena_server", [stage.build, "--workers", "0"]),
            ("arena_server", [stage.build, "--clients-per-address", "many"]),
            ("arena_client", [stage.build, "127.0.0.1:1"]),
            ("arena_client", [stage.build, "127.0.0.1:1", "00" * 32, "--speed", "2"]),
            ("arena_server", [stage.build, "--play", "match.mrec"]),
            ("arena_client", [stage.build, "127.0.0.1:1", "00" * 32, "--admit-other-content"])):
        ended = subprocess.run([stage.bin / program, *words], capture_output=True, text=True,
                               timeout=PATIENCE_SECONDS)
        assert ended.returncode == 2 and "usage: " + program in ended.stderr, (words, ended)
    for program in ("arena_server", "arena_client"):
        ended = subprocess.run([stage.bin / program, "--help"], capture_output=True, text=True,
                               timeout=PATIENCE_SECONDS)
        assert ended.returncode == 0 and "Example: " + program in ended.stdout, ended
    for program, words in (("arena_server", ["nothing-here"]),
                           ("arena_client", ["nothing-here", "127.0.0.1:1", "00" * 32])):
        ended = subprocess.run([stage.bin / program, *words], capture_output=True, text=True,
                               timeout=PATIENCE_SECONDS)
        assert ended.returncode == 2 and "nothing-here" in ended.stderr, ended
    ended = subprocess.run([stage.bin / "arena_client", stage.build, "127.0.0.1:1", "12"],
                           capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert ended.returncode == 2 and "64 lower-case hex digits" in ended.stderr, ended


def match_is_recorded(stage, _):
    """A recording shows the bandwidth of each component, even if the file is cut."""
    record = stage.folder / "match.mrec"
    server = [stage.bin / "arena_server", stage.build, "--seconds", "2", "--record"]
    subprocess.run([*server, record], check=True, capture_output=True, timeout=PATIENCE_SECONDS)

    def bandwidth(path):
        ended = subprocess.run([stage.bin / "muster-net", "bandwidth", path, "--format", "json"],
                               capture_output=True, text=True, timeout=PATIENCE_SECONDS)
        return ended.returncode, json.loads(ended.stdout), ended.stderr

    code, whole, _ = bandwidth(record)
    assert code == 0 and whole["snapshots"] > 60 and whole["bytes"] > 1000, whole
    assert any(row["component"] == "Transform" for row in whole["rows"]), whole
    # A file that ends exactly between two ticks is valid. Without one more byte, it ends within a
    # tick.
    record.write_bytes(record.read_bytes()[:-200])
    code, cut, err = bandwidth(record)
    if code == 0:
        record.write_bytes(record.read_bytes()[:-1])
        code, cut, err = bandwidth(record)
    assert code == 1 and "truncated" in err, err
    assert 0 < cut["snapshots"] <= whole["snapshots"], cut
    ended = subprocess.run([*server, "/nowhere/match.mrec"], capture_output=True, text=True,
                           timeout=PATIENCE_SECONDS)
    assert ended.returncode == 2 and "/nowhere/match.mrec" in ended.stderr, ended


def packets_are_captured(stage, net_demo):
    """Both ends write captures, and `muster-net` replays them with equal results."""
    captures = {end: stage.folder / f"{end}.mcapture" for end in ("server", "client")}
    with net_demo.Match(stage.options()) as match:
        server, endpoint = match.start_server("--seconds", 2, "--capture", captures["server"])
        client = match.start_client(endpoint, "--capture", captures["client"])
        end_of(net_demo, client, 0)
        end_of(net_demo, server, 0)
    for end, capture in captures.items():
        replayed = subprocess.run([stage.bin / "muster-net", "replay", capture], check=True,
                                  capture_output=True, text=True, timeout=PATIENCE_SECONDS)
        assert f"role {end} " in replayed.stdout, replayed.stdout
        assert int(re.search(r"packets_in (\d+)", replayed.stdout)[1]) > 20, replayed.stdout
        assert "dropped 0  faithful true" in replayed.stdout, replayed.stdout
    for program, endpoint in (("arena_server", []), ("arena_client", ["127.0.0.1:9", "00" * 32])):
        ended = subprocess.run([stage.bin / program, stage.build, *endpoint, "--seconds", "1",
                                "--capture", "/nowhere/x.mcapture"], capture_output=True, text=True,
                               timeout=PATIENCE_SECONDS)
        assert ended.returncode == 2 and "/nowhere/x.mcapture" in ended.stderr, ended
        ended = subprocess.run([stage.bin / program, stage.build, *endpoint, "--seconds", "1",
                                "--capture", "/dev/full"], capture_output=True, text=True,
                               timeout=PATIENCE_SECONDS)
        assert ended.returncode != 0 and "is the disk full?" in ended.stderr, ended
    # A server that cannot start does not overwrite an earlier capture.
    before = captures["server"].read_bytes()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        ended = subprocess.run([stage.bin / "arena_server", stage.build,
                                "127.0.0.1:%d" % other.getsockname()[1], "--seconds", "1",
                                "--capture", captures["server"]], capture_output=True, text=True,
                               timeout=PATIENCE_SECONDS)
    assert ended.returncode == 2 and captures["server"].read_bytes() == before, ended


def recording_is_played(stage, _):
    """A client plays a recorded match from any time and at any speed, or reports why it cannot."""
    record = stage.folder / "match.mrec"
    subprocess.run([stage.bin / "arena_server", stage.build, "--seconds", "4", "--still-seconds",
                    "1", "--seed", "3", "--record", record],
                   check=True, capture_output=True, timeout=PATIENCE_SECONDS)

    full = subprocess.run([stage.bin / "arena_server", stage.build, "--seconds", "3", "--record",
                           "/dev/full"], capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert full.returncode == 2 and "the recording ends here" in full.stderr, full
    assert "180 ticks" in full.stdout, "the match must continue"

    def play(code, *words, build=stage.build, path=record):
        ended = subprocess.run([stage.bin / "arena_client", build, "--play", path, *words],
                               capture_output=True, text=True, timeout=PATIENCE_SECONDS)
        assert ended.returncode == code, (words, ended)
        return ended

    def report(*words, code=0):
        return json.loads(play(code, "--json", *words).stdout)

    whole = report("--speed", "max")
    assert whole["ticks"] > 200 and whole["last_tick"] - whole["first_tick"] > 220, whole
    assert whole["spawned"] > 50 and whole["effects"]["played"] > 10 and whole["is_still"], whole
    assert whole["failed_loads"] == 0 and whole["end"] == "", whole
    assert whole["times_real_time"] > 5, whole
    late = report("--speed", "max", "--from", "3.5")
    assert late["first_tick"] >= 200 and late["world"] == whole["world"], (late, whole)
    # A slow machine may play more slowly, but no machine plays faster.
    paced = report("--speed", "8")
    assert paced["times_real_time"] <= 8 and paced["world"] == whole["world"], paced
    short = report("--speed", "4", "--from", "1", "--seconds", "0.5")
    assert 0.5 <= short["recorded_seconds"] < 0.6 and short["times_real_time"] <= 4, short
    output = play(0, "--speed", "max", "--world").stdout
    assert "all stands still" in output and "times real time" in output, output
    assert "spawned   " in output and "Transform" in output, output

    project = stage.folder / "other"
    shutil.copytree(stage.arena, project)
    registry = next(project.glob("plain/registries/*itscan*.yaml"))
    registry.write_text(registry.read_text(encoding="utf-8").replace("type_id: 3", "type_id: 9"),
                        encoding="utf-8")
    ended = play(2, build=stage.make_build(project, "other_build"))
    assert "recording of another build" in ended.stderr and not ended.stdout, ended
    cut = stage.folder / "cut.mrec"
    cut.write_bytes(record.read_bytes()[:-500])
    ended = play(1, "--speed", "max", "--json", path=cut)
    assert "truncated" in ended.stderr, ended
    assert 0 < json.loads(ended.stdout)["ticks"] < whole["ticks"], ended
    cut.write_bytes(b"no recording at all")
    assert "not a recording" in play(2, path=cut).stderr
    assert "nothing-here" in play(2, path="nothing-here").stderr
    assert "ends before" in play(2, "--from", "100").stderr
    for words in (("--speed", "0"), ("--speed", "fast"), ("--from", "-1"), ("127.0.0.1:1",)):
        assert "usage: arena_client" in play(2, *words).stderr, words


SCENES = {
    "replay": recording_is_played,
    "record": match_is_recorded,
    "capture": packets_are_captured,
    "match": match_over_a_lossy_link,
    "join-leave": clients_come_and_go,
    "mismatch": other_content_is_refused,
    "missing": missing_bundles_are_named,
    "killed": killed_server_is_missed,
    "killed-recording": killed_servers_recording_is_played,
    "interrupted-server": interrupted_server_closes,
    "interrupted-client": interrupted_client_leaves,
    "usage": usage_is_printed,
}


def main(muster, programs, arena, scene):
    sys.path.insert(0, arena)
    import net_demo  # pylint: disable=import-outside-toplevel
    with tempfile.TemporaryDirectory(prefix="arena_net_") as folder:
        SCENES[scene](Stage(muster, pathlib.Path(programs), arena, folder), net_demo)


if __name__ == "__main__":
    main(*sys.argv[1:])
