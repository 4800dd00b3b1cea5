#!/usr/bin/env python3
"""Checks the tutorial game.

    first_game_test.py lengths FOLDER            its programs have at most the promised lines
    first_game_test.py components FOLDER TOOL    its components.json equals the output of TOOL
    first_game_test.py play BUILD SERVER CLIENT  a client joins a server over real UDP and leaves
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import time

# The maximum number of lines, without includes, blank lines and comments.
LINES_MAX = {"server_main.cpp": 30, "client_main.cpp": 30, "test.cpp": 20}


def fail(message):
    sys.exit(f"first_game_test: {message}")


def code_lines(path):
    lines = [line.strip() for line in path.read_text().splitlines()]
    return [line for line in lines
            if line and not line.startswith(("//", "#include", "#pragma"))]


def check_lengths(folder):
    for name, lines_max in LINES_MAX.items():
        count = len(code_lines(pathlib.Path(folder) / name))
        print(f"{name}: {count} lines of at most {lines_max}")
        if not 0 < count <= lines_max:
            fail(f"{name} has {count} lines of code; the README promises at most {lines_max}")


def check_components(folder, tool):
    with tempfile.TemporaryDirectory() as work:
        written = pathlib.Path(work) / "components.json"
        subprocess.run([tool, str(written)], check=True)
        if written.read_text() != (pathlib.Path(folder) / "components.json").read_text():
            fail(f"components.json is out of date: run {tool} {folder}/components.json")


def stop(process):
    process.terminate()
    try:
        return process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        fail("the server did not stop")


def check_play(build, server, client):
    with tempfile.TemporaryDirectory() as work:
        with subprocess.Popen([server, build], cwd=work, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as running:
            first = running.stdout.readline().split()
            if len(first) != 2 or not re.fullmatch("[0-9a-f]{64}", first[1]):
                stop(running)
                fail(f"the server printed {first}: {running.stderr.read()}")
            port = first[0].rsplit(":", 1)[1]
            command = [client, build, f"localhost:{port}", first[1]]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  text=True) as playing:
                seen = ""
                end = time.monotonic() + 20
                while "playing" not in seen and time.monotonic() < end:
                    playing.stdin.write("s")
                    playing.stdin.flush()
                    seen += playing.stdout.readline()
                playing.stdin.write("q")
                playing.stdin.close()
                playing.stdin = None
                code = playing.wait(20)
            if stop(running) != 0:
                fail("the server ended with an error: " + running.stderr.read())
            if "playing" not in seen or code != 0:
                fail(f"the client ended with {code} after: {seen}")


def main():
    checks = {"lengths": check_lengths, "components": check_components, "play": check_play}
    checks[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
