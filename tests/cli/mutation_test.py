#!/usr/bin/env python3
"""Checks that the JSON Schema of plain files and `muster validate` refuse the same mutations.

usage: mutation_test.py MUSTER SOURCE_FOLDER [--seed N] [--count N]

Each mutation changes one thing in one plain file of the sample game: it renames, removes or adds a
key, or replaces a value. All mutants are in one project, which is validated once. Needs
python3-jsonschema and python3-yaml; without them it exits with 77, which ctest counts as skipped.
"""

import argparse
import copy
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

TIMEOUT_SECONDS = 600

# Rules that need only the file itself.
STRUCTURAL = {"bad-pool-size", "malformed-entry", "malformed-flag", "malformed-guid",
              "malformed-type-id", "missing-entries", "null-registry", "unfit-value",
              "unknown-component", "unknown-field", "wrong-shape"}
# Texts of structural findings that depend on other files, such as the base of a prefab.
OF_OTHER_FILES = ("the base has no component", "has two components")

# "Healht" is a mistyped component name.
VALUES = [None, True, -1, 7, 70000, 5000000000, 10**20, 0.25, "oops", "0", "1", "-3", "70000", [],
          {}, [None], ["oops"], [1, 2], ["Healht"], [{"Healht": {}}], {"x": 1}]


def containers(node, path=()):
    """Yields each mapping and list of a document, with its path of keys."""
    if isinstance(node, dict):
        yield path, node
        for key, value in node.items():
            yield from containers(value, path + (key,))
    elif isinstance(node, list):
        yield path, node
        for index, value in enumerate(node):
            yield from containers(value, path + (index,))


def mistype(word, draw):
    """Returns a word with one or two typing errors."""
    for _ in range(draw.choice([1, 1, 2])):
        at = draw.randrange(len(word)) if word else 0
        slip = draw.choice(["swap", "drop", "double", "replace", "case"])
        if slip == "swap":
            word = word[:at] + word[at + 1:at + 2] + word[at:at + 1] + word[at + 2:]
        elif slip == "drop" and len(word) > 1:
            word = word[:at] + word[at + 1:]
        elif slip == "case":
            word = word[:at] + word[at:].swapcase()
        else:
            letter = draw.choice("aeXz_-")
            word = word[:at] + letter + word[at + (slip == "replace"):]
    return word


def mutate_names(mutant, draw):
    """Mistypes a component's name, or puts a number into quotes; None if nothing can be changed."""
    found = []
    for path, node in containers(mutant):
        if isinstance(node, dict):
            found += [(path, node, key) for key, value in node.items() if type(value) is int]
        if path and path[-1] in ("components", "removed") and isinstance(node, list):
            found += [(path, node, index) for index in range(len(node))]
    if not found:
        return None
    path, node, key = draw.choice(found)
    before = node[key]
    if type(before) is int:
        node[key] = str(before)
    elif isinstance(before, str):
        node[key] = mistype(before, draw)
    elif isinstance(before, dict) and before:
        name = next(iter(before))
        node[key] = {mistype(name, draw): before[name]}
    return f"{path + (key,)}: {before!r} becomes {node[key]!r}"


def mutate(document, draw):
    """Returns a changed copy and a description of the change."""
    mutant = copy.deepcopy(document)
    action = draw.choice(["rename", "remove", "add", "replace", "replace", "replace", "names"])
    if action == "names":
        what = mutate_names(mutant, draw)
        if what is not None:
            return mutant, what
    path, node = draw.choice(list(containers(mutant)))
    keys = [key for key in (node if isinstance(node, dict) else range(len(node))) if key != "class"]
    if action == "add" or not keys:
        value = draw.choice(VALUES)
        if isinstance(node, dict):
            node["zusatz"] = value
        else:
            node.append(value)
        return mutant, f"add {value!r} to {path}"
    key = draw.choice(keys)
    is_free = not path and document["class"] == "ReplicatedEntityFactory"  # Keys of a script.
    if action == "rename" and isinstance(node, dict) and not is_free:
        renamed = draw.choice([key + "x", key[1:] + key[0], key.swapcase(), key[:-1] + "_"])
        node[renamed] = node.pop(key)
        return mutant, f"rename {key} of {path} to {renamed}"
    if action == "remove":
        del node[key]
        return mutant, f"remove {key} of {path}"
    value = draw.choice(VALUES)
    node[key] = copy.deepcopy(value)
    return mutant, f"{path + (key,)} becomes {value!r}"


def is_of_ours(document, classes):
    return isinstance(document, dict) and document.get("class") in classes


def refused_files(muster, project):
    """Returns the files with structural findings, and the messages."""
    done = subprocess.run([muster, "validate", project, "--format", "json"], capture_output=True,
                          timeout=TIMEOUT_SECONDS, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()
    refused = {}
    for finding in json.loads(done.stdout)["findings"]:
        message = finding["message"]
        is_structural = finding["rule"] in STRUCTURAL and finding["severity"] != "note"
        if any(text in message for text in OF_OTHER_FILES):
            continue
        if is_structural:
            refused.setdefault(finding["path"], []).append(f"{finding['rule']}: {message}")
    return refused


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("muster")
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=32)
    parser.add_argument("--count", type=int, default=1000)
    arguments = parser.parse_args()
    muster = pathlib.Path(arguments.muster).resolve()
    arena = arguments.source.resolve() / "content/arena"
    schema = json.loads(subprocess.run([muster, "schema", "content", arena], capture_output=True,
                                       timeout=TIMEOUT_SECONDS, check=True).stdout)
    validator = jsonschema.Draft202012Validator(schema)
    classes = {"Prefab", "ReplicatedEntityFactory", "AssetRegistryRoot",
               *schema["$defs"]["registries"]}
    samples = []
    for path in sorted((arena / "plain").rglob("*.yaml")):
        document = yaml.safe_load(path.read_text())
        if is_of_ours(document, classes):
            samples.append((path, document))
    draw = random.Random(arguments.seed)
    failures = []
    with tempfile.TemporaryDirectory(prefix="muster-mutants-") as folder:
        project = pathlib.Path(folder) / "arena"
        shutil.copytree(arena, project)
        mutants = {}
        for number in range(arguments.count):
            path, document = draw.choice(samples)
            mutant, what = mutate(document, draw)
            name = f"plain/mutants/m{number:04}.yaml"
            file = project / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(yaml.safe_dump(mutant, sort_keys=False))
            file.with_name(file.name + ".meta").write_text(f"guid: {draw.getrandbits(128):032x}\n")
            mutants[name] = (mutant, f"{path.relative_to(arena)}: {what}")
        refused = refused_files(muster, project)
        by_schema = 0
        for name, (mutant, what) in mutants.items():
            problems = [problem.message[:160] for problem in validator.iter_errors(mutant)]
            by_schema += bool(problems)
            if bool(problems) != (name in refused):
                failures.append(f"{what}\n    schema: {problems}\n    program: {refused.get(name)}")
    print(f"seed {arguments.seed}: {arguments.count} mutants, {by_schema} refused by the schema")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
