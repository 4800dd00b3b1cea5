#!/usr/bin/env python3
"""Two processes communicate over real sockets: with IPv4 and IPv6 on the loopback interface, and
between two network namespaces with delay and loss, if this machine allows namespaces.

usage: net_process_test.py NET_PEER"""

import os
import socket
import subprocess
import sys

SECONDS = 60


def talk(peer, listen, reach, server_prefix=(), client_prefix=()):
    server = subprocess.Popen([*server_prefix, peer, "server", listen],
                              stdout=subprocess.PIPE, text=True)
    try:
        word, port, key = server.stdout.readline().split()
        assert word == "listening"
        client = subprocess.run([*client_prefix, peer, "client", reach % port, key],
                                capture_output=True, text=True, timeout=SECONDS)
        assert client.returncode == 0, client.stderr
        assert client.stdout.startswith("echoed 500 messages"), client.stdout
        assert server.wait(timeout=SECONDS) == 0, "the server saw the client leave"
        return client.stdout.strip()
    finally:
        server.kill()
        server.wait()


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            probe.bind(("::1", 0))
        return True
    except OSError:
        return False


def run(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True).returncode == 0
    except FileNotFoundError:  # The command `ip` is not installed.
        return False


class Namespaces:
    """Two network namespaces with a link between them: 30 ms delay and 5 % loss in each
    direction."""

    def __init__(self):
        tag = f"mst{os.getpid()}"
        self.names = (tag + "a", tag + "b")

    def __enter__(self):
        a, b = self.names
        self.is_made = (
            run("ip", "netns", "add", a) and run("ip", "netns", "add", b)
            and run("ip", "link", "add", a, "netns", a, "type", "veth",
                    "peer", "name", b, "netns", b)
            and all(
                run("ip", "-n", name, "addr", "add", f"10.77.0.{number}/24", "dev", name)
                and run("ip", "-n", name, "link", "set", name, "up")
                for number, name in enumerate(self.names, 1)))
        # Without netem in the kernel, the link has no delay and no loss.
        self.is_bad = self.is_made and all([
            run("ip", "netns", "exec", name, "tc", "qdisc", "add", "dev", name, "root",
                "netem", "delay", "30ms", "5ms", "loss", "5%") for name in self.names])
        return self

    def __exit__(self, *_):
        for name in self.names:
            run("ip", "netns", "del", name)


def main():
    peer = sys.argv[1]
    print("IPv4:", talk(peer, "127.0.0.1:0", "127.0.0.1:%s"))
    if has_ipv6():
        print("IPv6:", talk(peer, "[::1]:0", "[::1]:%s"))
        print("IPv4 client of a server for both:", talk(peer, "[::]:0", "127.0.0.1:%s"))
    else:
        print("IPv6: skipped, this machine has none")
    with Namespaces() as made:
        if made.is_made:
            prefix = [("ip", "netns", "exec", name) for name in made.names]
            weather = "delay and loss" if made.is_bad else "a good link: the kernel has no netem"
            print(f"namespaces ({weather}):", talk(peer, "10.77.0.1:0", "10.77.0.1:%s", *prefix))
        else:
            print("namespaces: skipped, this machine does not allow them")


if __name__ == "__main__":
    main()
