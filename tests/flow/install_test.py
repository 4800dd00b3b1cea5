#!/usr/bin/env python3
"""Installs the build tree, moves it, and uses the package in another project.

usage: install_test.py CMAKE BUILD_DIR CONSUMER_DIR PROJECT FIRST_GAME [CMAKE OPTIONS...]

Small programs in C++ and C read a catalog. The tutorial game is built in Release, without
assertions, and runs over real UDP.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

PUBLIC_HEADERS_MAX = 40


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_texts(prefix, forbidden):
    """Checks that no installed text contains a path of this machine."""
    for folder, _, files in os.walk(prefix):
        for name in files:
            if not name.endswith((".cmake", ".pc", ".h", ".md")):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for path_text in forbidden:
                assert path_text not in text, f"{path} names {path_text}"


def check_headers(prefix):
    folder = os.path.join(prefix, "include", "muster")
    headers = [name for name in os.listdir(folder) if name != "muster_runtime.h"]
    assert 30 <= len(headers) <= PUBLIC_HEADERS_MAX, f"{len(headers)} public headers"
    for name in headers:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read()
        for banned in ("<mutex>", "<thread>", "<condition_variable>", '#include "'):
            assert banned not in text, f"{name} has {banned}"


def check_documents(prefix):
    """Checks that each document that the README names is installed at its path."""
    folder = os.path.join(prefix, "share", "doc", "muster")
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
        named = re.findall(r"`([\w/]+/[A-Z_]+\.md)`", file.read())
    assert len(named) > 10, named
    for name in named:
        if not name.startswith("tests/"):
            assert os.path.exists(os.path.join(folder, name)), f"{name} is not installed"


def check_missing_library(cmake, prefix, consumer, folder, options):
    """Checks that `find_package` names a library that is not installed."""
    done = subprocess.run(
        [cmake, "-S", consumer, "-B", os.path.join(folder, "missing"), "-G", "Ninja",
         f"-DCMAKE_PREFIX_PATH={prefix}", "-DMUSTER_zstd_LIBRARY=", "-DMUSTER_sodium_LIBRARY=",
         *options], capture_output=True, text=True, check=False)
    words = " ".join(done.stderr.split())
    assert done.returncode != 0 and "which are not installed: zstd, sodium" in words, done.stderr


def check_pkg_config(prefix, game, folder, options):
    """Builds the server of the tutorial without CMake, and starts it."""
    named = dict(option[2:].split("=", 1) for option in options)
    [file] = glob.glob(os.path.join(prefix, "lib*", "**", "muster-runtime.pc"), recursive=True)
    environment = {**os.environ, "PKG_CONFIG_PATH": os.path.dirname(file)}
    flags = run("pkg-config", "--cflags", "--libs", "muster-runtime", env=environment).split()
    program = os.path.join(folder, "server_pkg_config")
    run(named["CMAKE_CXX_COMPILER"], "-std=c++20", *named["CMAKE_CXX_FLAGS"].split(),
        os.path.join(game, "server_main.cpp"), "-o", program, *flags)
    done = subprocess.run([program, os.path.join(folder, "no-build")], capture_output=True,
                          text=True, check=False)
    assert done.returncode != 0 and "muster build" in done.stderr, done.stderr


def play_tutorial(cmake, prefix, folder, game, options):
    source, work = os.path.join(folder, "game"), os.path.join(folder, "game_build")
    shutil.copytree(game, source)
    run(cmake, "-S", source, "-B", work, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
        "-DCMAKE_BUILD_TYPE=Release", *options)
    run(cmake, "--build", work)
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "first_game_test.py")
    run(sys.executable, script, "play", os.path.join(work, "content"), os.path.join(work, "server"),
        os.path.join(work, "client"))


def main():
    cmake, build, consumer, project, game = sys.argv[1:6]
    options = sys.argv[6:]
    with tempfile.TemporaryDirectory(prefix="muster-install-") as folder:
        first, prefix = os.path.join(folder, "installed"), os.path.join(folder, "moved")
        out, work = os.path.join(folder, "out"), os.path.join(folder, "consumer")
        for component in ("runtime", "bundler", "c"):
            run(cmake, "--install", build, "--prefix", first, "--component", component)
        os.rename(first, prefix)
        source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        check_texts(prefix, (source + "/", os.path.abspath(build), first))
        check_headers(prefix)
        check_documents(prefix)
        check_missing_library(cmake, prefix, consumer, folder, options)
        run(cmake, "-S", consumer, "-B", work, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}",
            *options)
        run(cmake, "--build", work)
        muster = os.path.join(prefix, "bin", "muster")
        assert "muster 0." in run(muster, "--version")
        run(muster, "build", project, "--out", out)
        with open(os.path.join(out, "client", "catalog.mcat"), "rb") as catalog:
            printed = run(os.path.join(work, "consumer"), stdin=catalog)
        assert printed == "9 registries\n", printed
        from_c = run(os.path.join(work, "consumer_c"), os.path.join(out, "client"))
        assert from_c == printed, from_c
        check_pkg_config(prefix, game, folder, options)
        play_tutorial(cmake, prefix, folder, game, options)


if __name__ == "__main__":
    main()
