#!/usr/bin/env python3
"""Tests the bearer token, certificates, proxy and name server of a build with a remote cache.

usage: cache_secrets_test.py MUSTER PROJECT SCENE

Some scenes replace a system file for their programs, in a separate namespace. These scenes are
skipped if namespaces are not allowed.
"""
import http.server
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

SECONDS = 120
ATTEMPTS = 20
SKIPPED = 77
TOKEN = "token-of-this-test"
INSIDE = "MUSTER_TEST_IS_INSIDE"


class Handler(http.server.BaseHTTPRequestHandler):
    """Records each request, and answers 404, or the status and headers of its server."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        server = self.server
        server.seen.append((self.command, self.path, self.headers.get("Authorization")))
        self.send_response(server.status)
        for name, value in server.more.items():
            self.send_header(name, value.format(path=self.path))
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_PUT = do_CONNECT = do_GET

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, status=404, more=None, certificate=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.status, self.more, self.seen = status, more or {}, []
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate + ".crt", certificate + ".key")
            self.socket = context.wrap_socket(self.socket, server_side=True,
                                              do_handshake_on_connect=False)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        pass

    def authorizations(self):
        return {seen[2] for seen in self.seen}


class Stage:
    def __init__(self, muster, project, folder):
        self.muster, self.project, self.folder = muster, project, pathlib.Path(folder)
        (self.folder / "token").write_text(TOKEN + "\n")

    def command(self, address, *options):
        return [self.muster, "build", self.project, "--out", str(self.folder / "out"),
                "--cache", address, *options]

    def build(self, address, *options, **environment):
        """Runs a build and returns its output."""
        done = subprocess.run(self.command(address, *options), capture_output=True, text=True,
                              timeout=SECONDS, check=False, env={**os.environ, **environment})
        assert done.returncode == 0, done.stderr
        assert TOKEN not in done.stdout + done.stderr
        shutil.rmtree(self.folder / "out")
        return done.stderr

    def build_until(self, holds, address, *options, **environment):
        """Builds with the token until the condition is true for the output of a build. Repeats,
        because a build may end before the first answer of the cache."""
        for _ in range(ATTEMPTS):
            output = self.build(address, "--cache-token", str(self.folder / "token"), *options,
                              **environment)
            if holds(output):
                return
        raise AssertionError(output)


def token(stage):
    """The server of the address gets the token with each request, and no other host gets it."""
    server = Server()
    stage.build_until(lambda _: server.seen, f"http://127.0.0.1:{server.server_port}")
    assert server.authorizations() == {"Bearer " + TOKEN}, server.seen
    other = Server()
    for status in (301, 302, 307, 308):
        server = Server(status, {"Location": f"http://localhost:{other.server_port}{{path}}"})
        answer = f"the server answers {status}"
        stage.build_until(lambda output, answer=answer: answer in output,
                          f"http://127.0.0.1:{server.server_port}")
    assert not other.seen, "redirects are not followed"


def proxy(stage):
    """A proxy from the environment gets the requests, but not the token for an https server."""
    server = Server(status=503)
    stage.build_until(lambda _: server.seen, "https://cache.example", no_proxy="",
                      https_proxy=f"http://127.0.0.1:{server.server_port}")
    assert {seen[0] for seen in server.seen} == {"CONNECT"}, server.seen
    assert server.authorizations() == {None}, server.seen


def openssl(folder, *arguments):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def make_certificates(folder):
    """Makes two certificate authorities, and a server's certificate from the first authority."""
    for name in ("first", "second"):
        openssl(folder, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.crt")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1")
    openssl(folder, "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=server", "-keyout",
            "server.key", "-out", "server.csr")
    openssl(folder, "x509", "-req", "-in", "server.csr", "-CA", "first.crt", "-CAkey", "first.key",
            "-CAcreateserial", "-days", "2", "-extfile", "names", "-out", "server.crt")


def certificates(stage):
    """`--cache-ca` replaces the system's certificates, including the certificates in the system's
    folder."""
    make_certificates(stage.folder)
    server = Server(certificate=str(stage.folder / "server"))
    address = f"https://127.0.0.1:{server.server_port}"
    stage.build_until(lambda _: server.seen, address, "--cache-ca", str(stage.folder / "first.crt"))
    assert server.authorizations() == {"Bearer " + TOKEN}, server.seen
    server.seen.clear()
    system = stage.folder / "system"
    system.mkdir()
    shutil.copy(stage.folder / "first.crt", system)
    openssl(stage.folder, "rehash", str(system))
    subprocess.run(["mount", "--bind", str(system), "/etc/ssl/certs"], check=True)
    stage.build_until(lambda output: "given up: SSL certificate problem" in output, address,
                      "--cache-ca", str(stage.folder / "second.crt"))
    assert not server.seen, "the token was sent to a server that is not trusted"


def name_server(stage):
    """A name server that does not answer does not delay a build or its end."""
    silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    silent.bind(("127.0.0.77", 53))
    (stage.folder / "resolv.conf").write_text("nameserver 127.0.0.77\noptions timeout:30\n")
    subprocess.run(["mount", "--bind", str(stage.folder / "resolv.conf"), "/etc/resolv.conf"],
                   check=True)
    address = "http://cache.example"
    start = time.monotonic()
    output = stage.build(address)
    assert "given up" in output, output
    assert time.monotonic() - start < 20, "it waited for the name server"
    process = subprocess.Popen(stage.command(address), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    assert silent.recv(1000), "an address is looked up"
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=SECONDS) == -signal.SIGINT, "it ended before the signal"
    assert time.monotonic() - start < 20, "Ctrl-C waited for the name server"


def enter_namespace():
    """Runs this program again in new namespaces, with the right to mount and a separate network."""
    command = ["unshare", "--map-root-user", "--mount", "--net"]
    may = shutil.which("unshare") and shutil.which("ip") and not subprocess.run(
        [*command, "sh", "-c", "ip link set lo up && mount -t tmpfs none /mnt"],
        capture_output=True, check=False).returncode
    if not may:
        print("namespaces are not allowed: skipped")
        sys.exit(SKIPPED)
    os.execvpe("unshare", [*command, "sh", "-c", 'ip link set lo up && exec "$0" "$@"',
                           sys.executable, *sys.argv], {**os.environ, INSIDE: "yes"})


SCENES = {scene.__name__.replace("_", "-"): scene
          for scene in (token, proxy, certificates, name_server)}


def main():
    muster, project, scene = sys.argv[1:4]
    if scene in ("certificates", "name-server") and INSIDE not in os.environ:
        if scene == "certificates" and not shutil.which("openssl"):
            print("openssl is not installed: skipped")
            sys.exit(SKIPPED)
        enter_namespace()
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory(prefix="muster-secrets-") as folder:
        SCENES[scene](Stage(muster, project, folder))


if __name__ == "__main__":
    main()
