#!/usr/bin/env python3
"""Two machines share their builds through a real server, and through faulty servers.

usage: remote_cache_test.py MUSTER PROJECT SCENE

The server is Debian's nginx with WebDAV, which this test starts. A machine is simulated by a
checkout and a cache folder. For every fault of the server, a build must give the same bytes as
without a cache.
"""
import hashlib
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

SECONDS = 120
SKIPPED = 77
LIFT = "plain/replicated/platform.yaml"
CONFIG = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
worker_processes 1;
events {{ worker_connections 64; }}
http {{
  access_log {folder}/access.log;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    location / {{
      root {folder}/store;
      client_max_body_size 100m;
      dav_methods {methods};
      create_full_put_path on;
      {more}
    }}
  }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Nginx:
    """Debian's nginx, in the foreground, with all its files in one folder."""

    def __init__(self, folder, methods="PUT", more=""):
        self.folder = pathlib.Path(folder)
        (self.folder / "store").mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        config = self.folder / "nginx.conf"
        config.write_text(CONFIG.format(folder=self.folder, port=self.port, methods=methods,
                                        more=more))
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        # When root starts nginx, its workers run as another user and cannot write into this folder.
        user = ["-g", "user root;"] if os.geteuid() == 0 else []
        self.process = subprocess.Popen(
            [program, "-p", str(self.folder), "-c", str(config), "-e",
             str(self.folder / "error.log"), *user], stderr=subprocess.DEVNULL)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise AssertionError("nginx does not start: " + (self.folder / "error.log").read_text())

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def requests(self, method):
        log = (self.folder / "access.log").read_text().splitlines()
        return [line for line in log if f'"{method} ' in line]

    def stored(self):
        return [path for path in (self.folder / "store").rglob("*") if path.is_file()]

    def kill(self):
        # The workers of a killed master continue to run, so all processes are killed.
        children = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True,
                                  text=True, check=False).stdout.split()
        for child in (self.process.pid, *map(int, children)):
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()


class Machine:
    """A simulated machine: a checkout, an output and a cache folder."""

    def __init__(self, muster, project, folder):
        self.muster = muster
        self.folder = pathlib.Path(folder)
        self.project = self.folder / "checkout"
        shutil.copytree(project, self.project)

    def build(self, *options, out="out"):
        """Returns the summary and standard error. Uses level 19, which packs so slowly that a cache
        is faster."""
        if "--level" not in options:
            options = ("--level", "19", *options)
        done = subprocess.run(
            [self.muster, "build", str(self.project), "--out", str(self.folder / out), "--format",
             "json", *options], capture_output=True, text=True, timeout=SECONDS, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout), done.stderr

    def build_with(self, server, *options, out="out"):
        return self.build("--cache", str(self.folder / "cache"), "--cache", server.address,
                          *options, out=out)

    def files(self, out="out"):
        """Returns the files of the build for players, by path."""
        root = self.folder / out
        return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).digest()
                for side in ("client", "server")
                for path in (root / side).rglob("*") if path.is_file()}


def counts(summary):
    targets = summary["targets"].values()
    bundles = sum(target["prefab_bundles"] + target["shared_bundles"] for target in targets)
    return bundles, sum(target["cached_bundles"] for target in targets)


class Stage:
    def __init__(self, muster, project, folder):
        self.muster, self.project, self.folder = muster, project, folder
        self.alone = self.machine("alone")
        self.alone.build()

    def machine(self, name):
        return Machine(self.muster, self.project, os.path.join(self.folder, name))

    def nginx(self, **options):
        return Nginx(os.path.join(self.folder, "nginx"), **options)

    def check(self, machine, out="out"):
        assert machine.files(out) == self.alone.files(), "the cache changes the output"


def shared(stage):
    """One machine fetches bundles that another machine has packed. A bundle for which packing is
    faster is packed again, and stored in the folder."""
    server = stage.nginx()
    try:
        first, second = stage.machine("first"), stage.machine("second")
        bundles, _ = counts(first.build_with(server)[0])
        stage.check(first)
        assert 0 < counts(second.build_with(server)[0])[1] <= bundles
        stage.check(second)
        request_count = len(server.requests("GET"))
        assert counts(second.build_with(server, out="again")[0]) == (bundles, bundles)
        assert len(server.requests("GET")) == request_count, "the server was queried needlessly"
        for machine in (first, second):
            lift = machine.project / LIFT
            lift.write_text(lift.read_text().replace("periodSeconds: 6", "periodSeconds: 3"))
        assert counts(first.build_with(server, out="new")[0])[1] < bundles
        assert counts(second.build_with(server, out="new")[0])[1] > 0
        assert first.files("new") == second.files("new") != stage.alone.files()
    finally:
        server.kill()


def read_only(stage):
    """A machine without write permission stores nothing. The permission is denied by an option or
    by the server."""
    server = stage.nginx()
    try:
        machine = stage.machine("first")
        machine.build_with(server, "--cache-read-only")
        assert not server.requests("PUT") and not server.stored()
        stage.check(machine)
    finally:
        server.kill()
    server = stage.nginx(methods="off")
    try:
        machine = stage.machine("second")
        _, output = machine.build_with(server)
        assert "405" in output and "given up" in output, output
        assert len(server.requests("PUT")) < 10, "too many uploads to a server that refuses them"
        stage.check(machine)
        assert (machine.folder / "cache/cas").is_dir(), "the cache folder is not used"
        assert counts(machine.build("--cache", str(machine.folder / "cache"), out="new")[0])[1] > 0
    finally:
        server.kill()


def garbage(stage):
    """Damage on the server is always detected, and the damaged file is stored again."""
    server = stage.nginx()
    try:
        _, cold = counts(stage.machine("first").build_with(server)[0])
        for number, path in enumerate(sorted(server.stored())):
            content = path.read_bytes()
            path.write_bytes((content[:-1], b"", content + b"x", b"\x00" * len(content),
                              b"<html>login</html>")[number % 5])
        second = stage.machine("second")
        bundles, hits = counts(second.build_with(server)[0])
        assert hits <= cold, "too many hits: damaged results were used"
        stage.check(second)
        third = stage.machine("third")
        assert counts(third.build_with(server)[0])[1] > cold, "damaged results stay"
        stage.check(third)
    finally:
        server.kill()


def dies(stage):
    """The server is killed during an answer, and later there is no server."""
    server = stage.nginx()
    stage.machine("first").build_with(server)
    server.kill()
    server = stage.nginx(more="limit_rate 20k;")
    machine = stage.machine("second")
    killer = threading.Thread(target=lambda: (wait_for(lambda: len(server.requests("GET")) > 3),
                                              server.kill()))
    killer.start()
    _, output = machine.build_with(server)
    killer.join()
    assert "given up" in output and "127.0.0.1" in output, output
    stage.check(machine)
    third = stage.machine("third")
    _, output = third.build_with(server)
    assert "given up" in output, output
    stage.check(third)


def wait_for(holds):
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end, "the expected state was not reached in time"
        time.sleep(0.005)


class Silent(http.server.BaseHTTPRequestHandler):
    """Accepts requests and does not answer until it is stopped."""

    over = threading.Event()

    def do_GET(self):
        Silent.over.wait(SECONDS)

    do_PUT = do_GET

    def log_message(self, *_):
        pass


def slow(stage):
    """A server that does not answer delays a build for a bounded time. Ctrl-C ends the wait at
    once."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Silent)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    machine = stage.machine("first")
    process = subprocess.Popen(
        [machine.muster, "build", str(machine.project), "--out", str(machine.folder / "stopped"),
         "--cache", address], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: threading.active_count() > 2)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=SECONDS)
    assert process.returncode == -signal.SIGINT and time.monotonic() - start < 5
    start = time.monotonic()
    _, output = machine.build("--cache", address)
    assert "given up" in output, output
    assert time.monotonic() - start < 60
    stage.check(machine)
    Silent.over.set()
    server.shutdown()


def folder(stage):
    """Several checkouts share a cache folder. The cache repairs damage, and does not exceed its
    size limit."""
    cache = os.path.join(stage.folder, "shared-cache")
    first, second = stage.machine("first"), stage.machine("second")
    both = [threading.Thread(target=machine.build, args=("--cache", cache))
            for machine in (first, second)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    stage.check(first)
    stage.check(second)
    bundles, hits = counts(second.build("--cache", cache, out="new")[0])
    assert hits == bundles
    kept = [path for path in pathlib.Path(cache).rglob("*") if path.is_file()]
    for path in kept[::3]:
        path.write_bytes(path.read_bytes()[:-1] + b"!")
    _, hits = counts(second.build("--cache", cache, out="healed")[0])
    assert 0 < hits < bundles
    stage.check(second, "healed")
    assert counts(second.build("--cache", cache, out="whole")[0])[1] == bundles
    limit = 100 * 1024
    third = stage.machine("third")
    third.build("--cache", cache, "--cache-size", "100K", "--level", "1", out="small")
    assert sum(path.stat().st_size for path in pathlib.Path(cache).rglob("*")
               if path.is_file()) <= limit
    for arguments in (("--cache", cache, "--cache", cache), ("--cache", "ftp://host"),
                      ("--cache", cache, "--cache-size", "much")):
        done = subprocess.run([stage.muster, "build", str(third.project), "--out",
                               str(third.folder / "wrong"), *arguments], capture_output=True,
                              check=False)
        assert done.returncode == 2, done.stderr


SCENES = {scene.__name__.replace("_", "-"): scene
          for scene in (shared, read_only, garbage, dies, slow, folder)}


def main():
    muster, project, scene = sys.argv[1:4]
    needs_nginx = scene in ("shared", "read-only", "garbage", "dies")
    if needs_nginx and not (shutil.which("nginx") or os.path.exists("/usr/sbin/nginx")):
        print("nginx is not installed: skipped")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory(prefix="muster-cache-") as folder:
        SCENES[scene](Stage(muster, project, folder))


if __name__ == "__main__":
    main()
