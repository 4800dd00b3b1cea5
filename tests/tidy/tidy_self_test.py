#!/usr/bin/env python3
"""Tests that each check of tidy.py detects its errors, and accepts correct text."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
import class_names  # noqa: E402
import tidy  # noqa: E402

HEAD = "#pragma once\n"


def body(count):
    return "".join(f"  call({i});\n" for i in range(count))


# Check -> (the error, files, part of the complaint).
BAD = {
    "includes": [
        ("net includes runtime", {"net/a.h": '#include "runtime/b.h"\n', "runtime/b.h": HEAD},
         "net/a.h:1: an include against an arrow"),
        ("runtime includes the readers",
         {"runtime/a.cpp": '\n#include "registry/yaml/b.h"\n', "registry/yaml/b.h": HEAD},
         "runtime/a.cpp:2:"),
        ("the format includes the runtime",
         {"runtime/bundle/a.h": '#include "runtime/world/b.h"\n', "runtime/world/b.h": HEAD},
         "against an arrow"),
        ("base includes a reader",
         {"registry/base/a.h": '# include "registry/yaml/b.h"\n', "registry/yaml/b.h": HEAD},
         "against an arrow"),
        ("the project folder includes registries",
         {"registry/project/a.h": '#include "registry/model/b.h"\n',
          "registry/model/b.h": HEAD}, "against an arrow"),
        ("the bundler includes the world",
         {"bundler/a.cpp": '#include "runtime/world/b.h"\n', "runtime/world/b.h": HEAD},
         "against an arrow"),
        ("somebody includes tests",
         {"registry/a.cpp": '#include "tests/support/b.h"\n', "tests/support/b.h": HEAD},
         "against an arrow"),
        ("an include beside the file", {"net/a.cpp": '#include "b.h"\n', "net/b.h": HEAD},
         "there is no b.h"),
        ("the C face includes the world",
         {"runtime/c_api/a.cpp": '#include "runtime/world/b.h"\n', "runtime/world/b.h": HEAD},
         "against an arrow"),
        ("C includes a library of another folder", {"tests/net/a.c": "#include <CLI/CLI.h>\n"},
         "bundler/cli/ and"),
        ("yaml-cpp outside its folder", {"bundler/a.cpp": "#include <yaml-cpp/yaml.h>\n"},
         "registry/yaml/ only"),
    ],
    "c-headers": [
        ("a header of C++", {"runtime/c_api/muster_runtime.h": "#pragma once\n#include <string>\n"},
         "runtime/c_api/muster_runtime.h:2: a C header includes string"),
        ("one of ours", {"runtime/c_api/muster_runtime.h": '#include "runtime/c_api/x.h"\n'},
         "includes runtime/c_api/x.h"),
        ("a file of this tree", {"tests/a.c": '\n#include "runtime/c_api/muster_runtime.h"\n'},
         "tests/a.c:2: C includes what is installed"),
    ],
    "class-names": [
        ("another name",
         {"net/wire/a.h": HEAD + "struct B {\n};\nclass C final : public B {\n};\n"},
         "net/wire/a.h:4: the header of C is not c.h"),
        ("an exception that is out of date",
         {next(iter(class_names.OTHER_NAMES)): HEAD + "class Edges {\n};\n"}, "remove it"),
    ],
    "pragma-once": [
        ("none", {"net/a.h": "// About.\nint x();\n"}, "net/a.h:1:"),
        ("only in a comment", {"net/a.h": "// #pragma once\nint x();\n"}, "net/a.h:1:"),
    ],
    "file-length": [
        ("501 lines", {"net/a.cpp": "\n" * 501}, "501 lines; split it"),
        ("1,001 lines of a justified file", {next(iter(tidy.LONG_FILES)): "\n" * 1001},
         "more than 1000"),
        ("a header that a user reads as a whole", {next(iter(tidy.SHORT_FILES)): "\n" * 150},
         "150 lines, more than 149"),
        ("a justification that is out of date", {next(iter(tidy.LONG_FILES)): "\n"},
         "short again"),
    ],
    "function-length": [
        ("a function in C", {"net/a.c": "static int f(void) {\n" + body(71) + "}\n"},
         "net/a.c:1: a function of 71 lines"),
        ("a free function", {"net/a.cpp": "int f(int x) {\n" + body(71) + "}\n"},
         "net/a.cpp:1: a function of 71 lines"),
        ("a member in a class in a namespace",
         {"net/a.h": "namespace n {\nclass A {\n  int f() const noexcept {\n" + body(71)
          + "  }\n};\n}\n"}, "net/a.h:3: a function of 71 lines"),
        ("a constructor with initialisers",
         {"net/a.cpp": "A::A(int x) : x_(x), y_{x} {\n" + body(71) + "}\n"}, "71 lines"),
        ("inner blocks and lambdas count",
         {"net/a.cpp": "void f() {\n  const auto g = [] {\n" + body(40) + "  };\n  if (x()) {\n"
          + body(40) + "  }\n}\n"}, "84 lines"),
        ("a test case",
         {"tests/net/a_test.cpp": 'TEST_CASE("a } b", "[c]") {\n' + body(71) + "}\n"},
         "71 lines"),
        ("an operator", {"net/a.cpp": "bool operator==(A a, A b) {\n" + body(71) + "}\n"},
         "71 lines"),
        ("Python", {"tests/a.py": "def f():\n" + "    g()\n" * 71}, "tests/a.py:1:"),
    ],
    "line-length": [
        ("101 columns", {"net/a.cpp": "\n//" + "x" * 99 + "\n"}, "net/a.cpp:2: 101 columns"),
    ],
    "tests-listed": [
        ("no list", {"tests/net/a_test.cpp": "", "tests/net/CMakeLists.txt": ""},
         "tests/net/a_test.cpp:1:"),
        ("only a longer name is listed",
         {"tests/net/a_test.cpp": "", "tests/net/CMakeLists.txt": "SOURCES quasi_a_test.cpp\n"},
         "tests/net/a_test.cpp:1:"),
        ("a test in C", {"tests/net/a_test.c": ""}, "tests/net/a_test.c:1:"),
        ("a fuzz target", {"tests/fuzz/b_fuzz.cpp": ""}, "tests/fuzz/b_fuzz.cpp:1:"),
    ],
    "sources-listed": [
        ("a source", {"net/wire/a.cpp": "", "net/CMakeLists.txt": "wire/b.cpp"},
         "net/wire/a.cpp:1:"),
        ("a source in C", {"net/wire/a.c": "", "net/CMakeLists.txt": "wire/a.cpp"},
         "net/wire/a.c:1:"),
        ("a header", {"net/wire/a.h": "", "net/CMakeLists.txt": "wire/a.cpp"}, "net/wire/a.h:1:"),
    ],
    "banned-calls": [
        ("fopen in C", {"runtime/a.c": "FILE* f = fopen(name, mode);\n"}, "FileSystem"),
        ("fopen", {"net/a.cpp": "auto f = std::fopen(name, mode);\n"}, "net/a.cpp:1: 'fopen('"),
        ("a stream", {"bundler/a.cpp": "\nstd::ifstream f(name);\n"}, "bundler/a.cpp:2:"),
        ("a stream in a test", {"tests/net/a_test.cpp": "std::ofstream f(name);\n"}, "FileSystem"),
        ("open", {"runtime/a.cpp": "int f = ::open(name, 0);\n"}, "FileSystem"),
        ("the disk", {"bundler/cli/a.cpp": "auto f = DiskFileSystem::open(path);\n"}, "the edge"),
        ("a lock", {"bundler/pack/a.cpp": "FolderLock lock;\n"}, "the edge"),
        ("a mapping", {"runtime/world/a.cpp": "MappedFile file;\n"}, "BundleSource"),
        ("a thread", {"bundler/a.cpp": "std::jthread t(run);\n"}, "parallel_for"),
        ("filesystem", {"bundler/a.cpp": "#include <filesystem>\n"}, "FileSystem"),
        ("socket", {"net/transport/link.cpp": "int s = ::socket(a, b, c);\n"}, "socket seam"),
        ("a clock", {"net/a.cpp": "auto t = std::chrono::steady_clock::now();\n"}, "arguments"),
        ("time", {"net/a.cpp": "auto t = std::time(nullptr);\n"}, "arguments"),
        ("rand", {"runtime/a.cpp": "int x = rand();\n"}, "arguments"),
        ("random_device", {"runtime/a.cpp": "std::random_device d;\n"}, "arguments"),
        ("getenv", {"tests/net/a_test.cpp": 'auto x = std::getenv("HOME");\n'}, "environment"),
        ("sleep", {"tests/net/a_test.cpp": "std::this_thread::sleep_for(x);\n"}, "injected time"),
        ("subrange", {"net/a.cpp": "std::ranges::unique(list);\n"}, "clang 14"),
    ],
    "readmes": [
        ("none at all", {"net/wire/a.h": HEAD, "README.md": None, "tests/README.md": None,
                         "net/README.md": None}, "net/wire/README.md"),
        ("the root's", {"tests/README.md": None}, "README.md:1: missing"),
        ("a folder of tests", {"README.md": None, "tests/README.md": None,
                               "tests/golden/bundle/a.mcat": None}, "tests/golden/README.md"),
    ],
    "checklist": [
        ("a test that is gone", {"tests/README.md": "| 1 | what | `net` | `net/a_test.cpp` |\n",
                                 "net/a.h": HEAD}, "README.md:1: row 1: there is no tests/net/a_"),
        ("a place that is gone", {"tests/README.md": "| 1 | what | `net/a.h`, `b.h` | - |\n",
                                  "net/a.h": HEAD}, "row 1: there is no net/b.h"),
        ("a row twice", {"tests/README.md": "| 1 | what | - | - |\n| 1 | what | - | - |\n"},
         "README.md:2: row 1 is listed twice"),
        ("a tagged test that is not named",
         {"tests/README.md": "| 1 | what | - | - |\n", "tests/a_test.cpp": "[x][sys-1]"},
         "README.md:1: row 1: tests/a_test.cpp carries"),
        ("a tag of no row", {"tests/a_test.cpp": "[sys-2]"}, "row 2: tests/a_test.cpp carries"),
        ("a named test without the tag",
         {"tests/README.md": "| 1 | what | - | `a_test.cpp` |\n", "tests/a_test.cpp": "[sys-11]"},
         "row 1: tests/a_test.cpp does not carry [sys-1]"),
    ],
    "top-level": [
        ("a stray file", {"notes.txt": None}, "notes.txt"),
        ("a stray folder", {"scripts/a.py": ""}, "scripts"),
    ],
    "constants": [
        ("a source hides a header's", {
            "net/a.h": HEAD + "namespace muster {\ninline constexpr int kBatch = 1;\n}\n",
            "runtime/a.cpp": "namespace muster {\nnamespace {\nstruct S {\n};\nvoid f() {\n}\n"
                             "constexpr std::size_t kBatch = 64;\n}  // namespace\n"},
         "runtime/a.cpp:7: net/a.h also has a constant kBatch"),
        ("a header's of another namespace, by a using-directive", {
            "net/a.h": HEAD + "namespace muster::layout {\nconstexpr int kMagic{1};\n",
            "runtime/a.cpp": "constexpr std::array<int, 1>\n    kMagic{2};\n"},
         "runtime/a.cpp:1:"),
        ("a header hides another's", {
            "net/a.h": HEAD + "namespace muster {\nconstexpr char kName[] = \"a\";\n",
            "net/b.h": HEAD + "namespace muster {\nnamespace layout {\nconst int kName = 1;\n"},
         "net/b.h:4: net/a.h also has a constant kName"),
    ],
    "names": [
        ("a file", {"net/wire/string_utils.h": HEAD}, "string_utils.h"),
        ("a folder", {"net/common/a.h": HEAD}, "'common'"),
    ],
    "glossary": [
        ("a forbidden word", {"net/a.h": HEAD + "void tell_peer();\n"}, "'tell_peer': report"),
        ("a part of a type's name", {"net/a.h": HEAD + "struct SidecarMend {};\n"}, "fix"),
        ("take for parsing", {"net/a.h": HEAD + "int take_number();\n"}, "parse"),
        ("a place", {"net/a.h": HEAD + "struct FilePlace {};\n"}, "position"),
    ],
    "prose": [
        ("people", {"a/b.h": "// Nobody\n// Somebody reads it; nobody writes it.\n// strangers\n"},
         "a/b.h:2: 'nobody'"),
        ("a subject that comes late",
         {"a/b.md": "Of what changes the first is lost.\nWhat is said twice is not sent.\n"},
         "a/b.md:1: 'Of what': begin with the subject"),
        ("telling", {"a/b.cpp": "// It tells the client.\n// It is told.\n"}, "a/b.cpp:1: 'tells'"),
    ],
    "docstrings": [
        ("no subject",
         {"runtime/package/public_headers.cmake": "  a.h=runtime/a.h\n", "runtime/a.h": HEAD},
         "runtime/a.h:1:"),
        ("a type without one",
         {"runtime/package/public_headers.cmake": "  a.h=runtime/a.h\n",
          "runtime/a.h": "// Points.\n#pragma once\nstruct Point {\n};\n"},
         "runtime/a.h:3: 'Point' has no docstring"),
    ],
    "documents": [
        ("a file", {"net/README.md": "See `gone.h`.\n"}, "net/README.md:1: there is no gone.h"),
        ("an option", {"README.md": "\nmuster build --fastest\n"},
         "README.md:2: no program has the option --fastest"),
        ("a limit",
         {"net/CONNECTION.md": "| block | 63 MiB by format |\n"
                               "| messages per channel in flight | 256; queued 1,024 |\n",
          "net/transport/block.h": "constexpr auto kBlockBytesMax = std::size_t{1} << 26U;\n"},
         "net/CONNECTION.md:1: says 63 MiB where kBlockBytesMax is"),
    ],
}

GOOD = {
    "README.md": "Run `muster build --out DIR` as `registry/base/clock.h` says.\n",
    "net/transport/block.h":
        "// Blocks.\n" + HEAD + "constexpr auto kBlockBytesMax = std::size_t{1} << 26U;\n",
    "net/CMakeLists.txt": "HEADERS transport/block.h\n",
    "net/transport/README.md": None,
    "net/README.md": None,
    "net/CONNECTION.md": "| block | 64 MiB by format |\n",
    "bundler/cli/CMakeLists.txt": "main.cpp",
    "bundler/README.md": None,
    "bundler/cli/README.md": None,
    "bundler/cli/main.cpp": 'const char* kOption = "--out";\n',
    "runtime/package/public_headers.cmake": "  block.h=net/transport/block.h\n",
    "tests/README.md":
        "| row | mechanism | where it is | test |\n|---|---|---|---|\n"
        "| 1 | a | `registry/base`, `registry/base/clock.h`, `seed.cpp` (not all) "
        "| `net/wire`, `net/*/a_test.cpp` |\n| 2 | b | not built yet | - |\n",
    "tests/net/README.md": None,
    "registry/README.md": None,
    "registry/base/README.md": None,
    "registry/CMakeLists.txt": "SOURCES base/clock.cpp base/seed.cpp\n"
                               "HEADERS base/clock.h base/seat.h base/seat_list.h base/two.h",
    "registry/base/clock.h":
        "// Not fopen(\"x\"), not rand(); /* not sleep(1) */\n#pragma once\n#include <string>\n"
        "struct S {\n  int values[3] = {1, 2, 3};\n};\n"
        "inline constexpr int kTable[] = {\n" + "  f(1),\n" * 90 + "};\n",
    "registry/base/seat_list.h": HEAD + "class SeatList;\nclass SeatList {\n  class Seat {};\n};\n",
    "registry/base/seat.h": HEAD + "struct Seat {\n};\nclass Seats {\n};\n",
    "registry/base/two.h": HEAD + "class A {\n};\nclass B {\n};\n",
    "registry/base/clock.cpp":
        '#include "registry/base/clock.h"\nTime now() { return steady_clock::now(); }\n'
        'const char* kText = "std::getenv(";\nauto f = R"(rand())";\n'
        "int g(int x) {\n" + body(70) + "}\n"
        "struct L {\n  static constexpr int kBlockBytesMax = 1;\n};\n",
    "registry/base/seed.cpp": "std::random_device device;\nint a = 1'000'000;\n",
    "tests/net/CMakeLists.txt": "muster_test(net SOURCES wire/a_test.cpp LINK muster::net)\n",
    "tests/net/wire/a_test.cpp":
        '#include "registry/base/clock.h"\n#include <catch2/catch.hpp>\n// [sys-1]\n'
        "auto opened = DiskFileSystem::open(root);\nauto t = steady_clock::now();\n",
}


class TidyTest(unittest.TestCase):
    def test_every_check_has_bad_samples(self):
        self.assertEqual(sorted(BAD), sorted(tidy.CHECKS))

    def test_every_check_is_a_ctest(self):
        listed = (pathlib.Path(__file__).parent / "CMakeLists.txt").read_text(encoding="utf-8")
        for check in tidy.CHECKS:
            self.assertRegex(listed, rf"\s{check}[\s)]")

    def test_bad_samples_are_reported(self):
        for check, samples in BAD.items():
            for why, files, part in samples:
                with self.subTest(check=check, why=why):
                    complaints = list(tidy.CHECKS[check](tidy.Tree(files)))
                    self.assertTrue(any(part in complaint for complaint in complaints), complaints)

    def test_good_samples_pass(self):
        for check, function in tidy.CHECKS.items():
            with self.subTest(check=check):
                self.assertEqual(list(function(tidy.Tree(GOOD))), [])


if __name__ == "__main__":
    unittest.main()
