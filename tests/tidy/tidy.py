#!/usr/bin/env python3
"""Checks this project's own rules on its source text; ctest runs one test per check.

    tidy.py CHECK [--root DIR]     run one check; prints path:line: message, exit code 1 if any
    tidy.py --list                 print the names of the checks

A check is a function from a Tree to its complaints, so that tidy_self_test.py can pass it invented
trees. The rules are those of ARCHITECTURE.md; each exception has its reason next to it.
"""

import argparse
import ast
import pathlib
import posixpath
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import class_names  # noqa: E402
import constants  # noqa: E402
import words  # noqa: E402
from code_text import bare_code, line_of  # noqa: E402

LINES_PER_FILE_MAX = 1000
LINES_PER_FILE_UNJUSTIFIED_MAX = 500
LINES_PER_FUNCTION_MAX = 70
COLUMNS_MAX = 100

# The folders that every library may include.
VALUES = ("registry/base", "registry/components")
# The library of `net`. Its programs are separate.
NET_ROOMS = ("net/wire", "net/transport", "net/secure", "net/endpoint", "net/snapshot",
             "net/replication", "net/metrics", "net/capture")

# The folders that must not include `bundler/incremental`, the code that reads earlier builds.
BEFORE_BUILDS = ("registry", "runtime/bundle", "bundler/cache", "bundler/cook", "bundler/plan",
                 "bundler/pack")

# Allowed includes of a folder; the longest matching prefix of a file's path counts. This is the
# diagram in ARCHITECTURE.md.
ARROWS = {
    "registry/base": ("registry/base",),
    "registry/components": (*VALUES,),
    "registry/yaml": (*VALUES, "registry/yaml"),
    "registry/project": (*VALUES, "registry/yaml", "registry/project"),
    "registry/model": (*VALUES, "registry/yaml", "registry/project", "registry/model"),
    "registry": ("registry",),
    "net/tools": ("registry/base", "net"),
    "net": ("registry/base", *NET_ROOMS),
    "runtime/bundle": (*VALUES, "runtime/bundle"),
    "runtime/c_api": (*VALUES, "runtime/bundle", "runtime/assets", "runtime/c_api"),
    "runtime/world": (*VALUES, "runtime/world"),
    "runtime/sync": (*VALUES, "runtime/world", "runtime/replication", "runtime/sync", "net"),
    "runtime": (*VALUES, "runtime", "net"),
    "bundler/cache": ("registry/base", "bundler/cache"),
    "bundler/cook": ("registry", "runtime/bundle", "bundler/cook"),
    "bundler/plan": ("registry", "runtime/bundle", "bundler/plan"),
    "bundler/pack": ("registry", "runtime/bundle", "bundler/pack"),
    "bundler/incremental": (*BEFORE_BUILDS, "bundler/incremental"),
    "bundler/dictionaries": (*BEFORE_BUILDS, "bundler/incremental", "bundler/dictionaries"),
    "bundler/report": (*BEFORE_BUILDS, "bundler/report"),
    "bundler/build": (*BEFORE_BUILDS, "bundler/incremental", "bundler/dictionaries",
                      "bundler/report", "bundler/build"),
    "bundler/patch": (*BEFORE_BUILDS, "bundler/incremental", "bundler/patch"),
    "bundler/preview": ("registry", "runtime/bundle", "runtime/assets", "bundler"),
    "bundler": ("registry", "runtime/bundle", "bundler"),
    "content": ("content",),  # Games include only public headers, as <muster/...>.
    "tests": ("registry", "bundler", "runtime", "net", "content", "tests"),
}

# Libraries that only one folder uses, so that no other code sees their types and exceptions.
WRAPPED_LIBRARIES = {
    "yaml-cpp/": ("registry/yaml/",),
    "CLI/": ("bundler/cli/", "net/tools/command_line.cpp", "tests/bench/"),
    "catch2/": ("tests/", "content/first_game/test.cpp"),
    "benchmark/": ("tests/bench/",),
    "liburing.h": ("runtime/assets/uring_source.cpp",),
    "intel-ipsec-mb.h": ("net/secure/aes_gcm_ipsec_mb.cpp",),
    "physfs.h": ("tests/bench/",),
    "muster/": ("content/", "tests/"),
}

# Headers that a user reads as a whole, and their maximum number of lines.
SHORT_FILES = {
    "runtime/session/game_client.h": 149,
    "runtime/session/game_server.h": 149,
}

# Files of more than 500 lines, with the reason.
LONG_FILES = {
    "content/arena/make_content.py": "one table of what exists in the sample game",
    "content/arena/content_writer.py": "the writer of both dialects, which share every value",
}

# A pattern in code, the files that may have it, and the alternative.
MAINS = ("*main.cpp",)
BANNED = (
    (r"\bf(?:re)?open\s*\(|\b[io]?fstream\b|(?<!\w)::open(?:at)?\s*\(|#\s*include\s*<fcntl\.h>",
     ("bundler/cache/disk_blobs.cpp", "registry/base/disk_file.cpp",
      "registry/base/disk_file_system.cpp", "registry/base/disk_stamps.cpp",
      "net/capture/appended_file.cpp", "tests/support/*"),
     "files are reached through FileSystem"),
    (r"\bDiskFileSystem\b|\bFolderLock\b",
     ("registry/base/disk_file_system.*", "registry/base/disk_stamps.cpp",
      "bundler/cli/edges.*", *MAINS, "tests/*"),
     "the disk is opened at the edge and passed on as a FileSystem"),
    (r"\b(?:Disk|Mapped)File\b",
     ("registry/base/disk_file.*", "registry/base/mapped_file.*", "bundler/cli/*",
      "runtime/assets/disk_source.*", "runtime/assets/uring_source.*", "tests/*"),
     "files are opened and mapped by a BundleSource, or at the edge"),
    (r"\bstd::(?:jthread|thread|async)\b",
     ("bundler/cache/curl_transport.cpp", "bundler/cli/interruption.cpp",
      "registry/base/parallel.cpp",
      "runtime/assets/load_executor.*", "runtime/session/name_resolver.cpp",
      "runtime/world/worker_pool.*", *MAINS, "tests/*"),
     "threads are started by parallel_for, WorkerPool and ThreadedLoads"),
    (r"#\s*include\s*<filesystem>",
     ("registry/base/disk_file_system.cpp", "tests/*"),
     "files are reached through FileSystem"),
    (r"(?<![\w.>])socket\s*\(|#\s*include\s*<sys/socket\.h>",
     ("net/transport/udp*", "bundler/cli/watch_socket.cpp", "runtime/assets/build_notices.cpp",
      "runtime/bundle/watch_address.h",
      "tests/support/*"), "datagrams go through the socket seam"),
    (r"::now\s*\(\s*\)|\btime\s*\(\s*(?:nullptr|NULL|0|&)|\bs?rand\s*\(|\brandom_device\b",
     ("registry/base/clock.cpp", "registry/base/seed.cpp",
      "runtime/session/simulated_edges.cpp", "runtime/session/system_edges.cpp", *MAINS, "tests/*"),
     "time and randomness are arguments"),
    (r"\b(?:secure_)?getenv\s*\(|\benviron\b", MAINS,
     "the environment is read in main and passed on"),
    (r"\bsleep_(?:for|until)\b|\b(?:u|nano)?sleep\s*\(",
     ("registry/base/clock.cpp", *MAINS), "waiting is a matter of injected time"),
    (r"\branges::(?:unique|remove|remove_if|partition|stable_partition|rotate|search)\s*\(", (),
     "clang 14 cannot use the subrange it returns: take the algorithm of std"),
)

TOP_LEVEL = {
    ".ci", ".clang-format", ".clang-tidy", ".gitattributes", ".gitignore", "ARCHITECTURE.md",
    "CHANGELOG.md", "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "bundler",
    "content", "dev", "net", "registry", "runtime", "tests", "vcpkg.json",
}
# Words that do not describe the content.
EMPTY_WORDS = {"manager", "managers", "util", "utils", "helper", "helpers", "common", "misc"}


class Tree:
    """The files of a working copy: path -> text. The text is None if no check reads the file."""

    def __init__(self, files):
        self.files = dict(sorted(files.items()))

    @classmethod
    def read(cls, root):
        files = {}
        for path in tracked_paths(root):
            file = root / path
            if not file.is_file():
                continue  # deleted, but not yet committed
            is_read = is_code(path) or path.endswith((".md", ".cmake", "CMakeLists.txt", "/dev"))
            files[path] = file.read_text(encoding="utf-8") if is_read else None
        return cls(files)

    def code(self, *endings):
        for path, text in self.files.items():
            if text is not None and path.endswith(endings or CODE):
                yield path, text


CHECKLIST = "tests/README.md"
CODE = (".h", ".cpp", ".c", ".py")
CPP = (".h", ".cpp", ".c")  # C is treated like C++ here
# C headers, and the standard headers that each may include.
C_HEADERS = {"runtime/c_api/muster_runtime.h": ("stddef.h", "stdint.h")}


def is_code(path):
    return path.endswith(CODE)


def tracked_paths(root):
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, check=False)
    if listed.returncode == 0:
        return listed.stdout.decode().rstrip("\0").split("\0")
    return [str(path.relative_to(root)) for path in root.rglob("*")
            if path.is_file() and path.relative_to(root).parts[0] not in ("build", ".git")]


def is_below(path, folder):
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def matches(path, patterns):
    return any(pathlib.PurePosixPath(path).match(p) or (p.endswith("*") and path.startswith(p[:-1]))
               for p in patterns)


# --- The checks ---------------------------------------------------------------------------------


def check_includes(tree):
    """Includes follow the arrows between folders; a wrapped library is used only in its folder."""
    for path, text in tree.code(*CPP):
        rooms = [room for room in ARROWS if is_below(path, room)]
        allowed = ARROWS[max(rooms, key=len)] if rooms else ()
        for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]',
                                 bare_code(text, keep_strings=True), re.MULTILINE):
            line, target = line_of(text, match.start()), match.group(2)
            # The tutorial includes the headers of an installed package, as its users do.
            if is_below(path, "content/first_game"):
                target = f"content/first_game/{target}" if match.group(1) == '"' else target
            if match.group(1) == "<":
                for prefix, folders in WRAPPED_LIBRARIES.items():
                    if target.startswith(prefix) and not path.startswith(folders):
                        yield f"{path}:{line}: <{target}> belongs to {' and '.join(folders)} only"
            elif target not in tree.files:
                yield f"{path}:{line}: there is no {target}; includes start at the root"
            elif not any(is_below(target, folder) for folder in allowed):
                yield f"{path}:{line}: an include against an arrow: {target}"


def check_c_headers(tree):
    """Headers for other languages are self-contained, and included as installed headers."""
    for path, allowed in C_HEADERS.items():
        text = tree.files.get(path) or ""
        for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]',
                                 bare_code(text, keep_strings=True), re.MULTILINE):
            if match.group(1) not in allowed:
                yield f"{path}:{line_of(text, match.start())}: a C header includes {match.group(1)}"
    for path, text in tree.code(".c"):
        match = re.search(r'^[ \t]*#[ \t]*include[ \t]*"', bare_code(text, keep_strings=True),
                          re.MULTILINE)
        if match:
            yield f"{path}:{line_of(text, match.start())}: C includes what is installed, with <>"


def check_pragma_once(tree):
    """Each header has #pragma once before any other code."""
    for path, text in tree.code(".h"):
        if not bare_code(text).lstrip().startswith("#pragma once"):
            yield f"{path}:1: the header does not begin with #pragma once"


def check_file_length(tree):
    """Files have at most 1,000 lines; those above 500 have a reason in LONG_FILES. The headers in
    SHORT_FILES have fewer lines."""
    for path, text in tree.code():
        count = text.count("\n")
        maximum = SHORT_FILES.get(path, LINES_PER_FILE_MAX)
        if count > maximum:
            yield f"{path}:{count}: {count} lines, more than {maximum}"
        elif count > LINES_PER_FILE_UNJUSTIFIED_MAX and path not in LONG_FILES:
            yield (f"{path}:{count}: {count} lines; split it, or give a reason in LONG_FILES of "
                   "tests/tidy/tidy.py")
    for path in LONG_FILES:
        text = tree.files.get(path)
        if text is not None and text.count("\n") <= LINES_PER_FILE_UNJUSTIFIED_MAX:
            yield f"{path}:1: short again; remove it from LONG_FILES"


SCOPE = re.compile(
    r"^(?:template\s*<.*>\s*)?(?:inline\s+)?(?:namespace|class|struct|union|enum|extern)\b",
    re.DOTALL)


def cpp_functions(text):
    """Yields (line of the opening brace, lines in the body) of every function.

    The text between the last statement and a brace decides: the brace opens a function if this
    text has a parameter list, and is not a type, a namespace or an initialiser. A lambda is a
    part of the function around it. `member_{value}` is not the body of a constructor."""
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group(0)),
                  bare_code(text), flags=re.MULTILINE)
    stack = []  # (is function, offset of the brace, offset of the text before it)
    head_start = 0
    for match in re.finditer(r"[{};]", code):
        at = match.start()
        if match.group(0) == "{":
            head = code[head_start:at].strip()
            is_inside = any(is_function for is_function, *_ in stack)
            is_type = SCOPE.match(head) and not head.endswith(")")
            is_initialiser = re.search(r"(?<!operator)(?<![=!<>])=(?!=)[^()]*$", head) is not None
            is_function = not is_inside and "(" in head and not is_type and not is_initialiser
            stack.append((is_function, at, head_start))
            head_start = at + 1
        elif match.group(0) == "}" and stack:
            is_function, start, before = stack.pop()
            if is_function and re.match(r"\s*[,{]", code[at + 1:at + 200]):
                head_start = before
                continue
            if is_function:
                yield line_of(code, start), code.count("\n", start, at) - 1
            head_start = at + 1
        else:
            head_start = at + 1


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno


def check_function_length(tree):
    """Functions have at most 70 lines."""
    for path, text in tree.code():
        functions = python_functions if path.endswith(".py") else cpp_functions
        for line, count in functions(text):
            if count > LINES_PER_FUNCTION_MAX:
                yield f"{path}:{line}: a function of {count} lines"


def check_line_length(tree):
    """Lines have at most 100 columns."""
    for path, text in tree.code():
        for number, line in enumerate(text.split("\n"), start=1):
            if len(line) > COLUMNS_MAX:
                yield f"{path}:{number}: {len(line)} columns"


def unlisted(tree, wanted):
    """Yields paths for which `wanted` is true and that no CMakeLists.txt above them lists."""
    for path in tree.files:
        if not wanted(path):
            continue
        folder = posixpath.dirname(path)
        while True:
            text = tree.files.get(posixpath.join(folder, "CMakeLists.txt"))
            name = posixpath.relpath(path, folder or ".")
            listed = (text or "").replace("${CMAKE_CURRENT_SOURCE_DIR}/", "")
            if re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w.-])", listed):
                break
            if not folder:
                yield path
                break
            folder = posixpath.dirname(folder)


def check_tests_listed(tree):
    """Every test is listed, because an unlisted test never runs."""
    def is_test(path):
        return path.startswith("tests/") and path.endswith(
            ("_test.cpp", "_test.c", "_fuzz.cpp", "_bench.cpp", "_test.py"))
    for path in unlisted(tree, is_test):
        yield f"{path}:1: no CMakeLists.txt lists this test"


def check_sources_listed(tree):
    """Every source and header belongs to a target; listed headers are compiled alone."""
    house = ("registry/", "net/", "runtime/", "bundler/")

    def is_source(path):
        return (path.startswith(house) and path.endswith(CPP)
                or path.startswith("content/") and path.endswith((".cpp", ".c")))
    for path in unlisted(tree, is_source):
        yield f"{path}:1: no CMakeLists.txt lists this file"


def check_banned_calls(tree):
    """Disk, socket, clock, randomness and environment are used only in named files."""
    for path, text in tree.code(*CPP):
        code = bare_code(text)
        for pattern, paths, instead in BANNED:
            if matches(path, paths):
                continue
            for match in re.finditer(pattern, code):
                found = match.group(0).strip()
                yield f"{path}:{line_of(code, match.start())}: '{found}': {instead}"


def check_readmes(tree):
    """The root, each top folder, each folder with code and each folder of tests has a README.md."""
    folders = {"", "tests"}
    for path in tree.files:
        parts = path.split("/")
        if parts[0] == "tests" and len(parts) > 2:
            folders.add(f"tests/{parts[1]}")
        if path.endswith(CPP) and not path.startswith("tests/"):
            folder = posixpath.dirname(path)
            while folder:
                folders.add(folder)
                folder = posixpath.dirname(folder)
    for folder in sorted(folders):
        readme = posixpath.join(folder, "README.md")
        if readme not in tree.files:
            yield f"{readme}:1: missing; say what the folder is for and in which order to read it"


def checklist_rows(text):
    """Yields (line, number, names in `where it is`, names in `test`) of the checklist's rows."""
    for line, row in enumerate(text.split("\n"), start=1):
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if row.startswith("|") and len(cells) == 4 and cells[0].isdigit():
            yield line, int(cells[0]), full_names(cells[2], ""), full_names(cells[3], "tests/")


def full_names(cell, base):
    """Returns names in backticks as paths. A name without a folder is in the previous folder."""
    names, folder = [], ""
    for name in re.findall(r"`([^`]+)`", cell):
        if "." in name and "/" not in name:
            name = posixpath.join(folder, name)
        folder = posixpath.dirname(name)
        names.append(base + name)
    return names


def is_named(path, name):
    return is_below(path, name) or pathlib.PurePosixPath(path).match(name)


def check_checklist(tree):
    """The checklist of tests/README.md names existing files, and all files with a row's tag."""
    rows = {}
    for line, number, names, tests in checklist_rows(tree.files.get(CHECKLIST) or ""):
        if number in rows:
            yield f"{CHECKLIST}:{line}: row {number} is listed twice"
        rows[number] = (line, tests)
        for name in names + tests:
            if not any(is_named(path, name) for path in tree.files):
                yield f"{CHECKLIST}:{line}: row {number}: there is no {name}"
    tags = {}
    for path, text in tree.code():
        if path.startswith("tests/") and not path.startswith("tests/tidy/"):
            for number in set(re.findall(r"\[sys-(\d+)\]", text)):
                tags.setdefault(int(number), set()).add(path)
    for number, paths in sorted(tags.items()):
        line, tests = rows.get(number, (1, []))
        for path in sorted(paths):
            if not any(is_named(path, name) for name in tests):
                yield f"{CHECKLIST}:{line}: row {number}: {path} carries its tag and is not named"
    for number, (line, tests) in sorted(rows.items()):
        for name in tests:
            carried = any(is_named(path, name) for path in tags.get(number, ()))
            if name.endswith("_test.cpp") and not carried:
                yield f"{CHECKLIST}:{line}: row {number}: {name} does not carry [sys-{number}]"


def check_top_level(tree):
    """The root has only expected files."""
    for name in sorted({path.split("/", 1)[0] for path in tree.files}):
        if name not in TOP_LEVEL:
            yield f"{name}:1: not expected at the top; move it to a folder, or list it in TOP_LEVEL"


def check_names(tree):
    """Files are named after their content."""
    for path in tree.files:
        for part in pathlib.PurePosixPath(path).parts if is_code(path) else ():
            if EMPTY_WORDS & set(re.split(r"[^a-z]+", part.lower())):
                yield f"{path}:1: '{part}' says nothing about what is inside"


CHECKS = {
    "class-names": class_names.check_class_names,
    "constants": constants.check_constants,
    "includes": check_includes,
    "c-headers": check_c_headers,
    "pragma-once": check_pragma_once,
    "file-length": check_file_length,
    "function-length": check_function_length,
    "line-length": check_line_length,
    "tests-listed": check_tests_listed,
    "sources-listed": check_sources_listed,
    "banned-calls": check_banned_calls,
    "readmes": check_readmes,
    "checklist": check_checklist,
    "top-level": check_top_level,
    "names": check_names,
    "glossary": words.check_glossary,
    "prose": words.check_prose,
    "docstrings": words.check_docstrings,
    "documents": words.check_documents,
}


def main():
    parser = argparse.ArgumentParser(description="Checks this project's own rules.")
    parser.add_argument("check", nargs="?", choices=sorted(CHECKS))
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--list", action="store_true", help="print the names of the checks")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(sorted(CHECKS)))
        return 0
    if arguments.check is None:
        parser.error("name a check, or --list")
    complaints = list(CHECKS[arguments.check](Tree.read(arguments.root)))
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
